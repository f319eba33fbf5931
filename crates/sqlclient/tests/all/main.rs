//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../addresses.rs"]
mod addresses;
#[path = "../mariadb.rs"]
mod mariadb;
#[path = "../postgres.rs"]
mod postgres;
#[path = "../sqlite.rs"]
mod sqlite;
