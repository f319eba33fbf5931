//! Pages over databases that no configuration names: directories, and a page for each database.
//!
//! ```text
//!  GET /                              the top directory
//!      /dir/NAME                      a directory
//!      /db/NAME?span=week             a database: a chart of each data source
//!      /graph/NAME/SOURCE/week.svg    one graph; span.svg?start=...&end=... of any time
//!      /api/charts?d=NAME             rows for charts, as JSON
//!      /?q=WORDS  /api/search?q=WORDS  databases whose names have the words
//!      /store                        what the process counts
//!      /metrics                       what the process counts, for Prometheus
//! ```

mod pages;
mod graph;
mod rows;
mod seen;
mod metrics;
mod counts;
mod router;

use std::io;
use std::sync::Arc;

use jiff::tz::TimeZone;
use rrd::Stretch;
use rrd::fetch::Query;
use store::Outline;

pub use metrics::Metric;
pub(crate) use pages::around;
pub use router::tree_router;

use crate::finding::Names;
use crate::heard::Heard;

/// Databases whose names are relative paths; asked again for every page.
pub trait Tree: Send + Sync {
    /// The entries of a directory, in order: at most `limit` entries, beginning at `from`, which is
    /// the [`EntriesPage::next`] of the page before. The empty name means the top directory, and an
    /// empty `from` its first entry.
    ///
    /// # Errors
    ///
    /// There is no such directory.
    fn list(&self, directory: &str, from: &str, limit: usize) -> io::Result<EntriesPage>;

    /// The definition of a database, and the time of its last update.
    ///
    /// # Errors
    ///
    /// See [`Unanswered`].
    fn outline(&self, name: &str) -> Result<Outline, Unanswered>;

    /// The name that a database really has, where a name leads over links: `None` if it may not be
    /// reached, or is elsewhere.
    fn real_name(&self, name: &str) -> Option<String> {
        Some(name.to_owned())
    }

    /// The rows that answer a query, without those that no archive holds: a query may be of any
    /// length.
    ///
    /// # Errors
    /// See [`Unanswered`].
    fn fetch(&self, name: &str, query: &Query) -> Result<Stretch, Unanswered>;

    /// What the process that serves the databases counts.
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name within the directory.
    pub name: String,
    /// Whether it is a directory; otherwise it is a database.
    pub is_directory: bool,
}

/// Some entries of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntriesPage {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Where the next page begins; `None` after the last entry.
    pub next: Option<String>,
}

/// Why a database cannot be shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unanswered {
    /// It does not exist, or may not be seen.
    #[error("there is no such database")]
    Missing,
    /// None of its archives can be drawn.
    #[error("it has no archive of AVERAGE, LAST, MAX or MIN")]
    NotDrawable,
    /// Its graph is refused.
    #[error(transparent)]
    Graph(#[from] ::graph::Error),
    /// The store's error.
    #[error("{0}")]
    Told(String),
}

/// What the pages are made from.
#[derive(Clone)]
pub struct TreeContext {
    /// The databases.
    pub tree: Arc<dyn Tree>,
    /// The title in the head of every page.
    pub title: String,
    /// The name and version of the program.
    pub program: String,
    /// What became of what agents sent; `None` where none may send anything.
    pub heard: Option<Heard>,
    /// The names that a search finds; `None` where nothing is searched.
    pub names: Option<Names>,
    /// The time zone of pages and graphs.
    pub zone: TimeZone,
    /// The time of day, in seconds since 1970.
    pub now: fn() -> i64,
}

impl TreeContext {
    /// A context with the system's clock and time zone.
    #[must_use]
    pub fn new(tree: Arc<dyn Tree>, title: String, program: String) -> Self {
        let (zone, now) = (TimeZone::system(), crate::view::system_seconds);
        Self { tree, title, program, heard: None, names: None, zone, now }
    }
}
