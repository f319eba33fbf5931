//! What gives a database another structure, gyre against Debian's rrdtool: `tune`, `resize`, and
//! `create` from other databases. Random definitions, updates and commands; after each the files
//! must be equal, but for what rrdtool leaves to chance or to the memory it happens to get.
//!
//! `GYRE_CASES` says how many cases to try, `GYRE_SEED` where to start.
#![allow(clippy::disallowed_methods)] // the test reads the files it compares

mod chance;
mod shape;
mod pair;
mod image;
mod tune;
mod resize;
mod sources;
mod ring;
mod faults;
