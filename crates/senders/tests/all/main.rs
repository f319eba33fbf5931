//! All tests against what real senders sent. They are one program, as each takes its time to link.

#[path = "../collectd.rs"]
mod collectd;
#[path = "../pickle.rs"]
mod pickle;
#[path = "../statsd.rs"]
mod statsd;
