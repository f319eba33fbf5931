//! A simulated network that answers real SNMP on loopback.
//!
//! ```text
//! (seed, device, port, direction, time) ── traffic ──▶ octets      a pure function, O(1)
//!                                            │
//! datagram ─▶ server ─▶ snmp::agent ─▶ mib ──┘        one thread, few sockets
//!               ▲
//!             faults, changed while it runs
//! ```
//!
//! Each device has an address of its own, `127.16.x.y`, and all use the same UDP port. So mrtg.cfg
//! can name a device by `community@host:port`, names and pages look like those of a real network,
//! and 127.0.0.0/8 has room for millions of devices. (Different ports on one address would be
//! limited to 64 thousand, and collide with ephemeral ports.) Nothing outside of loopback is
//! answered. Devices and ports follow from the seed when they are asked for: a port takes no memory.
//!
//! Traffic is a function of time only, so the same function answers polls now and fills databases
//! with the weeks before.
// This crate is an edge: it owns sockets, a thread and the waiting for slow devices.
#![allow(clippy::disallowed_methods)]

mod config;
mod network;
mod topology;
mod port;
mod traffic;
mod lots;
mod fault;
mod mib;
mod tally;
mod agents;
mod sockets;
mod delivery;
mod post;
mod shared;
mod server;
mod mrtg_config;

pub use config::{Config, Versions};
pub use fault::{BrokenBulk, BrokenWalk, Choice, Fault, FaultError, Item, Mending, Rule};
pub use mrtg_config::{MrtgSettings, MrtgVersion};
pub use network::{SimulatedNetwork, StartError, system_clock};
pub use port::{Port, Role};
pub use tally::Tally;
pub use topology::{Device, Health, Topology};
pub use traffic::{Direction, Traffic};
