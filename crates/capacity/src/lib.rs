//! Predicts how much memory and disk round robin databases need.
//!
//! [`trace`] generates the pages that updates touch, and [`trace_text`] is the file format of such
//! traces. [`cache`] simulates page caches, [`policy`] simulates readahead, and [`replay`] runs a
//! trace through both. [`scenario`] chooses policies by name. [`model`] calculates the results of a
//! simulation without running it. This crate is pure: it uses only the numbers that it is given,
//! and never asks the kernel.
#![forbid(unsafe_code)]

pub mod trace;
pub mod trace_text;
pub mod cache;
pub mod policy;
pub mod replay;
pub mod recording;
pub mod scenario;
pub mod model;
