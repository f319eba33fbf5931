//! The series of a store, for query languages: named by rules, found by labels and paths, read from
//! the best archive.
//!
//! ```text
//! store ── names ──▶ index: labels as columns, paths as a sorted tree
//!   │                  │
//!   │ outlines ──▶ layouts: which series a database has      matchers, paths ──▶ picks
//!   └─ rows ◀──────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The index has the names of all databases. It is made anew when the store told of changes, and in
//! the background when it is old. A
//! database's outline is read when a question first needs it.
#![allow(clippy::disallowed_methods)] // the age of an index is read from the clock

mod wrong_rule;
mod template;
mod rules;
mod texts;
mod column;
mod threads;
mod layout;
mod layouts;
mod changes;
mod index;
mod picks;
mod tree;
mod rows;
mod limits;
mod lookup;

pub use index::MoreLabels;
pub use limits::Limits;
pub use lookup::{Lookup, REFRESH_SECONDS};
pub use rules::{DATABASE_LABEL, Naming, Rules};
pub use wrong_rule::WrongRule;
