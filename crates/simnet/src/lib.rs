//! A simulated network that answers real SNMP on loopback.
//!
//! ```text
//! (seed, device, port, direction, time) ── traffic ──▶ octets      a pure function, O(1)
//!                                            │
//! datagram ─▶ server ─▶ snmp::agent ─▶ mib ──┘        one thread, a socket a device
//! ```
//!
//! Each device has an address of its own, `127.16.x.y`, and all use the same UDP port. So mrtg.cfg
//! can name a device by `community@host:port`, names and pages look like those of a real network,
//! and 127.0.0.0/8 has room for millions of devices. (Different ports on one address would be
//! limited to 64 thousand, and collide with ephemeral ports.) Nothing listens outside of loopback.
//!
//! Traffic is a function of time only, so the same function answers polls now and fills databases
//! with the weeks before.
#![forbid(unsafe_code)]
// This crate is an edge: it owns sockets, a thread and the waiting for slow devices.
#![allow(clippy::disallowed_methods)]

mod config;
mod network;
mod topology;
mod traffic;
mod lots;
mod mib;
mod server;
mod mrtg_config;

pub use config::Config;
pub use mib::DeviceMib;
pub use mrtg_config::MrtgSettings;
pub use network::{SimulatedNetwork, StartError, system_clock};
pub use topology::{Device, Health, Port, Role, Topology};
pub use traffic::{Direction, Traffic};
