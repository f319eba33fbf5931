//! Boards: what is watched together, on a page or on a wall.
//!
//! ```text
//!  NAME.toml --reading--> Board --answering--> charts of curves --shown, plot--> HTML with SVG
//!     shelf                          targets, databases, queries
//! ```
//!
//! A board is drawn on the server, for the visitor who asks: of what he may not see, nothing is
//! told. Scripts keep it current and show what is under the pointer.

mod board;
mod span;
mod wrong;
mod reading;
mod shelf;
mod curve;
mod context;
mod asking;
mod of_charts;
mod of_targets;
mod of_databases;
mod of_queries;
mod answering;
mod scale;
mod stack;
mod plot;
mod shown;
mod pages;
mod composing;
mod keeping;
mod router;

pub use context::{BoardPages, BoardsContext};
pub use router::boards_router;
pub use shelf::{Checked, Shelf, WrongFile};
pub use wrong::{Fault, WrongBoard};
