//! Arguments that ask for more than a machine has: each verb answers with one clear error or with a
//! bounded result, within a fixed amount of memory, and leaves stored data unchanged.
#![allow(clippy::disallowed_methods)] // the test starts programs and makes their files

mod place;
mod sizes;
mod answers;
mod graphs;
mod hostile_graphs;
mod reads;
mod open_files;
