//! `librrd.so.8`: gyre behind the C interface of RRDtool's library.
//!
//! ```text
//!   C: argc, argv      -> words       -> a verb of `rrdtool` -> a value -> malloc'ed arrays, rrd_info_t
//!   C: -1, rrd_get_error <- context <- words of the failure
//! ```
//!
//! Everything here is translation: what a call does is the business of the crates below. Nothing is
//! kept between calls but each thread's error and connections that were looked at before they are
//! used again: programs close all descriptors when they become daemons, and fork. No panic leaves
//! the library (`entry`).
#![allow(unsafe_code)] // a C interface is made of pointers; `include/rrd.h` says what each must be
#![allow(clippy::disallowed_methods)] // an edge: it meets the clock and files

mod entry;
mod context;
mod variadic;
mod words;
mod memory;
mod stream;
mod session;
mod create;
mod update;
mod fetch;
mod callback;
mod xport;
mod moments;
mod info;
mod info_list;
mod dump;
mod upkeep;
mod graph;
mod client;
mod statistics;
mod times;
mod numbers;
mod pointers;
mod directories;
mod version;
mod raw;
