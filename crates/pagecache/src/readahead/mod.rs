//! When and how far to read ahead of a reader: pure detectors and windows.
//!
//! ```text
//! read(offset, bytes) -> a known stream's?   -> its window: past the mark?  -> requests
//!                        else: runs, strides -> a stream is found           -> requests
//! evicted, resident, missing                 -> caps and silence
//! ```
//!
//! A reader of a file says each read to a [`Readahead`] *before* it, and does what it answers:
//! begin to read some pages, look whether others are still in memory. What it saw there it tells
//! back. There is no clock, no file and no system call here, so that the same policy serves a real
//! reader and a simulated page cache.
//!
//! A *stream* is something that reads on: forward, backward, or every so many bytes. Several may
//! share a file. Four reads make one, three in equal steps, two at the beginning of a file; reads
//! at random make none, and so ask for nothing.

mod parameters;
mod request;
mod access;
mod policy;
mod caps;
mod runs;
mod stride;
mod stream;
mod window;

pub use parameters::Parameters;
pub use policy::Readahead;
pub use request::{Purpose, Request};
