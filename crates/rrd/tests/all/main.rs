//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../attime_golden.rs"]
mod attime_golden;
#[path = "../attime_live.rs"]
mod attime_live;
#[path = "../extremes.rs"]
mod extremes;
#[path = "../rpn_moving.rs"]
mod rpn_moving;
#[path = "../rpn_oracle.rs"]
mod rpn_oracle;
#[path = "../spread.rs"]
mod spread;
