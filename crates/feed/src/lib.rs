//! Feeds the final rows of a store into the ring tables of a database ([`sqlring`]).
//!
//! ```text
//!  updates ─▶ store ──(names)──▶ Changes: a bit for each database
//!                │                   │
//!                │ rows_since(mark)  ▼
//!                └──────────────▶ Feeder ─▶ one transaction: rows, and the marks behind them
//! ```
//!
//! There is no queue of rows. [`Changes`] only knows *which* databases have news; what is new is
//! read from the store, from the mark that was committed with the rows before. So a database that
//! is away costs no memory, and what it missed is read again from the rings when it is back.
#![allow(clippy::disallowed_methods)] // it has the clock, and a lock beside SQLite's file

mod error;
mod ask;
mod origin;
mod changes;
mod creation;
mod lease;
mod books;
mod load;
mod registry;
mod trash;
mod opening;
mod visit;
mod batch;
mod tally;
mod feeder;
mod following;
mod thread;
mod status;
mod verify;

pub use changes::Changes;
pub use creation::{Created, Plan, create, drop_all, plan};
pub use error::Error;
pub use feeder::{Feeder, Progress};
pub use following::Paces;
pub use origin::Origin;
pub use status::{RingStatus, Status, status};
pub use tally::Tally;
pub use thread::{FeedThread, FeedWatch, Health, StartError, TellHealth};
pub use verify::{Difference, Verified, verify};
