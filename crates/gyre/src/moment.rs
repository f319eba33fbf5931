//! `--start` and `--end` of verbs whose rows may begin and end anywhere.

use rrdtool::{Failure, Session};

/// The moment that an option names by itself; `None` where it is not given.
///
/// # Errors
///
/// It is no time, or one that needs another beside it; the error names the option.
pub(crate) fn moment(
    session: &mut Session,
    option: &str,
    text: Option<&str>,
) -> Result<Option<i64>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let refuse =
        |why: String| Failure::misuse(format!("{option}: expected a time, found {text}: {why}"));
    match session.times.moment(text).map_err(|error| refuse(error.to_string()))? {
        None => Err(refuse("it needs another time beside it".into())),
        seconds => Ok(seconds),
    }
}
