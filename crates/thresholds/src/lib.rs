//! Decides whom to tell when a target's value passes a limit. This crate is pure.
//!
//! ```text
//!  values of the last step ─▶ Verdict ─▶ Act: the mark to make or to take away,
//!  marks of broken limits ────┘           the program to call, the mail to send
//!
//!  mail ─▶ Dialogue (no socket) ─▶ lines to the server ◀─▶ its replies
//!
//!  broken limits ─▶ alerts ─▶ bodies for Alertmanager and webhooks
//!
//!  readings ─▶ graphite ─▶ lines of Graphite's plain text protocol
//! ```
//!
//! Which value breaks a limit, what a program is told and what a mail says is known from running
//! MRTG 2.17.10; gyre's test `run_snmpd` compares both programs cycle by cycle. Two of its habits
//! are kept on purpose. With ThreshDir, ThreshHyst has no effect. Without ThreshDir, a limit is told
//! in every cycle in which it is broken, but with ThreshHyst only as long as the value is less than
//! that share beyond the limit.
#![forbid(unsafe_code)]

mod limit;
mod check;
mod message;
mod dialogue;
pub mod graphite;
pub mod alerts;

pub use check::{Act, Call, Mail, Mark, Values, Verdict, Watch, verdicts};
pub use dialogue::{Dialogue, DialogueError, Step};
pub use limit::{Bound, Kind, LimitId, Side};
