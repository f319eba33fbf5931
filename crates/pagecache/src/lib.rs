//! Tools for the page cache: residency of many files, advice, adaptive readahead.
//!
//! ```text
//!   names -> walk -> batches -> survey: threads open, look -> the caller, in the order of the walk
//!                                            residency: counts, stretches
//! ```
//!
//! Inspection changes nothing: no page is read, and no access time changes. If the kernel does not
//! tell about a page, its state is unknown, never resident.

pub mod residency;
mod peek;
mod walk;
mod survey;
mod distribution;
mod watch;
pub mod advise;
mod settled;
pub mod readahead;
pub mod reader;

pub use distribution::Distribution;
pub use peek::peek;
pub use settled::Pages;
pub use survey::{Opened, Sighting, Survey, survey};
pub use walk::{Fault, WalkOptions};
pub use watch::{Churn, Watch};
