//! The real programs that tests hold gyre against. A test dependency only.
//!
//! A test asks [`program`] for its oracle. Where it is missing the test fails if the environment
//! variable `CI` is set; elsewhere it says what was not tested.
#![allow(clippy::disallowed_methods)] // it exists to start programs

mod rrdcached;
mod rrdtool;

pub use rrdcached::Rrdcached;
pub use rrdtool::{Reply, Rrdtool};

use std::io::Write as _;
use std::path::PathBuf;

/// Where a program lies, or `None` after telling what is therefore not tested.
///
/// # Panics
/// If it is missing and the environment variable `CI` is set.
#[must_use]
pub fn program(name: &str, what_it_tests: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    let found = places.map(|place| place.join(name)).find(|program| program.is_file());
    if found.is_none() {
        let message = format!("NOT TESTED, {name} is missing: {what_it_tests}");
        assert!(std::env::var_os("CI").is_none(), "{message}");
        // Not by `eprintln!`, which the test harness swallows where the test passes.
        let _ = writeln!(std::io::stderr(), "{message}");
    }
    found
}
