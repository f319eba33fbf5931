//! Samples of agents into a store.
//!
//! ```text
//! bytes ── senders ──▶ Batch: known series by the hash of their keys, new ones by their identity
//!                        │
//!                        ├─ new: Rules ──▶ layout ──▶ store.make, all at once
//!                        └─ all: store.update, once ──▶ Counts
//! ```
//!
//! What was taken is acknowledged as by any other update: once [`Intake::take`] returns, it is as
//! durable as the store promises. A sample that is not after the last one of its database is
//! counted and left out, for a sender would send it again for ever.

mod wrong_rule;
mod written;
mod pattern;
mod layout;
mod rules;
mod counts;
mod protocol;
mod reach;
mod changes;
mod known;
mod batch;
mod pace;
mod taking;
mod meeting;
mod rows;
mod engine;
mod settings;

pub use batch::Batch;
pub use counts::{Counts, Outcomes};
pub use engine::{Intake, Limits};
pub use layout::Layout;
pub use protocol::{Protocol, Tallies};
pub use rules::{Explained, Fate, Rules};
pub use settings::Settings;
pub use taking::Taking;
pub use written::Written;
pub use wrong_rule::WrongRule;
