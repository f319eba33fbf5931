//! What a request asks: its words, read once.

use std::collections::HashMap;

use ::ranks::{By, Line, MOST, Measure};

/// How many targets are told without a number.
pub(crate) const MOST_USUAL: usize = 50;

/// A question about all targets or devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) what: What,
    pub(crate) line: Line,
    pub(crate) measure: Measure,
    pub(crate) over: Over,
    /// Words that targets have.
    pub(crate) query: String,
    /// Their device; empty for any.
    pub(crate) device: String,
    /// At most so many are told.
    pub(crate) most: usize,
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Targets.
    Targets(By),
    /// Targets whose limits are broken.
    Broken,
    /// The devices that answer last.
    Slow,
    /// The devices that fail most often.
    Failing,
}

/// Over which time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The newest values.
    Newest,
    /// A span that ends now.
    Span(Length),
}

/// The length of a span, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Length {
    pub(crate) word: &'static str,
    /// For people.
    pub(crate) title: &'static str,
    pub(crate) seconds: u64,
}

const DAY: Length = Length { word: "day", title: "a day", seconds: 86_400 };
/// The spans that may be asked for.
const LENGTHS: [Length; 5] = [
    Length { word: "hour", title: "an hour", seconds: 3600 },
    DAY,
    Length { word: "week", title: "a week", seconds: 7 * 86_400 },
    Length { word: "month", title: "30 days", seconds: 30 * 86_400 },
    Length { word: "year", title: "a year", seconds: 365 * 86_400 },
];

/// A word of a request that is none of those expected.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: expected {expected}")]
pub(crate) struct WrongWord {
    key: &'static str,
    expected: String,
}

impl What {
    pub(crate) const ALL: [Self; 12] = [
        Self::Targets(By::Traffic),
        Self::Targets(By::Utilisation),
        Self::Targets(By::Errors),
        Self::Targets(By::Value),
        Self::Targets(By::Change),
        Self::Broken,
        Self::Targets(By::Limit),
        Self::Targets(By::Silent),
        Self::Targets(By::Flat),
        Self::Targets(By::Wrapping),
        Self::Slow,
        Self::Failing,
    ];

    /// Its word in requests.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Targets(By::Traffic) => "traffic",
            Self::Targets(By::Utilisation) => "utilisation",
            Self::Targets(By::Errors) => "errors",
            Self::Targets(By::Value) => "value",
            Self::Targets(By::Change) => "change",
            Self::Targets(By::Limit) => "limit",
            Self::Targets(By::Silent) => "silent",
            Self::Targets(By::Flat) => "flat",
            Self::Targets(By::Wrapping) => "wrapping",
            Self::Broken => "broken",
            Self::Slow => "slow",
            Self::Failing => "failing",
        }
    }
}

impl Over {
    /// Every one.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Newest).chain(LENGTHS.into_iter().map(Self::Span))
    }

    /// Its word in requests.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Newest => "last",
            Self::Span(length) => length.word,
        }
    }
}

/// The words for a line, in requests.
pub(crate) const LINES: [(&str, Line); 3] =
    [("either", Line::Either), ("in", Line::In), ("out", Line::Out)];

/// The words for a measure, in requests.
pub(crate) const MEASURES: [(&str, Measure); 3] =
    [("average", Measure::Average), ("maximum", Measure::Maximum), ("p95", Measure::Percentile95)];

impl Asked {
    /// Whether only some targets are asked for.
    pub(super) fn is_filtered(&self) -> bool {
        !self.query.is_empty() || !self.device.is_empty()
    }

    /// What the words of a request ask.
    ///
    /// # Errors
    /// One of them is not understood.
    pub(crate) fn read(words: &HashMap<String, String>) -> Result<Self, WrongWord> {
        let word = |key: &str| words.get(key).map(String::as_str).filter(|word| !word.is_empty());
        let whats = What::ALL.map(|what| (what.word(), what));
        let what = one_of("by", word("by"), &whats)?.unwrap_or(What::ALL[0]);
        let overs: Vec<(&str, Over)> = Over::all().map(|over| (over.word(), over)).collect();
        let over = one_of("span", word("span"), &overs)?.unwrap_or(Over::Newest);
        let most = match word("n").map(str::parse::<usize>) {
            None => MOST_USUAL,
            Some(Ok(most @ 1..=MOST)) => most,
            Some(_) => {
                return Err(WrongWord { key: "n", expected: format!("a number from 1 to {MOST}") });
            }
        };
        Ok(Self {
            what,
            line: one_of("line", word("line"), &LINES)?.unwrap_or_default(),
            measure: one_of("measure", word("measure"), &MEASURES)?.unwrap_or_default(),
            over: possible(what, over),
            query: word("q").unwrap_or_default().to_owned(),
            device: word("device").unwrap_or_default().to_owned(),
            most,
        })
    }
}

/// The newest values do not tell everything: a day is looked at instead.
fn possible(what: What, over: Over) -> Over {
    match what {
        What::Targets(by) if !by.has_newest() && over == Over::Newest => Over::Span(DAY),
        _ => over,
    }
}

fn one_of<T: Copy>(
    key: &'static str,
    word: Option<&str>,
    all: &[(&str, T)],
) -> Result<Option<T>, WrongWord> {
    let Some(word) = word else { return Ok(None) };
    let found = all.iter().find(|(name, _)| *name == word);
    found.map(|(_, value)| Some(*value)).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        WrongWord { key, expected: names.join(", ") }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Asked, Over};

    fn read(words: &[(&str, &str)]) -> Result<Asked, String> {
        let words = words.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Asked::read(&words.collect::<HashMap<_, _>>()).map_err(|error| error.to_string())
    }

    #[test]
    fn words_are_read_or_the_expected_ones_are_told() {
        let asked = read(&[("by", "change"), ("line", "out"), ("n", "7"), ("q", "core")]).unwrap();
        assert_eq!((asked.over.word(), asked.most, &*asked.query), ("day", 7, "core"));
        assert_eq!(read(&[]).unwrap().over, Over::Newest);
        assert_eq!(read(&[("by", ""), ("span", "")]), read(&[]));
        for (key, value, expected) in [
            ("by", "size", "by: expected traffic, utilisation, errors"),
            ("span", "1d", "span: expected last, hour, day, week, month, year"),
            ("line", "3", "line: expected either, in, out"),
            ("measure", "p99", "measure: expected average, maximum, p95"),
            ("n", "0", "n: expected a number from 1 to 1000"),
        ] {
            let error = read(&[(key, value)]).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
