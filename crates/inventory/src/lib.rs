//! Finds out which databases exist or are planned: how many of which layout, and where.
//!
//! ```text
//! tree of .rrd files ── some of them looked into ─┐
//! ring store ── a copy of its catalogue ──────────┼──▶ layouts: (definition, databases), most first
//! mrtg.cfg ── what MRTG would make of its targets ┤
//! DS:... RRA:..., one file, MRTG's own layout ────┘
//! ```
//!
//! `gyre plan` and `gyre doctor` use this crate. It locks and writes nothing, and does not ask the
//! process that has the databases open.

mod layouts;
mod given;
mod one;
mod tree;
mod walk;
mod head;
mod ring;
mod configuration;

pub use configuration::{Configured, RING_DIRECTORY, Targets};
pub use given::Given;
pub use layouts::{Layouts, Tally};
pub use one::{mrtgs_layout, of_file, of_words};
pub use ring::Ring;
pub use tree::{Sample, Tree};
