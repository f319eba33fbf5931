//! How much memory and disk round robin databases need, before they are bought.
//!
//! [`trace`] tells which pages updates touch ([`trace_text`] is such a trace as a file); [`cache`]
//! what a page cache makes of them, [`policy`] what is read ahead of them, and [`replay`] runs all
//! three; [`scenario`] chooses them by name. [`model`] says without a simulation what one would
//! count. This crate is pure: what it says of a machine follows from numbers that it is given; it
//! never asks the kernel.
#![forbid(unsafe_code)]

pub mod trace;
pub mod trace_text;
pub mod cache;
pub mod policy;
pub mod replay;
pub mod recording;
pub mod scenario;
pub mod model;
