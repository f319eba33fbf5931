//! The first targets of all: by traffic, by utilisation, by change; and those to look after.
//!
//! ```text
//! words of a request ─▶ Asked ─┬─▶ the table of newest rates ─┬─▶ Told ─▶ page, JSON
//!                              └─▶ a job over a span ─────────┘
//! ```

mod kinds;
mod subjects;
mod filter;
mod asked;
mod told;
mod json;

pub(crate) use asked::{Asked, LINES, MEASURES, MOST_USUAL, Over, What};
pub(crate) use json::json;
pub(crate) use told::{Known, Row, Told, told};
