//! Packages on machines: a clean Debian below a directory, and databases of rpm. `cargo xtask
//! package --try` makes the packages and runs these tests, as root.
#![allow(clippy::disallowed_methods)] // the tests start programs and read files

mod packages;
mod debian;
mod site;
mod on_debian;
mod by_rpm;
mod checkers;
