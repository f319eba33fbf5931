//! Pages over databases that no configuration names: directories, and a page for each database.
//!
//! ```text
//!  GET /                              the top directory
//!      /dir/NAME                      a directory
//!      /db/NAME?period=week           a database: a graph of each data source
//!      /graph/NAME/SOURCE/week.svg    one graph
//! ```

mod pages;
mod graph;
mod router;

use std::io;
use std::sync::Arc;

use jiff::tz::TimeZone;
use rrd::Series;
use rrd::fetch::Query;
use store::Outline;

pub use router::tree_router;

/// Databases by names that are relative paths; asked anew for every page.
pub trait Tree: Send + Sync {
    /// What is in a directory, in order: at most so many entries, from a place in the order on, as
    /// [`EntriesPage::next`] has it. The top directory is the empty name, and so is the first
    /// place.
    ///
    /// # Errors
    /// There is no such directory.
    fn list(&self, directory: &str, from: &str, limit: usize) -> io::Result<EntriesPage>;

    /// What a database holds, and when its last update was.
    ///
    /// # Errors
    /// See [`Unanswered`].
    fn outline(&self, name: &str) -> Result<Outline, Unanswered>;

    /// The rows that answer a query.
    ///
    /// # Errors
    /// See [`Unanswered`].
    fn fetch(&self, name: &str, query: &Query) -> Result<Series, Unanswered>;
}

/// One line of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name in the directory.
    pub name: String,
    /// Whether it is a directory, and else a database.
    pub is_directory: bool,
}

/// Some lines of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntriesPage {
    /// The lines.
    pub entries: Vec<Entry>,
    /// The place of those that follow; `None` behind the last.
    pub next: Option<String>,
}

/// Why a database does not answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unanswered {
    /// There is none, or none that may be seen.
    #[error("there is no such database")]
    Missing,
    /// None of its archives can be drawn.
    #[error("it has no archive of AVERAGE, LAST, MAX or MIN")]
    NotDrawable,
    /// Its graph is refused.
    #[error(transparent)]
    Graph(#[from] ::graph::Error),
    /// The store's words.
    #[error("{0}")]
    Told(String),
}

/// What the pages are made from.
#[derive(Clone)]
pub struct TreeContext {
    /// The databases.
    pub tree: Arc<dyn Tree>,
    /// What the databases are called together, for the head of every page.
    pub title: String,
    /// What runs, with its version.
    pub program: String,
    /// The time zone of pages and graphs.
    pub zone: TimeZone,
    /// The time of day, in seconds since 1970.
    pub now: fn() -> i64,
}

impl TreeContext {
    /// A context that lives by the system's clock and time zone.
    #[must_use]
    pub fn new(tree: Arc<dyn Tree>, title: String, program: String) -> Self {
        Self { tree, title, program, zone: TimeZone::system(), now: crate::view::system_seconds }
    }
}
