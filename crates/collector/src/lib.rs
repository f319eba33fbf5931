//! Polls many SNMP devices over few sockets on a schedule; readings out.
//!
//! ```text
//!  Plan ─▶ Scheduler (no socket, no clock) ─▶ DevicePoll, CycleReport ─▶ Sink
//!             ▲ datagrams, now │
//!             └──── Poller ◀───┘  the loop over a socket for each address family
//! ```
//!
//! A device that does not answer delays no other, a cycle starts on time whatever became of the
//! one before, and a restart of a device, a renumbered interface or a clock that jumps is told
//! with the readings it spoils. Nothing here knows where readings go: it is handed a [`Sink`].
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "an edge: sockets, name lookups and both clocks")]

mod plan;
mod report;
mod poller;
mod sockets;
mod resolver;
mod scheduler;
mod grid;
mod timers;
mod device;
mod poll;
mod chunk;
mod memory;
mod interfaces;
mod uptime;
mod stamp;
mod names;
mod cycles;

pub use names::Lookup;
pub use plan::{AnswersFrom, DevicePlan, Family, InterfaceReference, Name, Plan, Variable};
pub use poller::{Handle, Poller};
pub use report::{
    ClockStep, CycleReport, DevicePoll, Missing, Outcome, Reading, Sink, Traffic, Unfound,
};
pub use scheduler::{Outgoing, Output, Scheduler};
