//! Runs the cargo that started this program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Outcome;

/// A cargo command in the project's root.
pub(crate) fn command() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// The project's root: the directory above this crate.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("this crate lies in the project")
}

/// Builds packages and returns the directory of their programs. A development build makes all
/// programs of the workspace with the features of the tests, so that the tests' build is reused.
pub(crate) fn programs(is_dev: bool, packages: &[&str]) -> Result<PathBuf, String> {
    let mut command = command();
    command.args(["build", "--locked"]);
    if is_dev {
        command.args(["--workspace", "--bins"]);
    } else {
        command.arg("--release");
        command.args(packages.iter().flat_map(|package| ["--package", package]));
    }
    run(&mut command)?;
    Ok(target_directory().join(if is_dev { "debug" } else { "release" }))
}

/// The directory of cargo's builds.
pub(crate) fn target_directory() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    chosen.unwrap_or_else(|| root().join("target"))
}

/// Runs a command. Its standard output goes to stderr, because ours has only results.
pub(crate) fn run(command: &mut Command) -> Outcome {
    run_with_output(command.stdout(std::io::stderr()))
}

/// Runs a command whose standard output is the result.
pub(crate) fn run_with_output(command: &mut Command) -> Outcome {
    let told = describe(command);
    let status = command.status().map_err(|error| format!("{told}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{told}: {status}")) }
}

/// The command as one would type it.
fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
