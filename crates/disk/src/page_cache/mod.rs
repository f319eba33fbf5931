//! The page cache of one file: what it holds, advice about it, reads that leave it alone.

mod advice;
mod advise;
mod counts;
mod mapping;
mod shared_mapping;
mod uncached;

pub use advice::Advice;
pub use advise::write_anew;
pub use counts::CacheCounts;
pub use mapping::Mapping;
pub use shared_mapping::SharedMapping;

/// Bytes of a page of the kernel's.
#[must_use]
pub fn page_bytes() -> usize {
    rustix::param::page_size()
}
