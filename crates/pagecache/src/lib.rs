//! The page cache made visible and used: residency of many files, advice, adaptive readahead.
//!
//! ```text
//!   names -> walk -> batches -> survey: threads open, look -> the caller, in the order of the walk
//!                                            residency: counts, stretches
//! ```
//!
//! Looking touches nothing: no page is read, no access time moves. What the kernel does not tell is
//! unknown, and never passes for resident.

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
