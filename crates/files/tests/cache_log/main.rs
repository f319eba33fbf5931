//! The file cache's log: what it keeps, and what becomes of files after a crash.
#![allow(clippy::disallowed_methods)] // files that are torn on purpose

#[path = "../cases/mod.rs"]
mod cases;

mod head_check;
mod torn;
mod lives;
mod room;
mod together;
mod measure;
mod taken_over;
