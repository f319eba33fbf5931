//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../against_graphite_web.rs"]
mod against_graphite_web;
#[path = "../answers.rs"]
mod answers;
#[path = "../over_carbon.rs"]
mod over_carbon;
