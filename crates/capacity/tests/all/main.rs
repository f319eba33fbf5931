//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../cache.rs"]
mod cache;
#[path = "../model.rs"]
mod model;
#[path = "../policy.rs"]
mod policy;
#[path = "../reference.rs"]
mod reference;
#[path = "../scenario.rs"]
mod scenario;
#[path = "../trace.rs"]
mod trace;
#[path = "../trace_text.rs"]
mod trace_text;
