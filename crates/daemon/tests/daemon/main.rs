//! The daemon as a process: its words against those of Debian's rrdcached, its sockets, and what
//! clients may do to it.
#![allow(clippy::disallowed_methods)] // it starts daemons and is their client

mod room;
mod transcript;
mod script;
mod random;
mod hostile;
mod bounds;
mod sockets;
mod life;
mod embedded;
mod idle;
mod together;
mod confined;
mod swapped;
mod creates;
mod given_up;
mod later;
mod calls;
mod entries;
mod store_group;
mod crowd;
mod crowd_tcp;
mod tokens;
mod authority;
mod encrypted;
