//! The real programs that tests compare gyre with. Only for tests.
//!
//! A test asks [`program`] for a real program. If it is missing, the test fails if the environment
//! variable `CI` is set; otherwise it prints what is not tested.
#![allow(clippy::disallowed_methods)] // it exists to start programs

mod rrdtool;

mod rrdcached;

mod mariadb;
mod postgres;
mod alertmanager;
mod prometheus;

mod http;
mod certificates;
mod running;
mod server_process;

pub use alertmanager::{ALERTMANAGER_PASSWORD, ALERTMANAGER_USER, Alertmanager, Notifying};
pub use certificates::other_authority;
pub use http::HttpReply;
pub use mariadb::MariaDb;
pub use postgres::Postgres;
pub use prometheus::Prometheus;
pub use rrdcached::Rrdcached;
pub use rrdtool::{Reply, Rrdtool};
pub use server_process::{DATABASE_NAME, DATABASE_PASSWORD, DATABASE_USER, Reach};

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// The path of a program; `None` if it is missing, after printing what is not tested.
///
/// # Panics
///
/// If it is missing and the environment variable `CI` is set.
#[must_use]
pub fn program(name: &str, what_it_tests: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    let found = places.map(|place| place.join(name)).find(|program| program.is_file());
    found.or_else(|| {
        missing(name, what_it_tests);
        None
    })
}

/// The path of a file that a real program needs; `None` if it is missing, after printing what is
/// not tested.
///
/// # Panics
///
/// If it is missing and the environment variable `CI` is set.
#[must_use]
pub fn file(path: &str, what_it_tests: &str) -> Option<PathBuf> {
    let path = PathBuf::from(path);
    if !path.is_file() {
        missing(&path.display().to_string(), what_it_tests);
        return None;
    }
    Some(path)
}

/// The kinds of machines whose rrdtool `cargo xtask foreign` fetches.
pub const FOREIGN_MACHINES: [&str; 4] = ["i386", "armhf", "armhf-time64", "s390x"];

/// The rrdtool of another kind of machine; `None` if it is missing, after printing what is not
/// tested.
///
/// # Panics
///
/// If it is missing and the environment variable `CI` is set.
#[must_use]
pub fn foreign_rrdtool(machine: &str, what_it_tests: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = here.ancestors().nth(2).expect("this crate lies in the project");
    let program = project.join("target").join("foreign").join(machine).join("rrdtool");
    if program.is_file() {
        return Some(program);
    }
    missing(&format!("rrdtool for {machine} (cargo xtask foreign)"), what_it_tests);
    None
}

/// The Python that has DuckDB, pyarrow and schemathesis, which `cargo xtask oracles` installs; `None` if it is
/// missing, after printing what is not tested.
///
/// # Panics
///
/// If it is missing and the environment variable `CI` is set.
#[must_use]
pub fn python_of_tests(what_it_tests: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = here.ancestors().nth(2).expect("this crate lies in the project");
    let program = project.join("target/oracles/python/bin/python");
    if program.is_file() {
        return Some(program);
    }
    missing("Python with DuckDB, pyarrow, schemathesis (cargo xtask oracles)", what_it_tests);
    None
}

/// The directory with `node_modules` of playwright-core and axe-core, which `cargo xtask oracles`
/// installs; `None` if it is missing, after printing what is not tested.
///
/// # Panics
///
/// If it is missing and the environment variable `CI` is set.
#[must_use]
pub fn node_of_tests(what_it_tests: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let project = here.ancestors().nth(2).expect("this crate lies in the project");
    let place = project.join("target/oracles/node");
    if place.join("node_modules/axe-core/axe.min.js").is_file() {
        return Some(place);
    }
    missing("playwright-core and axe-core (cargo xtask oracles)", what_it_tests);
    None
}

/// A port that no program listens on at present, of those that the kernel gives to nobody by
/// itself: a connection of another test may take such a one before the program that it is for.
///
/// # Panics
///
/// If a thousand ports that were drawn are all taken.
#[must_use]
pub fn free_port() -> u16 {
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let mut drawn = (0..1000).map(|_| drawn_port());
    drawn.find(is_free).expect("the loopback has a free port")
}

/// One of the ports between those of servers and those that Linux gives to clients.
fn drawn_port() -> u16 {
    const FIRST: u16 = 10_240;
    const COUNT: u64 = 32_768 - FIRST as u64;
    // Each of these has another seed.
    let drawn = RandomState::new().build_hasher().finish() % COUNT;
    FIRST + u16::try_from(drawn).expect("less than all ports")
}

pub(crate) fn missing(name: &str, what_it_tests: &str) {
    let message = format!("NOT TESTED, {name} is missing: {what_it_tests}");
    assert!(std::env::var_os("CI").is_none(), "{message}");
    // Written directly, because the test harness hides `eprintln!` of tests that pass.
    let _ = writeln!(std::io::stderr(), "{message}");
}
