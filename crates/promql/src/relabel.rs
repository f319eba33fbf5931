//! `label_replace` and `label_join`.

use regex::{Regex, RegexBuilder};
use series::{Label, METRIC_NAME};

use crate::error::Failed;
use crate::vector::Vector;

/// The most bytes that a compiled pattern takes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// What `label_replace` is to do.
pub(crate) struct Replacement<'a> {
    pub(crate) target: &'a str,
    pub(crate) replacement: &'a str,
    pub(crate) source: &'a str,
    pub(crate) pattern: &'a str,
}

/// Sets a label to what a pattern finds in another one.
///
/// # Errors
///
/// The pattern or the label's name is wrong, or series have the same labels afterwards.
pub(crate) fn replace(mut vector: Vector, what: &Replacement<'_>) -> Result<Vector, Failed> {
    check_name("label_replace", what.target)?;
    let pattern = pattern(what.pattern)?;
    for labels in &mut vector.labels {
        let Some(found) = pattern.captures(labels.get(what.source)) else { continue };
        let mut value = String::new();
        found.expand(what.replacement, &mut value);
        drop(found);
        labels.set(Label::new(what.target, value));
    }
    vector.merged(|_| Failed::SameLabels)
}

fn pattern(text: &str) -> Result<Regex, Failed> {
    let wrong = |error: regex::Error| Failed::Argument {
        function: "label_replace".to_owned(),
        expected: "a regular expression",
        found: format!("{text:?}: {error}"),
    };
    // By itself first: a bracket in the pattern must not close the group around it.
    RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build().map_err(wrong)?;
    let whole = format!("^(?s:{text})$");
    RegexBuilder::new(&whole).size_limit(PATTERN_BYTES_MAX).build().map_err(wrong)
}

/// Sets a label to the values of others, with a text between them.
///
/// # Errors
///
/// A label's name is wrong, or series have the same labels afterwards.
pub(crate) fn join(
    mut vector: Vector,
    target: &str,
    separator: &str,
    sources: &[&str],
) -> Result<Vector, Failed> {
    for name in sources.iter().chain([&target]) {
        check_name("label_join", name)?;
    }
    for labels in &mut vector.labels {
        let values: Vec<&str> = sources.iter().map(|name| labels.get(name)).collect();
        let value = values.join(separator);
        labels.set(Label::new(target, value));
    }
    vector.merged(|_| Failed::SameLabels)
}

/// Refuses what cannot be the name of a label.
///
/// # Errors
///
/// It is none.
pub(crate) fn check_name(function: &str, name: &str) -> Result<(), Failed> {
    let begins = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    let is_name = begins && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    if is_name || name == METRIC_NAME {
        return Ok(());
    }
    let (function, found) = (function.to_owned(), format!("{name:?}"));
    Err(Failed::Argument { function, expected: "the name of a label", found })
}
