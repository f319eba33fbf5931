//! Values of one set of archives for another: what becomes of a database's rows when its archives
//! change, and what a new database takes over from others.
//!
//! * [`Change`] is what `tune` does to a database: sources and archives come and go, rings grow and
//!   shrink, the step is divided. New rows are filled from what other archives say of their time.
//! * [`prefill()`] gives a new database the past that others know.
//! * [`change_cells`] gives single cells other values.
//!
//! All work on whole databases in memory ([`crate::Snapshot`]). The first two follow rrdtool's
//! choices to the last bit: which archive a row is filled from, in which order values are summed up,
//! and what the rows in the making start from. Of a ring, rrdtool's answers sometimes depend on the
//! slot that its newest row has by chance; here the newest row is always the last one, as in every
//! file that rrdtool has written whole.

mod grid;
mod cell;
mod spread;
mod change;
mod structure;
mod references;
mod fill;
mod rebuild;
mod prefill;
mod resize;
mod cells;

pub use cells::{CellChange, change_cells, is_same};
pub use change::{Change, ChangeError, RowChange};
pub use prefill::{Past, PastError, prefill};
pub use resize::resize;
