//! Rows, and where they come from.

use rrd::Stretch;

use crate::extremes::Extremes;
use crate::origin::Origin;

/// The rows that answer all requests, in order.
pub(crate) struct Fetched {
    pub(crate) rows: Vec<Stretch>,
    pub(crate) origins: Vec<Origin>,
    /// The least and the greatest values of the same rows, if there are archives of them.
    pub(crate) extremes: Option<Extremes>,
}
