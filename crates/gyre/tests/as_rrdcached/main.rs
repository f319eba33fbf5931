//! The tests of gyre as rrdcached, and as its client.
//!
//! They are one program: each program of these links all of gyre.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../rrdcached_client.rs"]
mod rrdcached_client;
#[path = "../rrdcached_daemon.rs"]
mod rrdcached_daemon;
#[path = "../rrdcached_kill.rs"]
mod rrdcached_kill;
#[path = "../rrdcached_random.rs"]
mod rrdcached_random;
#[path = "../rrdcached_web.rs"]
mod rrdcached_web;
#[path = "../rrdcached_visitors.rs"]
mod rrdcached_visitors;
#[path = "../graph_daemon.rs"]
mod graph_daemon;
#[path = "../journal_salvage.rs"]
mod journal_salvage;
#[path = "../grafana.rs"]
mod grafana;
