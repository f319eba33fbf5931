//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../against_rrdtool.rs"]
mod against_rrdtool;
#[path = "../forecasts.rs"]
mod forecasts;
#[path = "../golden.rs"]
mod golden;
#[path = "../locks.rs"]
mod locks;
#[path = "../xml.rs"]
mod xml;
