//! What elements refer to while they are read.

use jiff::tz::TimeZone;
use rrd::rpn::Vocabulary;

use crate::row_length::RowLength;
use crate::time_window::TimeWindow;

/// What elements refer to while they are read.
pub(crate) struct Context<'a> {
    pub(crate) now_seconds: i64,
    pub(crate) zone: &'a TimeZone,
    pub(crate) window: TimeWindow,
    pub(crate) row_length: RowLength,
    /// The words of CDEF expressions.
    pub(crate) vocabulary: Vocabulary,
}
