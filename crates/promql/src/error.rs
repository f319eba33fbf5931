//! Why a query has no answer.

use series::Unanswered;

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// A parameter of the request is missing or wrong.
    #[error("invalid parameter \"{name}\": {why}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What is wrong about it.
        why: String,
    },
    /// The query is no PromQL.
    #[error("invalid parameter \"query\": parse error: {why}")]
    Syntax {
        /// What is wrong about it.
        why: String,
    },
    /// The query is larger than is permitted.
    #[error("invalid parameter \"query\": expected at most {limit} {what}, found {count}")]
    TooComplex {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        limit: usize,
        /// How many there are.
        count: usize,
    },
    /// PromQL has it, and it is not here.
    #[error("{what} cannot be answered: {why}")]
    Unsupported {
        /// The function, operator or modifier.
        what: String,
        /// Why not.
        why: &'static str,
    },
    /// An argument that a function cannot take.
    #[error("{function}: expected {expected}, found {found}")]
    Argument {
        /// The function.
        function: String,
        /// What it expects.
        expected: &'static str,
        /// What it was given.
        found: String,
    },
    /// Two series of an answer have the same labels and a value at the same time.
    #[error("vector cannot contain metrics with the same labelset")]
    SameLabels,
    /// Several series of the side that may have only one match.
    #[error(
        "found duplicate series for the match group {group} on the {side} hand-side of the \
         operation: many-to-many matching not allowed: matching labels must be unique on one side"
    )]
    ManyToMany {
        /// The labels of the group.
        group: String,
        /// Which side.
        side: &'static str,
    },
    /// Several series of the left side match one of the right side.
    #[error(
        "multiple matches for labels: many-to-one matching must be explicit \
         (group_left/group_right)"
    )]
    ManyToOne,
    /// Grouped series cannot be told apart.
    #[error("multiple matches for labels: grouping labels must ensure unique matches")]
    GroupNotUnique,
    /// The answer would have more points for a series than is permitted.
    #[error(
        "exceeded maximum resolution of {limit} points per timeseries. Try decreasing the query \
         resolution (?step=XX)"
    )]
    TooFine {
        /// How many there may be.
        limit: usize,
    },
    /// Evaluation would make more values than is permitted.
    #[error(
        "query processing would load too many samples into memory in query execution: expected at \
         most {limit} values; ask for fewer series, a shorter time or a larger step"
    )]
    TooMuch {
        /// How many there may be.
        limit: u64,
    },
    /// The caller's deadline passed.
    #[error("query timed out in expression evaluation")]
    Timeout,
    /// The series cannot be read.
    #[error(transparent)]
    Source(#[from] Unanswered),
}

impl Failed {
    /// The kind of error that Prometheus' API names.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Parameter { .. } | Self::Syntax { .. } | Self::TooComplex { .. } => "bad_data",
            Self::TooFine { .. } | Self::Source(Unanswered::Pattern(_)) => "bad_data",
            Self::Unsupported { .. } | Self::Argument { .. } | Self::SameLabels => "execution",
            Self::ManyToMany { .. } | Self::ManyToOne | Self::GroupNotUnique => "execution",
            Self::TooMuch { .. } | Self::Source(Unanswered::TooMuch { .. }) => "execution",
            Self::Timeout => "timeout",
            Self::Source(_) => "internal",
        }
    }

    /// The status of HTTP that goes with it.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self.kind() {
            "bad_data" => 400,
            "execution" => 422,
            "timeout" => 503,
            _ => 500,
        }
    }
}
