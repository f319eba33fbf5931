//! Inspecting files: the resident pages of each, reads that leave no trace, walks over many.
#![allow(clippy::disallowed_methods)] // the tests make files and start the programs they compare with

mod world;
mod residency;
mod peek;
mod survey;
mod settled;
