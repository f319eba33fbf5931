//! Makes packages by the crate `packer`, and what that needs.

use std::path::Path;
use std::process::{Command, Stdio};

use super::Verb;
use crate::packages::{INSTALL_NEEDS, PACKAGE_NEEDS, provide};
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "package",
    usage: "[--only deb,rpm,tar,image] [--machine amd64,arm64] [--out DIR] [--twice] [--dev] | --try",
    summary: "packages of gyre, the same bytes for the same commit (docs/packages.md)",
    run,
};

/// Rust's target of the machine that is not this one.
const CROSS_TARGET: &str = "aarch64-unknown-linux-gnu";

fn run(words: Vec<String>) -> Outcome {
    if words == ["--try"] {
        return install();
    }
    let is_native = words.windows(2).any(|pair| pair == ["--machine", "amd64"]);
    if !is_native {
        // What is still missing is told by `packer`.
        let _ = provide(PACKAGE_NEEDS, true);
        add_target();
    }
    let mut command = cargo::command();
    command.args(["run", "--locked", "--quiet", "--package", "packer", "--"]);
    cargo::run_with_output(command.args(words))
}

/// The version that is there before an upgrade.
const EARLIER: &str = "0.0.9";

/// Makes packages of the tests' build, and of an earlier version, and tries to install them. Before
/// that, the program must compile without its large parts.
fn install() -> Outcome {
    let absent: Vec<_> = provide(INSTALL_NEEDS, true).iter().map(|need| need.package).collect();
    if !absent.is_empty() {
        return Err(format!("not installed: {}", absent.join(" ")));
    }
    let mut bare = cargo::command();
    bare.args(["clippy", "--locked", "--package", "gyre", "--no-default-features", "--bins"]);
    cargo::run(bare.args(["--", "--deny", "warnings"]))?;
    let directory = cargo::target_directory().join("package").join("trial");
    let earlier = directory.join("earlier");
    let words = |out: &Path, more: &[&str]| {
        let out = out.display().to_string();
        let words = ["--dev", "--only", "deb,rpm", "--machine", "amd64", "--out", &out];
        words.iter().chain(more).map(|word| (*word).to_owned()).collect()
    };
    run(words(&directory, &[]))?;
    run(words(&earlier, &["--as", EARLIER]))?;
    let mut command = cargo::command();
    command.args(["test", "--locked", "--workspace", "--test", "installed", "--", "--ignored"]);
    cargo::run(command.env("GYRE_PACKAGES", &directory))
}

/// Has rustup bring the standard library of the other machine, if it is here and can.
fn add_target() {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", CROSS_TARGET]).current_dir(cargo::root()).stdin(Stdio::null());
    let _ = rustup.stdout(Stdio::null()).stderr(Stdio::null()).status();
}
