//! The tests of gyre in rrdtool's place: its verbs, its graphs, its pages.
//!
//! They are one program: each program of these links all of gyre.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../rrdtool.rs"]
mod rrdtool;
#[path = "../rrdtool_graph_random/main.rs"]
mod rrdtool_graph_random;
#[path = "../rrdtool_lazy.rs"]
mod rrdtool_lazy;
#[path = "../rrdtool_random.rs"]
mod rrdtool_random;
#[path = "../rrdcgi.rs"]
mod rrdcgi;
#[path = "../graph_rows/main.rs"]
mod graph_rows;
#[path = "../graph_manual.rs"]
mod graph_manual;
#[path = "../compatibility.rs"]
mod compatibility;
#[path = "../locale.rs"]
mod locale;
#[path = "../crafted.rs"]
mod crafted;
#[path = "../bounds/main.rs"]
mod bounds;
