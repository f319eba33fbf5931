//! What is fed: which databases, which archives of them.

use rrd::ConsolidationFunction;

/// The functions that rows are made of, in the order of a table's columns.
pub const FUNCTIONS: [ConsolidationFunction; 4] = [
    ConsolidationFunction::Average,
    ConsolidationFunction::Min,
    ConsolidationFunction::Max,
    ConsolidationFunction::Last,
];

/// Which databases and archives are fed. Kept in `gyre_feed` as JSON.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// A beginning of names, or a pattern with `*`, `?`, `[`; empty for all databases.
    pub names: String,
    /// Lengths of rows, in seconds; empty for those of all archives.
    pub row_seconds: Vec<u64>,
    /// Functions, which must be of [`FUNCTIONS`]; empty for all.
    pub functions: Vec<ConsolidationFunction>,
}

impl Selection {
    /// All archives of all databases.
    #[must_use]
    pub const fn all() -> Self {
        Self { names: String::new(), row_seconds: Vec::new(), functions: Vec::new() }
    }

    /// Whether archives of this function and length of rows are fed.
    #[must_use]
    pub fn has(&self, function: ConsolidationFunction, row_seconds: u64) -> bool {
        let is_any_length = self.row_seconds.is_empty();
        let is_any_function = self.functions.is_empty();
        FUNCTIONS.contains(&function)
            && (is_any_function || self.functions.contains(&function))
            && (is_any_length || self.row_seconds.contains(&row_seconds))
    }
}
