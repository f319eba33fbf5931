//! Runs programs in bounds: until a deadline, with so much output, so many side by side.
//!
//! ```text
//!  Program ─▶ run ─▶ Outcome              the caller's thread waits
//!
//!  Program ─▶ Runner ─▶ waiting ─▶ threads, each in `run` ─▶ a function of the caller
//! ```
//!
//! A program gets a process group of its own. At its deadline the whole group is killed, so that
//! what a shell started goes with it. Standard input is empty.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "an edge: processes and the clock")]

mod program;
mod output;
mod cut;
mod running;
mod runner;

pub use program::{Command, Ended, Outcome, Output, Program, RunError};
pub use runner::{Full, Runner};
pub use running::run;
