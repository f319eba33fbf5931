//! The tests of `gyre run`, of what serves and shows it, and of its networks.
//!
//! They are one program: each program of these links all of gyre.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../agents.rs"]
mod agents;
#[path = "../run_files.rs"]
mod run_files;
#[path = "../run_itself.rs"]
mod run_itself;
#[path = "../run_ring.rs"]
mod run_ring;
#[path = "../run_rrdcached.rs"]
mod run_rrdcached;
#[path = "../run_simnet.rs"]
mod run_simnet;
#[path = "../run_snmpd.rs"]
mod run_snmpd;
#[path = "../run_users.rs"]
mod run_users;
#[path = "../run_web.rs"]
mod run_web;
#[path = "../safe.rs"]
mod safe;
#[path = "../served.rs"]
mod served;
#[path = "../demo.rs"]
mod demo;
#[path = "../systemd_units.rs"]
mod systemd_units;
