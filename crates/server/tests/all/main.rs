//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../browser.rs"]
mod browser;
#[path = "../charts.rs"]
mod charts;
#[path = "../data.rs"]
mod data;
#[path = "../found.rs"]
mod found;
#[path = "../gate.rs"]
mod gate;
#[path = "../known.rs"]
mod known;
#[path = "../look.rs"]
mod look;
#[path = "../pages.rs"]
mod pages;
#[path = "../top.rs"]
mod top;
#[path = "../used.rs"]
mod used;
#[path = "../writes.rs"]
mod writes;
