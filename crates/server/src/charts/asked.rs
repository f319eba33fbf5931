//! What is asked of `/api/charts`.

use std::collections::HashSet;

use jiff::tz::TimeZone;

use crate::span::{NoSpan, Span};
use crate::url_words::UrlWords;

/// The most targets or databases in an answer.
const SUBJECTS_MAX: usize = 100;
/// How many rows there are about, unless the request tells.
const POINTS_DEFAULT: u64 = 400;
/// The most rows that may be asked for.
const POINTS_MAX: u64 = 4000;
/// The longest time back to a ghost: ten years.
const GHOST_SECONDS_MAX: u64 = 3660 * 86_400;

/// The longest margin: a hundred years.
const MARGIN_SECONDS_MAX: u64 = 36_600 * 86_400;

/// A question for charts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    /// The names of targets, each once.
    pub(crate) targets: Vec<String>,
    /// The names of databases, each once.
    pub(crate) databases: Vec<String>,
    pub(crate) span: Span,
    /// How many rows are wanted.
    pub(crate) points: u64,
    /// How many seconds more are wanted before and behind, if the same archive holds them.
    pub(crate) margin_seconds: u64,
    /// How long ago the ghost is; `None` for no ghost.
    pub(crate) ghost_seconds: Option<u64>,
}

/// Why a question for charts is not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// The times cannot be read.
    #[error(transparent)]
    Span(#[from] NoSpan),
    /// A number cannot be read, or is out of bounds.
    #[error("{what}: expected a whole number from {least} to {most}, found {found}")]
    Number { what: &'static str, least: u64, most: u64, found: String },
    /// Nothing or too much is named.
    #[error("expected 1 to {SUBJECTS_MAX} targets or databases (t=NAME, d=NAME), found {0}")]
    Subjects(usize),
    /// There is no such target, or the visitor may not see it.
    #[error("there is no target {0}")]
    NoTarget(String),
    /// There is no such database, or the visitor may not see it.
    #[error("there is no database {0}")]
    NoDatabase(String),
    /// The answer would be too large.
    #[error("{values} values are more than {most}: ask for a shorter time, or for fewer at once")]
    TooMuch { values: u64, most: u64 },
}

impl Asked {
    /// Reads the words behind the question mark of a URL.
    ///
    /// # Errors
    /// [`Refused`].
    pub(crate) fn of(query: &str, now_seconds: i64, zone: &TimeZone) -> Result<Self, Refused> {
        let words = UrlWords::of(query);
        let span = Span::between(words.last("start"), words.last("end"), now_seconds, zone)?;
        let asked = Self {
            targets: each_once(words.all("t")),
            databases: each_once(words.all("d")),
            span,
            points: number(&words, "points", 1, POINTS_MAX)?.unwrap_or(POINTS_DEFAULT),
            margin_seconds: number(&words, "margin", 0, MARGIN_SECONDS_MAX)?.unwrap_or(0),
            ghost_seconds: number(&words, "ghost", 1, GHOST_SECONDS_MAX)?,
        };
        match asked.targets.len() + asked.databases.len() {
            1..=SUBJECTS_MAX => Ok(asked),
            count => Err(Refused::Subjects(count)),
        }
    }

    /// The length of a row that there would be if archives had any.
    pub(super) fn step_seconds(&self) -> u64 {
        (self.span.seconds() / self.points).max(1)
    }
}

/// The names in their order, without those that came before: twice the same chart tells nothing more.
fn each_once(mut names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// A whole number within bounds, if it is there.
fn number(
    words: &UrlWords,
    what: &'static str,
    least: u64,
    most: u64,
) -> Result<Option<u64>, Refused> {
    let Some(text) = words.last(what) else { return Ok(None) };
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
        _ => Err(Refused::Number { what, least, most, found: text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::Asked;

    const NOW_SECONDS: i64 = 1_700_000_000;

    fn asked(query: &str) -> Result<Asked, String> {
        Asked::of(query, NOW_SECONDS, &TimeZone::UTC).map_err(|refused| refused.to_string())
    }

    #[test]
    fn names_stand_there_several_times() {
        let all = asked("t=a%26b&t=c+d&d=x/y.rrd&ghost=604800&points=1000&start=end-1w").unwrap();
        assert_eq!(all.targets, ["a&b", "c d"]);
        assert_eq!(all.databases, ["x/y.rrd"]);
        assert_eq!((all.ghost_seconds, all.points), (Some(604_800), 1000));
        assert_eq!((all.span.seconds(), all.step_seconds()), (604_800, 604));
    }

    #[test]
    fn a_name_that_stands_there_again_is_asked_for_once() {
        let all = asked(&format!("t=b&d=a&{}t=a", "d=a&t=b&".repeat(200))).unwrap();
        assert_eq!(all.targets, ["b", "a"]);
        assert_eq!(all.databases, ["a"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_what_was_expected() {
        for (query, words) in [
            ("", "expected 1 to 100 targets or databases (t=NAME, d=NAME), found 0"),
            ("t=a&points=0", "points: expected a whole number from 1 to 4000, found 0"),
            ("t=a&points=many", "points: expected a whole number from 1 to 4000, found many"),
            ("t=a&ghost=-5", "ghost: expected a whole number from 1 to 316224000, found -5"),
            ("t=a&start=now&end=now-1h", "start: expected a time before the end"),
            (
                "t=a&start=0&end=253402300800",
                "start and end: expected times of the years 1970 to 9999",
            ),
        ] {
            assert_eq!(asked(query).unwrap_err(), words, "{query}");
        }
        let many: String = (0..101).map(|nth| format!("t=a{nth}&")).collect();
        assert!(asked(&many).unwrap_err().ends_with("found 101"));
    }
}
