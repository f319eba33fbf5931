//! Polls many SNMP devices over few sockets on a schedule. Devices that are asked over TCP have a
//! connection each.
//!
//! ```text
//!  Plan ─▶ Scheduler (no socket, no clock) ─▶ DevicePoll, CycleReport ─▶ Sink
//!             ▲ datagrams, now │
//!             └──── Poller ◀───┘  the loop over a socket for each address family
//! ```
//!
//! A device that does not answer does not delay the others. A cycle starts on time even if the
//! cycle before is not over. A reading is marked if its difference to the one before is
//! meaningless: after a restart of the device, a renumbered interface or a jump of the clock.
//! Readings go to a [`Sink`] that the caller provides.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "an edge: sockets, name lookups and both clocks")]

mod plan;
mod report;
mod learnt;
mod poller;
mod sockets;
mod streams;
mod stream;
mod resolver;
mod scheduler;
mod slot;
mod grid;
mod rounds;
mod successors;
mod timers;
mod pause;
mod device;
mod poll;
mod todo;
mod walks;
mod chunk;
mod group;
mod cell_name;
mod pack;
mod memory;
mod known;
mod proof;
mod interfaces;
mod property;
mod uptime;
mod stamp;
mod names;
mod cycles;

pub use learnt::Learnt;
pub use names::Lookup;
pub use plan::{
    AnswersFrom, DevicePlan, Family, InterfaceReference, Name, Object, Plan, Sought, Transport,
    Variable, Walk,
};
pub use poller::{Handle, Poller};
pub use report::{
    ClockStep, CycleId, CycleReport, DevicePoll, Effort, Missing, Noisy, Outcome, Reading, Sink,
    Traffic, Unfound,
};
pub use scheduler::{Outgoing, Output, Scheduler};
pub use successors::predecessors;
