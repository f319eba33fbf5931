//! What the page cache has of one file: how many pages, and which.

mod counts;
mod stretches;

pub(crate) use counts::count_in;
pub use counts::{Counts, States, count, count_of};
pub use stretches::{PageState, Stretch, stretches};

/// How the kernel is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By `cachestat(2)`, where it is there; otherwise by `mincore(2)`.
    Cachestat,
    /// By `cachestat(2)` alone: single pages are found without a mapping, which would move the
    /// access time of a file that is not open with `O_NOATIME`. [`Way::Cachestat`] does so for
    /// those.
    Counting,
    /// By a mapping and `mincore(2)`, as before Linux 6.5: it tells what is resident, and nothing
    /// of dirty or evicted pages.
    Mincore,
}
