//! The test programs of the workspace: cargo builds them, and several run at the same time.
//!
//! `cargo test` runs one after the other. Many of them wait for most of their time, for a disk or
//! for servers, and leave the processors idle meanwhile.

mod programs;
mod apart;
mod order;
mod running;

#[cfg(test)]
pub(crate) use apart::APART;
pub(crate) use programs::build;
pub(crate) use running::run_all;
