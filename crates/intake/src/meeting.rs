//! What became of series that were not met before.

use std::sync::Arc;

use crate::known::Met;

/// A series of a batch that was not met before.
pub(crate) enum Meeting {
    Met(Arc<Met>),
    Forbidden,
    Unmade,
    /// None of its samples can be taken.
    Refused,
    /// The store could not make its database now.
    Failed,
}
