//! Making and deleting databases.
//!
//! ```text
//! {"step": "300", "sources": ["DS:in:COUNTER:600:0:U"], "archives": ["RRA:AVERAGE:0.5:1:600"]}
//! ```

use rrd::Timestamp;
use rrd::spec::{self, Units};
use serde::Deserialize;
use serde_json::Value;
use store::{Edit, Making, NewDatabase};

use super::context::DataContext;
use super::problem::Problem;

/// A new database starts this long before the present, as with rrdtool.
const START_BEFORE_SECONDS: i64 = 10;

/// What a new database is to be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wished {
    /// As of `rrdtool create`'s `--step`.
    step: Option<Step>,
    /// As of `--tick`.
    tick: Option<String>,
    /// The time of the first sample is after this one, seconds since 1970.
    start_seconds: Option<i64>,
    /// Arguments `DS:...`.
    sources: Vec<String>,
    /// Arguments `RRA:...`.
    archives: Vec<String>,
}

/// `"5m"` or 300.
#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Text(String),
    Seconds(u64),
}

/// Makes a database.
pub(super) fn create(context: &DataContext, name: &str, wished: &Wished) -> Result<Value, Problem> {
    let path = context.path(name)?;
    let wrong = |error: spec::SpecError| Problem::wrong("definition", error);
    let tick = wished.tick.as_deref().map(spec::tick).transpose().map_err(wrong)?;
    let step = match &wished.step {
        None => "300".to_owned(),
        Some(Step::Text(text)) => text.clone(),
        Some(Step::Seconds(seconds)) => seconds.to_string(),
    };
    let units = Units::of_step(&step, tick).map_err(wrong)?;
    let words = wished.sources.iter().chain(&wished.archives).map(String::as_str);
    let definition = spec::definition_in(units, words).map_err(wrong)?;
    let seconds = wished.start_seconds.unwrap_or_else(|| (context.now)() - START_BEFORE_SECONDS);
    let start = definition.tick.up_to(Timestamp::from_seconds(seconds));
    let start = start.ok_or_else(|| Problem::wrong("start_seconds", "it is out of range"))?;
    let new = NewDatabase { name: &path, definition: &definition, start };
    let making = Making { with_directories: true, ..Making::new(new) };
    if let Some((_, error)) = context.store.store().make(&[making], &|| true).pop() {
        return Err(error.into());
    }
    super::rows::about(context, name)
}

/// Deletes a database.
pub(super) fn delete(context: &DataContext, name: &str) -> Result<(), Problem> {
    Ok(context.store.store().edit(&context.path(name)?, &Edit::Delete, &|| true)?)
}
