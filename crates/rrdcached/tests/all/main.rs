//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../against_rrdcached.rs"]
mod against_rrdcached;
#[path = "../hostile_replies.rs"]
mod hostile_replies;
