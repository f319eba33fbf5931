//! What elements refer to while they are read.

use jiff::tz::TimeZone;
use rrd::rpn::Vocabulary;

/// What elements refer to while they are read.
pub(crate) struct Context<'a> {
    pub(crate) now_seconds: i64,
    pub(crate) zone: &'a TimeZone,
    pub(crate) start_seconds: i64,
    pub(crate) end_seconds: i64,
    pub(crate) step_seconds: u64,
    /// The words of CDEF expressions.
    pub(crate) vocabulary: Vocabulary,
}
