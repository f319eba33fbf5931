//! `gyre calc` and the tables of `gyre export`: calculation on the rows of one database or of many,
//! and rows as tables for other programs.
//!
//! ```text
//!   words ──▶ graph::RowsPlan ──▶ Source: rows of each database, a party at a time on every core
//!         ──▶ Outcome, in the order of names ──▶ text, JSON, a table; or the sum, or the top
//! ```
//!
//! Rows are read where they lie: no rrdcached is asked. Memory holds the rows of a few databases for
//! each core, however many there are.
#![allow(clippy::disallowed_methods)] // an edge: it writes files

mod each;
mod error;
mod origin;
mod fetched;
mod source;
mod extremes;
mod outcome;
mod total;
mod in_order;
mod top;
mod told;
mod as_json;
mod as_rows;
mod unfinished;
mod parts;

pub use as_json::json;
pub use as_rows::{micros, put_columns};
pub use each::Each;
pub use error::CalcError;
pub use in_order::{Watch, in_order};
pub use origin::Origin;
pub use outcome::{Coarse, Outcome, Summed};
pub use parts::{Manifest, PartError, Parts};
pub use source::Source;
pub use told::text;
pub use top::{By, Ranked, Top};
pub use total::Total;
pub use unfinished::Unfinished;
