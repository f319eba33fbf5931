//! Which test programs there are.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;

use crate::cargo;

/// The tests of one target of a crate.
pub(crate) struct Program {
    /// The names of crate and target, as `gyre/run_files`.
    pub(super) name: String,
    pub(super) executable: PathBuf,
    /// The crate's directory, in which its tests run.
    pub(super) directory: PathBuf,
    /// Whether these are the tests in the sources of a library or program.
    pub(super) is_of_sources: bool,
    /// The first words of the names of tests that are left out.
    pub(super) skipped: Vec<&'static str>,
}

/// The parts of cargo's messages that are read here.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Builds the test programs of all crates.
pub(crate) fn build() -> Result<Vec<Program>, String> {
    let mut command = cargo::command();
    command.args(["test", "--locked", "--workspace", "--no-run"]);
    command.arg("--message-format=json-render-diagnostics");
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo test --no-run: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo test --no-run: {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut programs = Vec::new();
    for line in text.lines() {
        let message = serde_json::from_str(line);
        let message = message.map_err(|error| format!("cargo's message {line}: {error}"))?;
        programs.extend(program(message));
    }
    Ok(programs)
}

/// The test program that a message tells of, if it is about one.
fn program(message: Message) -> Option<Program> {
    let executable = message.executable.filter(|_| message.profile.is_some_and(|it| it.test))?;
    let directory = message.manifest_path?.parent().map(Path::to_path_buf)?;
    let crate_name = directory.file_name()?.to_string_lossy().into_owned();
    let target = message.target?;
    let is_of_sources = target.kind.iter().all(|kind| kind != "test");
    let name = format!("{crate_name}/{}", target.name);
    Some(Program { name, executable, directory, is_of_sources, skipped: Vec::new() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::program;
    use crate::cargo;

    /// A file that stands in no program would be a test that nobody runs.
    #[test]
    fn every_file_of_tests_is_part_of_a_program() {
        let crates = cargo::root().join("crates");
        for owner in crates.read_dir().expect("crates").map(|entry| entry.expect("a crate").path())
        {
            let manifest = fs::read_to_string(owner.join("Cargo.toml")).expect("a manifest");
            let Ok(files) = owner.join("tests").read_dir() else { continue };
            if !manifest.contains("autotests = false") {
                continue;
            }
            let (files, places): (Vec<_>, Vec<_>) = files
                .map(|entry| entry.expect("a file").path())
                .partition(|path| path.extension().is_some_and(|extension| extension == "rs"));
            let programs: Vec<PathBuf> = places.iter().map(|it| it.join("main.rs")).collect();
            let named: String = programs
                .iter()
                .filter_map(|file| fs::read_to_string(file).ok())
                .collect::<String>()
                + &manifest;
            let programs = programs.into_iter().filter(|file| file.exists());
            for file in files.into_iter().chain(programs) {
                let below = file.strip_prefix(owner.join("tests")).expect("it is there");
                let name = format!("/{}\"", below.display());
                assert!(named.contains(&name), "{}", file.display());
            }
        }
    }

    #[test]
    fn only_messages_about_test_programs_are_taken() {
        let message = |executable: &str, is_test: bool| {
            let text = format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/g/crates/ring/Cargo.toml",
                    "target":{{"name":"restart","kind":["test"]}},"profile":{{"test":{is_test}}},
                    "executable":{executable}}}"#
            );
            program(serde_json::from_str(&text).expect("a message of cargo"))
        };
        let found = message(r#""/g/target/restart-1""#, true).expect("a test program");
        assert_eq!(found.name, "ring/restart");
        assert_eq!(found.directory.to_str(), Some("/g/crates/ring"));
        assert!(message(r#""/g/target/gyre""#, false).is_none());
        assert!(message("null", true).is_none());
        let other = serde_json::from_str(r#"{"reason":"build-finished","success":true}"#);
        assert!(program(other.expect("a message of cargo")).is_none());
    }
}
