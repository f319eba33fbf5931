//! Random definitions of graphs through the pipe mode of both programs: what they print, list and
//! tell of their pictures must be the same.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

mod random;
mod pair;
mod database;
mod graph;
mod values;
mod look;
mod facts;
