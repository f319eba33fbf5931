//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../axes.rs"]
mod axes;
#[path = "../documents.rs"]
mod documents;
#[path = "../golden.rs"]
mod golden;
#[path = "../interlaced.rs"]
mod interlaced;
#[path = "../pixels.rs"]
mod pixels;
#[path = "../properties.rs"]
mod properties;
#[path = "../rrdtool.rs"]
mod rrdtool;
#[path = "../shapes.rs"]
mod shapes;
#[path = "../ticks.rs"]
mod ticks;
