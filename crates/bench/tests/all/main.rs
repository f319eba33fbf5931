//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../capacity.rs"]
mod capacity;
#[path = "../daemon.rs"]
mod daemon;
#[path = "../fincore.rs"]
mod fincore;
#[path = "../plan.rs"]
mod plan;
#[path = "../query.rs"]
mod query;
#[path = "../readahead.rs"]
mod readahead;
#[path = "../store.rs"]
mod store;
