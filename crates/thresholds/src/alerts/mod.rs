//! Broken limits as alerts, for Alertmanager and for what people have behind it.
//!
//! ```text
//!  verdicts of each step ─▶ Standing ─▶ its alerts ─▶ Outbox of a receiver: which are due
//!                                                          ├─▶ alertmanager: POST /api/v2/alerts
//!                                                          └─▶ webhook: groups, format version 4
//! ```
//!
//! A receiver is told states, not events: it gets what stands when it can be reached, so nothing has
//! to wait in a queue for it.

mod alert;
mod standing;
mod outbox;
pub mod alertmanager;
pub mod webhook;

pub use alert::{About, Alert, AlertId, Course};
pub use outbox::Outbox;
pub use standing::{ALERTS_MAX, RETAINED, Seen, Standing};
