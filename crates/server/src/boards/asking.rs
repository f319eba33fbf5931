//! What values of panels are asked from, and why there may be none.

use std::time::{Duration, Instant};

use crate::data::DataContext;
use crate::view::View;
use crate::visitor::Visitor;

use super::curve::Window;

/// How long all panels of a board may take.
const BOARD_MAX: Duration = Duration::from_secs(20);

/// Why a panel shows no values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unshown {
    /// Nothing has that name, or may be seen.
    #[error("nothing found: {0}")]
    Nothing(String),
    /// The targets of a configuration are asked for, and there is none.
    #[error("target and find are for targets of a configuration, and there is none here")]
    NoTargets,
    /// A query is not answered, in the words of its language.
    #[error("{0}")]
    Query(String),
    /// A database has no data source of that name.
    #[error("{name} has no data source {source_name}")]
    NoSource {
        /// The database or target.
        name: String,
        /// The source that is asked for.
        source_name: String,
    },
    /// Nothing of it can be read.
    #[error("cannot be read: {0}")]
    Unread(String),
    /// The store does not answer.
    #[error("the store does not answer: {0}")]
    Store(String),
    /// The panels before took all the time.
    #[error("not asked for: the panels before took longer than {} s", BOARD_MAX.as_secs())]
    Late,
}

/// Asks for the values of the panels of one board.
pub(super) struct Asking<'a> {
    /// The targets that the visitor may see; `None` without a configuration.
    pub(super) view: Option<&'a View>,
    pub(super) data: &'a DataContext,
    pub(super) visitor: &'a Visitor,
    pub(super) window: Window,
    pub(super) begun: Instant,
}

impl Asking<'_> {
    /// Whether there is time for more.
    pub(super) fn goes_on(&self) -> bool {
        self.begun.elapsed() < BOARD_MAX
    }
}
