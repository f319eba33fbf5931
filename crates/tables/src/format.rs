//! The formats by their names.

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a line of names (RFC 4180).
    Csv,
    /// The same with tabs.
    Tsv,
    /// One array of objects.
    Json,
    /// An object on each line.
    Ndjson,
    /// InfluxDB's line protocol; unknown values have no line.
    Line,
    /// A file of Arrow's IPC format.
    Arrow,
    /// A Parquet file.
    Parquet,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] =
        [Self::Csv, Self::Tsv, Self::Json, Self::Ndjson, Self::Line, Self::Arrow, Self::Parquet];

    /// The format's name, which is also how its files end.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Line => "line",
            Self::Arrow => "arrow",
            Self::Parquet => "parquet",
        }
    }

    /// The format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether this program was built with it.
    #[must_use]
    pub fn is_here(self) -> bool {
        cfg!(feature = "arrow") || !self.is_binary()
    }

    /// Whether its bytes are no text.
    #[must_use]
    pub fn is_binary(self) -> bool {
        matches!(self, Self::Arrow | Self::Parquet)
    }
}
