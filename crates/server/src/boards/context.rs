//! What the pages of boards are made from.

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::shelf::Shelf;
use crate::data::DataContext;
use crate::tree::TreeContext;
use crate::view::Context;

/// The inputs of the boards' router.
#[derive(Clone)]
pub struct BoardsContext {
    /// The pages that boards stand among.
    pub pages: BoardPages,
    /// The databases, and what answers queries.
    pub data: DataContext,
    /// The boards that are kept; `None` without a directory: then boards are only composed.
    pub shelf: Option<Arc<Shelf>>,
}

/// The pages that boards stand among.
#[derive(Clone)]
pub enum BoardPages {
    /// Those of the targets of a configuration.
    Targets(Context),
    /// Those of bare databases.
    Databases(TreeContext),
}

impl BoardPages {
    /// The time zone of pages.
    pub(super) fn zone(&self) -> &TimeZone {
        match self {
            Self::Targets(context) => &context.zone,
            Self::Databases(context) => &context.zone,
        }
    }

    /// The time of day, in seconds since 1970.
    pub(super) fn now_seconds(&self) -> i64 {
        match self {
            Self::Targets(context) => (context.now)(),
            Self::Databases(context) => (context.now)(),
        }
    }
}
