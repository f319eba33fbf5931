//! The tests of the verbs that rrdtool does not have, and of all documents.
//!
//! They are one program: each program of these links all of gyre.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../all_stores/main.rs"]
mod all_stores;
#[path = "../backup.rs"]
mod backup;
#[path = "../calc.rs"]
mod calc;
#[path = "../convert.rs"]
mod convert;
#[path = "../docs.rs"]
mod docs;
#[path = "../doctor.rs"]
mod doctor;
#[path = "../every_file.rs"]
mod every_file;
#[path = "../fadvise/main.rs"]
mod fadvise;
#[path = "../fincore/main.rs"]
mod fincore;
#[path = "../gyre_verbs.rs"]
mod gyre_verbs;
#[path = "../help.rs"]
mod help;
#[path = "../import.rs"]
mod import;
#[path = "../manual.rs"]
mod manual;
#[path = "../messages.rs"]
mod messages;
#[path = "../mrtg_pages/mod.rs"]
mod mrtg_pages;
#[path = "../plan.rs"]
mod plan;
#[path = "../repair.rs"]
mod repair;
#[path = "../ring_verbs.rs"]
mod ring_verbs;
#[path = "../simulate/main.rs"]
mod simulate;
#[path = "../sql.rs"]
mod sql;
#[path = "../store_salvage.rs"]
mod store_salvage;
#[path = "../tables.rs"]
mod tables;
#[path = "../ticks_drawn.rs"]
mod ticks_drawn;
#[path = "../tutorial.rs"]
mod tutorial;
#[path = "../versions.rs"]
mod versions;
