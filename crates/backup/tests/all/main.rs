//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../ring_damage.rs"]
mod ring_damage;
#[path = "../ring_live.rs"]
mod ring_live;
#[path = "../tree.rs"]
mod tree;
