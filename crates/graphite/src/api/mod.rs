//! The bodies of Graphite's HTTP API, from parameters that are already decoded.
//!
//! | path | function |
//! |---|---|
//! | `/render` | [`render()`] |
//! | `/metrics/find`, `/metrics` | [`find`] |
//! | `/metrics/expand` | [`expand`] |
//! | `/metrics/index.json` | [`index`] |
//! | `/tags`, `/tags/TAG` | [`all_tags`], [`one_tag`] |
//! | `/tags/findSeries` | [`find_series`] |
//! | `/tags/autoComplete/tags`, `/tags/autoComplete/values` | [`complete_tags`], [`complete_values`] |
//! | `/functions`, `/functions/NAME` | [`functions`], [`function`] |
//! | `/version` | [`version`] |
//! | `/events/get_data` | [`events`] |

mod parameters;
mod answer;
mod json;
mod request;
mod color;
mod picture;
mod render;
mod metrics;
mod tagged;
mod function_list;

pub use answer::Answer;
pub use function_list::{function, functions};
pub use metrics::{expand, find, index};
pub use parameters::Parameters;
pub use render::render;
pub use tagged::{all_tags, complete_tags, complete_values, find_series, one_tag};

use crate::{Setting, Store};

/// The version of graphite-web whose answers ours are like.
pub const VERSION: &str = "1.1.8";

/// Answers `/version`.
#[must_use]
pub fn version() -> Answer {
    Answer::of("text/plain; charset=utf-8", format!("{VERSION}\n").into_bytes())
}

/// Answers `/events/get_data`: there are no events.
#[must_use]
pub fn events() -> Answer {
    Answer::json(b"[]".to_vec())
}

/// Answers a request by its path, with or without a slash at its end. `None` if there is nothing at
/// that path.
#[must_use]
pub fn answer(
    path: &str,
    parameters: &Parameters,
    store: Store<'_>,
    setting: &Setting<'_>,
) -> Option<Answer> {
    let Store { paths, source } = store;
    let path = path.trim_matches('/');
    Some(match path {
        "render" => render(parameters, store, setting),
        "metrics" | "metrics/find" => find(parameters, paths),
        "metrics/expand" => expand(parameters, paths),
        "metrics/index.json" => index(parameters, paths),
        "tags" => all_tags(parameters, source),
        "tags/findSeries" => find_series(parameters, source),
        "tags/autoComplete/tags" => complete_tags(parameters, source),
        "tags/autoComplete/values" => complete_values(parameters, source),
        "functions" => functions(parameters),
        "version" => version(),
        "events/get_data" => events(),
        other => match other.split_once('/')? {
            ("functions", name) => function(name),
            ("tags", tag) if !tag.contains('/') => one_tag(tag, parameters, source),
            _ => return None,
        },
    })
}
