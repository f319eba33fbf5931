//! The page cache of one file: resident pages, advice, and reads that do not change the cache.

mod advice;
mod advise;
mod counts;
mod mapping;
mod shared_mapping;
mod page_buffer;
mod uncached;

pub use advice::Advice;
pub use advise::write_anew;
pub use counts::CacheCounts;
pub use mapping::Mapping;
pub use page_buffer::PageBuffer;
pub use shared_mapping::SharedMapping;

/// The kernel's page size.
#[must_use]
pub fn page_bytes() -> usize {
    rustix::param::page_size()
}
