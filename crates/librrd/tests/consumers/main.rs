//! Programs of others' with our library in place of Debian's: what they say and do is compared with the same run on
//! Debian's.
#![allow(clippy::disallowed_methods)] // the oracles are processes

mod library;
mod symbols;
mod c_programs;
mod threads;
mod perl;
mod python;
mod munin;
mod daemon;
