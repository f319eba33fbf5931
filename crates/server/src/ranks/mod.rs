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

use ::ranks::{Jobs, Newest};

use crate::Catalogue;

pub(crate) use asked::{Asked, LINES, MEASURES, MOST_USUAL, Over, What};
pub(crate) use json::json;
pub(crate) use told::{Known, Row, Told, told};

/// What is kept between two requests.
#[derive(Default)]
pub(crate) struct Ranks {
    newest: Newest<Catalogue>,
    jobs: Jobs,
}
