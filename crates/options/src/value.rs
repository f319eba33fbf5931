//! The value of an option of gyre's own verbs. Each error is one line that names the option and
//! what it expects.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::{Misuse, size};

/// The value of an option.
#[derive(Clone, Debug)]
pub struct Value {
    option: &'static str,
    text: OsString,
}

impl Value {
    pub(crate) fn new(option: &'static str, text: OsString) -> Self {
        Self { option, text }
    }

    /// The value unchanged.
    #[must_use]
    pub fn as_os_str(&self) -> &OsStr {
        &self.text
    }

    /// The name of a file.
    #[must_use]
    pub fn path(self) -> PathBuf {
        self.text.into()
    }

    /// The error for a value other than `expected`.
    #[must_use]
    pub fn wrong(&self, expected: impl Into<Cow<'static, str>>) -> Misuse {
        Misuse::value(self.option, expected, &self.text)
    }

    /// Text in UTF-8.
    ///
    /// # Errors
    ///
    /// The value is not UTF-8.
    pub fn text(&self) -> Result<&str, Misuse> {
        self.text.to_str().ok_or_else(|| self.wrong("text"))
    }

    /// The value parsed as an `N`, which the error calls `expected`.
    ///
    /// # Errors
    ///
    /// The parser refuses it.
    pub fn parsed<N: FromStr>(&self, expected: &'static str) -> Result<N, Misuse> {
        self.text.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| self.wrong(expected))
    }

    /// An integer within bounds.
    ///
    /// # Errors
    ///
    /// The value is not an integer, or is out of bounds.
    pub fn number(&self, range: RangeInclusive<u64>) -> Result<u64, Misuse> {
        let found = self.text.to_str().and_then(|text| text.parse().ok());
        found.filter(|number| range.contains(number)).ok_or_else(|| {
            self.wrong(match (*range.start(), *range.end()) {
                (1, u64::MAX) => "a number above zero".into(),
                (least, u64::MAX) => format!("a number from {least}"),
                (least, most) => format!("a number from {least} to {most}"),
            })
        })
    }

    /// The same with 32 bits.
    ///
    /// # Errors
    ///
    /// As for [`Self::number`].
    pub fn number_u32(&self, range: RangeInclusive<u32>) -> Result<u32, Misuse> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        self.number(range).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// A positive number, which may have a fraction.
    ///
    /// # Errors
    ///
    /// The value is not such a number.
    pub fn amount(&self) -> Result<f64, Misuse> {
        let found = self.text.to_str().and_then(|text| text.parse::<f64>().ok());
        let found = found.filter(|number| number.is_finite() && *number > 0.0);
        found.ok_or_else(|| self.wrong("a number above zero"))
    }

    /// Seconds, which may have a fraction.
    ///
    /// # Errors
    ///
    /// The value is not a number, or is out of bounds.
    pub fn seconds(&self, range: RangeInclusive<f64>) -> Result<Duration, Misuse> {
        let found = self.text.to_str().and_then(|text| text.parse().ok());
        let found = found.filter(|seconds| range.contains(seconds)).map(Duration::from_secs_f64);
        found
            .ok_or_else(|| self.wrong(format!("seconds from {} to {}", range.start(), range.end())))
    }

    /// A positive number of bytes in the forms of [`size::bytes`].
    ///
    /// # Errors
    ///
    /// The value is not such a number.
    pub fn bytes(&self) -> Result<u64, Misuse> {
        let found = self.text.to_str().and_then(size::bytes).filter(|bytes| *bytes > 0);
        found.ok_or_else(|| self.wrong("bytes, or K, M, G or T of them"))
    }

    /// A positive integer of MiB, in bytes.
    ///
    /// # Errors
    ///
    /// The value is not such a number.
    pub fn mebibytes(&self) -> Result<u64, Misuse> {
        let number = self.text.to_str().and_then(|text| text.parse::<u64>().ok());
        let bytes =
            number.filter(|number| *number > 0).and_then(|number| number.checked_mul(1 << 20));
        bytes.ok_or_else(|| self.wrong("a number of MiB above zero"))
    }

    /// The meaning of one of some names.
    ///
    /// # Errors
    ///
    /// The value is not one of them.
    pub fn one_of<T: Copy>(
        &self,
        names: &[(&'static str, T)],
    ) -> Result<(&'static str, T), Misuse> {
        named(self.text.to_str(), names).ok_or_else(|| self.wrong(list_of(names)))
    }

    /// The meanings of some of these names, separated by commas.
    ///
    /// # Errors
    ///
    /// One is not among them.
    pub fn list<T: Copy>(
        &self,
        names: &[(&'static str, T)],
    ) -> Result<Vec<(&'static str, T)>, Misuse> {
        let find = |word: &str| {
            let unknown = || Misuse::value(self.option, list_of(names), OsStr::new(word));
            named(Some(word), names).ok_or_else(unknown)
        };
        self.text()?.split(',').map(find).collect()
    }

    /// The error for a value of the right kind that cannot be used.
    #[must_use]
    pub fn unusable(&self, reason: impl Display) -> Misuse {
        Misuse::option(self.option, reason)
    }
}

fn named<T: Copy>(word: Option<&str>, names: &[(&'static str, T)]) -> Option<(&'static str, T)> {
    names.iter().find(|(name, _)| Some(*name) == word).copied()
}

fn list_of<T>(names: &[(&'static str, T)]) -> String {
    names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::Value;

    fn value(text: &str) -> Value {
        Value::new("o", text.into())
    }

    #[test]
    fn numbers_lie_within_their_bounds() {
        assert_eq!(value("7").number(1..=9), Ok(7));
        assert_eq!(value("7").number_u32(1..=7), Ok(7));
        let words = |misuse: Result<u64, crate::Misuse>| misuse.unwrap_err().to_string();
        let bounds = words(value("0").number(1..=9));
        assert_eq!(bounds, "--o: expected a number from 1 to 9, found 0");
        let above_zero = words(value("x").number(1..=u64::MAX));
        assert_eq!(above_zero, "--o: expected a number above zero, found x");
    }

    #[test]
    fn amounts_and_sizes_are_above_zero() {
        assert_eq!(value("0.25").amount(), Ok(0.25));
        assert_eq!(value("4K").bytes(), Ok(4096));
        assert_eq!(value("2").mebibytes(), Ok(2 << 20));
        for wrong in ["0", "-1", "nan", "inf", "", "1,5"] {
            let error = value(wrong).amount().unwrap_err().to_string();
            assert!(error.starts_with("--o: expected a number above zero, found"), "{error}");
            assert!(value(wrong).bytes().is_err() && value(wrong).mebibytes().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_those_of_a_table() {
        let names = [("a", 1), ("b", 2)];
        assert_eq!(value("b").one_of(&names), Ok(("b", 2)));
        assert_eq!(value("b,a").list(&names), Ok(vec![("b", 2), ("a", 1)]));
        let error = value("b,c").list(&names).unwrap_err().to_string();
        assert_eq!(error, "--o: expected a, b, found c");
    }
}
