//! What a board is: rows of panels.

/// The most bytes of a board's text.
pub(super) const TEXT_BYTES_MAX: usize = 64 << 10;
/// The most panels of a board.
pub(super) const PANELS_MAX: usize = 100;
/// The most targets, databases or series of a panel.
pub(super) const SUBJECTS_MAX: usize = 100;
/// The most bytes of a title, a name or a query.
pub(super) const WORDS_BYTES_MAX: usize = 4096;

/// A board: what is shown together, on one page or one screen.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(super) struct Board {
    pub(super) title: String,
    /// How often its values are asked for again, in seconds.
    pub(super) refresh_seconds: u64,
    /// How much time its charts show, in seconds.
    pub(super) span_seconds: u64,
    pub(super) rows: Vec<Row>,
}

/// Panels side by side.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(super) struct Row {
    pub(super) title: Option<String>,
    pub(super) panels: Vec<Panel>,
}

/// A chart, a number, or bars; or one for each of several targets.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(super) struct Panel {
    pub(super) title: Option<String>,
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) kind: Kind,
    /// Only this data source; all of them without.
    pub(super) source: Option<String>,
    /// At most so many targets, databases or series.
    pub(super) first: usize,
    /// Whether each target or database has a chart of its own.
    pub(super) each: bool,
    /// By which number bars are ordered, and what numbers tell.
    pub(super) by: By,
    /// The unit of values, where it is not the target's own.
    pub(super) unit: Option<String>,
    /// The height of its charts, in pixels.
    pub(super) height_pixels: u32,
    /// How many columns of its row it takes.
    pub(super) width: u8,
}

/// What a panel is about.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Subject {
    /// Targets by their names, or by patterns of them.
    #[serde(rename = "target")]
    Targets(Vec<String>),
    /// The targets that have these words, as a search finds them.
    #[serde(rename = "find")]
    Found(String),
    /// Databases by their names, or by patterns of them.
    #[serde(rename = "database")]
    Databases(Vec<String>),
    /// A query in Prometheus' language.
    PromQl(String),
    /// A target of Graphite's language.
    Graphite(String),
}

/// How values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// A line for each.
    Lines,
    /// Areas on top of one another.
    Stack,
    /// The newest number of each.
    Number,
    /// A bar for each, the largest first.
    Bars,
}

/// One number of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    /// The newest one.
    Last,
    /// Their average.
    Average,
    /// The largest one.
    Maximum,
}

impl Board {
    /// All panels, row by row.
    pub(super) fn panels(&self) -> impl Iterator<Item = &Panel> {
        self.rows.iter().flat_map(|row| &row.panels)
    }
}

impl Subject {
    /// The words by which a panel without a title is called.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Targets(names) | Self::Databases(names) => names.join(", "),
            Self::Found(words) => words.clone(),
            Self::PromQl(query) | Self::Graphite(query) => query.clone(),
        }
    }
}
