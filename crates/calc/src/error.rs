//! Why a calculation has no answer.

/// Why a calculation has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CalcError {
    /// The words are wrong, or what only data can show of them.
    #[error(transparent)]
    Graph(#[from] graph::Error),
    /// A database has no answer.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The rows of a percentile are longer than a step, and it was to be exact.
    #[error(
        "{name}: expected rows of one step of {step_seconds} s for an exact percentile, found rows \
         of {row_seconds} s"
    )]
    Inexact {
        /// The name of the VDEF.
        name: String,
        /// The database's step.
        step_seconds: f64,
        /// The length of the rows.
        row_seconds: f64,
    },
    /// Databases that are to be summed have rows of different lengths.
    #[error(
        "expected rows of {expected_seconds} s, as those of the databases before, found rows of \
         {found_seconds} s: give the DEF a step that all have"
    )]
    OtherRows {
        /// The length of the rows before.
        expected_seconds: f64,
        /// The length of these.
        found_seconds: f64,
    },
}

impl CalcError {
    /// The same once more.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Graph(error) => Self::Graph(error.clone()),
            Self::Store(error) => Self::Store(error.again()),
            Self::Inexact { name, step_seconds, row_seconds } => Self::Inexact {
                name: name.clone(),
                step_seconds: *step_seconds,
                row_seconds: *row_seconds,
            },
            Self::OtherRows { expected_seconds, found_seconds } => Self::OtherRows {
                expected_seconds: *expected_seconds,
                found_seconds: *found_seconds,
            },
        }
    }
}
