//! Repeats the reference's experiments on this machine, from set-up to verdict.
//!
//! ```text
//! Laboratory: disk, memory, readahead (testbed)
//!    Experiment ── Task ──▶ worker: updates of real files (store) ──▶ Told
//!        │  model, simulation (capacity) beside it
//!        '─▶ Outcome: CSV, plots, verdicts
//! ```
//!
//! An experiment is a function from a [`Laboratory`] to an [`Outcome`]. Updates that are measured
//! run in a process of its own, under a limit of memory if the experiment has one, and that process
//! counts what the kernel read for it. Two parts of `open` only read, and do so in this process.
//! Time in the network is simulated: cycles follow each other directly, and everything that the
//! kernel would have written back between them is written back.
#![allow(clippy::disallowed_methods)] // an edge: it sets up disks, starts workers and looks at the clock

mod experiment;
mod experiments;
mod laboratory;
mod layouts;
mod ways;
mod files;
mod cycle;
mod task;
mod worker;
mod growing;
mod updating;
mod crowd;
mod journal;
mod rrdtool;
mod system_calls;
mod simulated;
mod written;
mod outcome;
mod report;
mod verdict;
mod ratio;
mod plot;

pub use experiment::Experiment;
pub use experiments::EXPERIMENTS;
pub use laboratory::{Laboratory, Progress};
pub use outcome::{Outcome, Table};
pub use plot::Plot;
pub use verdict::{Agreement, Verdict};
pub use worker::{WORD as WORKER, main as worker_main};
