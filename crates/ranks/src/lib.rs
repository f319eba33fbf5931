//! The first of many databases: by their newest rates, and by what their rows say over a span.
//!
//! ```text
//!                       ┌─▶ Newest: a table of the newest rates, 12 bytes a database ──▶ Ranking
//! Subjects, Store ──▶ sweep                                                                ▲
//!                       └─▶ Jobs: one question over a span at a time ──────────────────────┘
//! ```
//!
//! A [`Subjects`] says what is ranked: a million of targets, made when they are asked for. `sweep`
//! reads their rows on every core, some thousand databases at a time, so that pages that databases
//! share are read once. A [`Best`] keeps the first of them: the rows themselves are not kept.
//!
//! [`Newest`] answers from memory. Its table is read again in the background while somebody asks.
//! [`Jobs`] answers questions that have to read rows. It works on one question at a time, shares the
//! answer, and leaves a question that nobody waits for.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods)] // the age of a table is read from the clock

mod best;
mod subject;
mod question;
mod figures;
mod ranking;
mod sweep;
mod table;
mod newest;
mod span;
mod jobs;

pub use best::Best;
pub use figures::{Figures, percentile_95};
pub use jobs::{Answer, Jobs, Work};
pub use newest::{Asked, Newest, Reading};
pub use question::{By, Line, Measure, Question, Span};
pub use ranking::{MOST, Ranked, Ranking};
pub use span::rank_span;
pub use subject::{Kind, Subject, Subjects, Traits};
pub use sweep::Progress;
pub use table::Table;
