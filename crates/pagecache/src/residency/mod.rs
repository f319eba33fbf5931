//! The pages of one file in the page cache: how many, and which.

mod counts;
mod stretches;

pub(crate) use counts::count_in;
pub use counts::{Counts, States, count, count_of};
pub use stretches::{PageState, Stretch, stretches};

/// The system call that tells residency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `cachestat(2)` if it exists; otherwise `mincore(2)`.
    Cachestat,
    /// Only `cachestat(2)`: single pages are found without a mapping, which would change the access
    /// time of a file that is not open with `O_NOATIME`. [`Way::Cachestat`] does this for such
    /// files.
    Counting,
    /// A mapping and `mincore(2)`, as before Linux 6.5. It tells which pages are resident, but not
    /// which are dirty or were evicted.
    Mincore,
}
