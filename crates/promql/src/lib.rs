//! PromQL evaluated over series, and the bodies of Prometheus' HTTP API.
//!
//! A query is text that [`promql_parser`] reads. It is evaluated over the rows of a
//! [`series::Source`], for all steps of a range at once: a selector is read once, and each of its
//! series becomes one column of values. [`api`] has a function for each endpoint.
//!
//! # Where answers differ from Prometheus'
//!
//! | | Prometheus | here |
//! |---|---|---|
//! | a sample | what was scraped at its time | a known row, at the time at which its step ends |
//! | how far back a selector looks for a sample | 5 minutes | 5 minutes, or two steps of the rows if that is more |
//! | a range | as it is written | at least one step of the rows |
//! | the left end of a range or of that look back | belongs to it up to version 2 | does not, as in version 3: a row says what was before its end |
//! | `rate`, `increase`, `irate` of COUNTER, DERIVE and ABSOLUTE | as of any | rows are rates already: the average, that times the seconds of the range, the last; an "info" of the answer says so |
//! | native histograms | yes | an error: rows are numbers |

mod axis;
mod number;
mod error;
mod text;
mod context;
mod vector;
mod grouping;
mod select;
mod windows;
mod kernels;
mod regression;
mod operators;
mod matching;
mod sets;
mod aggregate;
mod rank;
mod mapping;
mod calendar;
mod relabel;
mod absent;
mod histogram;
mod arguments;
mod evaluate;
pub mod api;
mod remote;
pub mod remote_read;
pub mod remote_write;

pub use context::Limits;
pub use error::Failed;
pub use remote::WrongMessage;
