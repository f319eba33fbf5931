//! The packages of Python that tests use, in an environment of their own below `target/oracles`:
//! DuckDB and pyarrow, which read tables back, and schemathesis, which tries what OpenAPI describes. Only wheels are installed, so that nothing is compiled and no
//! code of a package runs before a test calls it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Outcome, cargo};

/// What is not tested without them.
pub(crate) const TESTS: &str =
    "tables read back by DuckDB and pyarrow; requests for data tried by schemathesis";

const PACKAGES: [&str; 3] = ["duckdb", "pyarrow", "schemathesis"];

/// Installs them if that is permitted; whether they are there then.
pub(crate) fn provide(may_fetch: bool) -> bool {
    if may_fetch && !is_there() {
        eprintln!("installing {}", PACKAGES.join(" "));
        if let Err(reason) = install() {
            eprintln!("{reason}"); // the caller reports what is missing
        }
    }
    is_there()
}

fn place() -> PathBuf {
    cargo::root().join("target").join("oracles").join("python")
}

fn program() -> PathBuf {
    place().join("bin").join("python")
}

fn is_there() -> bool {
    let mut command = Command::new(program());
    command.args(["-c", "import duckdb, pyarrow, schemathesis"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn install() -> Outcome {
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--clear"]).arg(place()).stdin(Stdio::null());
    cargo::run(&mut make)?;
    let mut install = Command::new(program());
    install.args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:"]);
    install.args(PACKAGES).stdin(Stdio::null());
    cargo::run(&mut install)
}
