//! Decides when and how far to read ahead: detectors and windows, without I/O.
//!
//! ```text
//! read(offset, bytes) -> a known stream's?   -> its window: past the mark?  -> requests
//!                        else: runs, strides -> a stream is found           -> requests
//! evicted, resident, missing                 -> caps and silence
//! ```
//!
//! The reader of a file tells a [`Readahead`] about each read *before* it happens, and executes the
//! requests in the answer: begin to read some pages, or check whether others are still in memory.
//! It reports the result of a check. There is no clock, file or system call here, so a real reader
//! and a simulated page cache use the same policy.
//!
//! A *stream* is a series of reads that go forward, backward, or in equal steps. Several streams
//! may share a file. Four reads make a stream; three are enough in equal steps, and two at the
//! beginning of a file. Random reads make no stream, so nothing is read ahead for them.

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
