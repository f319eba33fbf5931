//! A cache of files whose process is killed under load, and whose machine loses power: nothing that
//! was acknowledged may be lost, of no row and no state.
//!
//! The judge is rrdtool: an uninterrupted one updates its own files with exactly the samples that
//! were acknowledged, and ours are compared with them byte by byte.
#![allow(clippy::disallowed_methods)] // processes, and files that are torn on purpose

mod plan;
mod child;
mod judge;
mod kills;
