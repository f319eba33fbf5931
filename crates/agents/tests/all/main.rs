//! The sockets of agents over real stores: senders of the tests' own, and real ones.

#![allow(clippy::disallowed_methods)] // senders have sockets

mod world;
mod protocols;
mod statsd;
mod hostile;
mod ending;
mod trouble;
mod collectd;
mod python;
mod pace;
