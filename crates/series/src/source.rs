//! Who has the series.

use std::fmt::Debug;

use crate::{Labels, Matcher, Rows, Span, WrongPattern};

/// Answers which series there are and what they say.
///
/// Every call is bounded: one that would take more rows, series or time than the source permits is
/// refused by name, and takes little memory before it is.
pub trait Source: Send + Sync {
    /// The series whose labels meet all conditions, in no order, each with the rows of a window.
    ///
    /// # Errors
    ///
    /// [`Unanswered`].
    fn select(&self, matchers: &[Matcher], window: &Window) -> Result<Vec<Selected>, Unanswered>;

    /// The same without rows.
    ///
    /// # Errors
    /// As [`Source::select`].
    fn describe(&self, matchers: &[Matcher]) -> Result<Vec<Described>, Unanswered>;

    /// The names of all labels of the series that meet all conditions, sorted.
    ///
    /// # Errors
    /// As [`Source::select`].
    fn label_names(&self, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered>;

    /// The values that a label has in series that meet all conditions, sorted.
    ///
    /// # Errors
    /// As [`Source::select`].
    fn label_values(&self, label: &str, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered>;
}

/// Which rows of a series are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The stretch of time.
    pub span: Span,
    /// The step wished for, microseconds; 0 for the finest. As for a graph, the archive that reaches
    /// back to the start and comes nearest to it is read.
    pub step_micros: i64,
    /// Which consolidation function is read where the series does not say.
    pub preferred: Preferred,
}

/// Which consolidation function is read, where a database has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preferred {
    /// That of the series' name.
    #[default]
    Named,
    /// AVERAGE.
    Average,
    /// MIN.
    Minimum,
    /// MAX.
    Maximum,
    /// LAST.
    Last,
}

/// A series with rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// Its labels.
    pub labels: Labels,
    /// What its values are.
    pub kind: Kind,
    /// Its rows.
    pub rows: Rows,
}

/// A series without rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Its labels.
    pub labels: Labels,
    /// What its values are.
    pub kind: Kind,
    /// The finest step that it has, microseconds.
    pub step_micros: i64,
}

/// What the values of a series are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// As they were measured: GAUGE, and what COMPUTE calculates.
    Gauge,
    /// Rates for each second: COUNTER, DERIVE, DCOUNTER, DDERIVE and ABSOLUTE. A round robin
    /// database has not kept the counts.
    Rate,
}

/// Why a source does not answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// A pattern is wrong.
    #[error(transparent)]
    Pattern(#[from] WrongPattern),
    /// The answer would be too large.
    #[error(
        "expected at most {limit} {what}, and it would be {count}: ask for fewer series, a \
         shorter time or a coarser step"
    )]
    TooMuch {
        /// What there would be too many of.
        what: &'static str,
        /// How many there would be; the source stops counting soon after the limit.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The database cannot be read.
    #[error("{series}: {source}")]
    Unreadable {
        /// The database's name.
        series: String,
        /// The store's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(Box<dyn std::error::Error + Send + Sync>),
}
