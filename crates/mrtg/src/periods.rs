//! `Unscaled[]`, `WithPeak[]` and `Suppress[]`: sets of the four graphs.

/// One of MRTG's four graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Period {
    Day,
    Week,
    Month,
    Year,
}

/// A set of [`Period`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Periods {
    /// The daily graph is in the set.
    pub day: bool,
    /// The weekly graph.
    pub week: bool,
    /// The monthly graph.
    pub month: bool,
    /// The yearly graph.
    pub year: bool,
}

impl Periods {
    /// Whether the set has this period.
    #[must_use]
    pub const fn has(self, period: Period) -> bool {
        match period {
            Period::Day => self.day,
            Period::Week => self.week,
            Period::Month => self.month,
            Period::Year => self.year,
        }
    }

    /// Parses the letters d, w, m, y anywhere in the value; n alone is the empty set. `None` if
    /// there is none of these letters: MRTG refuses that. Capitals count like small letters (MRTG
    /// accepts them, but then ignores them).
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        let has = |letter: u8| value.iter().any(|byte| byte.eq_ignore_ascii_case(&letter));
        let set = Self { day: has(b'd'), week: has(b'w'), month: has(b'm'), year: has(b'y') };
        (set != Self::default() || has(b'n')).then_some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_a_set() {
        let set = Periods::parse(b"ymD").unwrap();
        assert!(set.has(Period::Day) && set.has(Period::Month) && set.has(Period::Year));
        assert!(!set.has(Period::Week));
        assert_eq!(Periods::parse(b"n"), Some(Periods::default()));
        assert_eq!(Periods::parse(b"q"), None);
    }
}
