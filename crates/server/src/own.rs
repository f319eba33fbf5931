//! What a program measures of itself: its series, what the machine has left, what could be better.

use std::sync::Arc;

/// What a program measures of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own {
    /// Its series, in the order of the page.
    pub series: Vec<OwnSeries>,
    /// What was found out about the machine; `None` before the first time.
    pub outlook: Option<Arc<Outlook>>,
}

/// A database of the program's own, whose sources have one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnSeries {
    /// Its name in URLs.
    pub key: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What its values are.
    pub about: &'static str,
    /// The unit after its numbers.
    pub unit: &'static str,
    /// The name of its database in the store.
    pub database: Arc<str>,
    /// Its data sources, at most three.
    pub sources: Vec<OwnSource>,
    /// Seconds between two values.
    pub step_seconds: u64,
}

/// A data source of such a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnSource {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub label: &'static str,
}

/// What was found out about the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// When, in seconds since 1970.
    pub found_seconds: i64,
    /// What the planner says is left, or why it says nothing.
    pub plan: Vec<String>,
    /// What could be better, by the doctor's checks.
    pub findings: Vec<OwnFinding>,
}

/// A finding of the doctor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFinding {
    /// The check.
    pub check: &'static str,
    /// How serious it is.
    pub state: &'static str,
    /// What was found.
    pub found: String,
    /// What to change: commands, and lines of files.
    pub change: Vec<String>,
    /// What that gains.
    pub gain: Option<String>,
}
