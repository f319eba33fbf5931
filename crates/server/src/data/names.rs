//! The names of databases.

use serde_json::{Value, json};
use store::NamePattern;

use super::context::DataContext;
use super::problem::Problem;

/// The names in an answer unless the request gives a number.
const NAMES_DEFAULT: usize = 1000;
/// The most names in an answer.
const NAMES_MAX: usize = 100_000;

/// The names that match a pattern, from one on.
pub(super) fn names(
    context: &DataContext,
    is_seen: &dyn Fn(&str) -> bool,
    pattern: &str,
    from: &str,
    limit: Option<usize>,
) -> Result<Value, Problem> {
    let pattern = NamePattern::meant(pattern);
    let limit = Problem::check_count("limit", limit, NAMES_DEFAULT, NAMES_MAX)?;
    let (mut names, mut from) = (Vec::new(), from.to_owned());
    // A name that is not seen is neither listed nor told as the next one.
    loop {
        let page = context.store.names_from(&pattern, &from, limit + 1)?;
        names.extend(page.names.into_iter().filter(|name| is_seen(name)));
        match page.next {
            Some(next) if names.len() <= limit => from = next,
            _ => break,
        }
    }
    let next = names.get(limit).cloned();
    names.truncate(limit);
    Ok(json!({ "databases": names, "next": next }))
}
