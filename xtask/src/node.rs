//! The packages of npm that tests use, below `target/oracles`: playwright-core, which drives Debian's
//! Chromium, and axe-core, which finds what pages lack for people who do not see or point. No
//! script of a package runs at its installation.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{Outcome, cargo};

/// What is not tested without them.
pub(crate) const TESTS: &str = "the pages used in a browser: typed, dragged, hovered, read aloud";

/// Each with its version, so that what passed today passes tomorrow.
const PACKAGES: [(&str, &str); 2] = [("playwright-core", "1.65.1"), ("axe-core", "4.14.1")];

/// Installs them if that is permitted; whether they are there then.
pub(crate) fn provide(may_fetch: bool) -> bool {
    if may_fetch && !is_there() {
        let names = PACKAGES.map(|(name, _)| name);
        eprintln!("installing {}", names.join(" "));
        if let Err(reason) = install() {
            eprintln!("{reason}"); // the caller reports what is missing
        }
    }
    is_there()
}

fn place() -> PathBuf {
    cargo::root().join("target").join("oracles").join("node")
}

fn is_there() -> bool {
    let there = |(name, version): (&str, &str)| {
        let about = place().join("node_modules").join(name).join("package.json");
        let about = std::fs::read(about).ok()?;
        let about: serde_json::Value = serde_json::from_slice(&about).ok()?;
        (about["version"] == version).then_some(())
    };
    PACKAGES.into_iter().all(|package| there(package).is_some())
}

fn install() -> Outcome {
    std::fs::create_dir_all(place()).map_err(|error| format!("{}: {error}", place().display()))?;
    let mut install = Command::new("npm");
    install.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save"]);
    install.arg("--prefix").arg(place()).stdin(Stdio::null()).stdout(Stdio::null());
    install.args(PACKAGES.map(|(name, version)| format!("{name}@{version}")));
    cargo::run(&mut install)
}
