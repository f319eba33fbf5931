//! Looking at files: what is resident of each, reading without a trace, walks over many.
#![allow(clippy::disallowed_methods)] // the tests make files and start the programs they compare with

mod world;
mod residency;
mod peek;
mod survey;
mod settled;
