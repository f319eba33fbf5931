//! rrdcached's daemon: its protocol, options and sockets over gyre's stores.
//!
//! What a client says becomes a call of a [`Backend`], and what that gives becomes the reply. There
//! are two backends: a directory of `.rrd` files served in place, and a ring store.

mod backend;

pub use backend::{Backend, Creation, Failure, Flushed, Statistics, Update};
