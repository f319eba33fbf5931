//! Files served in place, held against rrdtool.
#![allow(clippy::disallowed_methods)] // the tests read the files they compare

#[path = "../cases/mod.rs"]
mod cases;

mod absent;
mod basics;
mod bounds;
mod disk_image;
mod foreign;
mod forgotten;
mod power_cut;
mod random;
mod salvage;
mod threads;
mod world;
