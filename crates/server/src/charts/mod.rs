//! Rows of targets and databases for charts: `/api/charts`, and the same as a table of text.
//!
//! ```text
//!  words of the URL -> asked -> subject (what a target or a database is called)
//!                        |
//!                        +---> read: store -> band (AVERAGE, MIN, MAX on one grid) -> chart
//!                                                                       chart -> json | csv
//! ```
//!
//! The rows are those of the archive that a graph would be drawn from: of those that reach back to
//! the start, the one whose rows are nearest to the asked number of points. Rows of a fine archive
//! are put together where there would be far more than that.

mod asked;
mod subject;
mod databases;
mod chart;
mod band;
mod read;
mod json;
mod csv;
mod answer;

pub(crate) use answer::{Asking, Finder, Form, answer};
pub(crate) use asked::Asked;
pub(crate) use chart::{Chart, ChartLine};
pub(crate) use databases::{Databases, Unread};
pub(crate) use read::{charts, function};
pub(crate) use subject::Subject;
