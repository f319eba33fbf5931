//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../defaults.rs"]
mod defaults;
#[path = "../golden.rs"]
mod golden;
#[path = "../keys.rs"]
mod keys;
#[path = "../live.rs"]
mod live;
#[path = "../log_file.rs"]
mod log_file;
#[path = "../robustness.rs"]
mod robustness;
#[path = "../target_language.rs"]
mod target_language;
