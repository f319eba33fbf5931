//! Programs of others' with our library in place of Debian's: what they say and do is compared with
//! the same run on Debian's.
#![allow(clippy::disallowed_methods)] // the oracles are processes

mod library;
mod symbols;
mod c_programs;
mod threads;
mod databases;
mod perl;
mod python;
mod lua_and_ruby;
mod served_store;
mod mrtg;
mod drawing;
mod munin;
mod munin_graph;
mod smokeping;
mod daemon;
mod collectd;
