//! rrdcached's daemon: its protocol, options and sockets over gyre's stores.
//!
//! What a client says becomes a call of a [`store::Store`], and what that gives becomes the reply.
//! Few threads serve all connections; one that has to wait for a disk or for a client serves that
//! client alone, so that no client waits for one that is slow.
//! [`Server`] does this in threads of the caller's process; [`program`] is a process of its own,
//! `gyre rrdcached` and rrdcached's own name.
#![allow(
    clippy::disallowed_methods,
    reason = "an edge: sockets, files, the clock, the environment"
)]

pub mod program;
mod brought;
mod guarded;
mod options;
mod log;
mod shelf;
mod known_paths;
mod paths;
mod limits;
mod admission;
mod terms;
mod service;
mod statistics;
mod session;
mod seats;
mod encryption;
mod stream;
mod output;
mod input;
mod clients;
mod client;
mod visit;
mod replies_together;
mod round;
mod commits;
mod arrivals;
mod door;
mod crew;
mod address;
mod sockets;
mod listen;
mod accept;
mod server;
mod at_store;
mod databases;
mod process;

pub use address::{Address, AddressError};
pub use admission::Access;
pub use at_store::{AtStore, AtStoreError};
pub use brought::{
    Agents, Brought, BroughtError, FeedTables, Feeding, HearAgents, Hearing, OpenPages, Opening,
    Pages, ReadAgents, ShowPages, Site, Tell,
};
pub use databases::Databases;
pub use encryption::Encryption;
pub use limits::Limits;
pub use listen::{ListenError, Listener, listen_at};
pub use log::{Level, Log};
pub use paths::Paths;
pub use process::group::UnknownGroup;
pub use server::Server;
pub use session::{NoCommand, Permissions};
pub use shelf::{EntriesPage, Entry, Failure, Kept};
pub use sockets::{Listening, SocketMisuse, Sockets, descriptors_per_client};
pub use statistics::{Counted, Statistic};
pub use terms::Terms;
