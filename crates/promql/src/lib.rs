//! PromQL evaluated over series, and the bodies of Prometheus' HTTP API.
//!
//! A query is text that [`promql_parser`] reads. It is evaluated over the rows of a
//! [`series::Source`], for all steps of a range at once: a selector is read once, and each of its
//! series becomes one column of values. [`api`] has a function for each endpoint.
//!
//! `docs/promql.md` tells where answers differ from Prometheus', and which functions there are.

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

pub use context::Limits;
pub use error::Failed;
pub use remote::WrongMessage;
