//! rrdcached's daemon: its protocol, options and sockets over gyre's stores.
//!
//! What a client says becomes a call of a [`store::Store`], and what that gives becomes the reply. Each connection has
//! a thread of its own, so that nobody waits for a client that is slow; [`program`] is the face of the
//! process, `gyre rrdcached` and rrdcached's own name.
#![allow(
    clippy::disallowed_methods,
    reason = "an edge: sockets, files, the clock, the environment"
)]

pub mod program;
mod options;
mod log;
mod shelf;
mod paths;
mod limits;
mod service;
mod session;
mod connection;
mod listen;
mod accept;
mod process;
