//! Fuzzing: libFuzzer on everything that reads untrusted bytes.
//!
//! The targets build with the stable toolchain: rustc can ask LLVM for coverage counters itself, so
//! neither nightly nor cargo-fuzz is needed. There is no address sanitizer, and none is needed,
//! because our crates have no unsafe code.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use serde::Deserialize;

use super::Verb;
use crate::arguments::Arguments;
use crate::packages::{FUZZ_NEEDS, provide};
use crate::terminal::heading;
use crate::{Outcome, cargo, commit, metadata};

pub(super) const VERB: Verb = Verb {
    name: "fuzz",
    usage: "[TARGET... | of-commit] [--seconds N]",
    summary: "hostile bytes against each reader, 60 s each unless told; of-commit: against those \
              that need the same of our crates",
    run,
};

/// The flags that cargo-fuzz gives rustc for libFuzzer, without the sanitizers.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1";

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let seconds = arguments.number("--seconds")?.unwrap_or(60);
    let chosen = chosen(&arguments.rest(), targets()?)?;
    if let Some(need) = provide(FUZZ_NEEDS, true).first() {
        return Err(format!("NOT TESTED, {} is missing: {}", need.package, need.tests));
    }
    let programs = build(&chosen)?;
    let names = chosen.into_iter().map(|target| target.name).collect();
    let findings = fuzz_all(&programs, names, seconds);
    if findings.is_empty() {
        return Ok(());
    }
    let place = directory().join("artifacts");
    Err(format!("{}\nfindings lie in {}", findings.join("\n"), place.display()))
}

fn directory() -> PathBuf {
    cargo::root().join("fuzz")
}

/// A target of the fuzzing crate.
#[derive(Deserialize)]
struct Target {
    name: String,
    /// The features that it needs: what takes long to build is built for those that need it.
    #[serde(default, rename = "required-features")]
    needs: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    targets: Vec<Target>,
}

/// All targets.
fn targets() -> Result<Vec<Target>, String> {
    let mut command = cargo::command();
    command.args(["metadata", "--no-deps", "--format-version=1"]);
    command.arg("--manifest-path").arg(directory().join("Cargo.toml"));
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(metadata.packages.into_iter().flat_map(|package| package.targets).collect())
}

/// The targets that some words name.
fn chosen(words: &[String], mut all: Vec<Target>) -> Result<Vec<Target>, String> {
    if words == ["of-commit"] {
        let mut needs: Vec<Vec<String>> = all.iter().map(|target| target.needs.clone()).collect();
        needs.sort();
        needs.dedup();
        let needs = needs.swap_remove(commit::number()? % needs.len());
        all.retain(|target| target.needs == needs);
        return Ok(all);
    }
    if let Some(stranger) = words.iter().find(|word| all.iter().all(|it| it.name != **word)) {
        let names: Vec<&str> = all.iter().map(|target| target.name.as_str()).collect();
        return Err(format!("no target {stranger}; there are {}", names.join(", ")));
    }
    all.retain(|target| words.is_empty() || words.contains(&target.name));
    Ok(all)
}

/// Builds targets; returns the directory of the programs.
fn build(targets: &[Target]) -> Result<PathBuf, String> {
    let host = metadata::host()?;
    let place = directory().join("target");
    let mut command = cargo::command();
    // Not locked: the lock file of this workspace follows the dependencies of our crates.
    command.args(["build", "--release", "--quiet"]);
    for Target { name, needs } in targets {
        command.args(["--bin", name]);
        for feature in needs {
            command.args(["--features", feature]);
        }
    }
    command.arg("--manifest-path").arg(directory().join("Cargo.toml"));
    // With an explicit target, the flags do not apply to build scripts.
    command.args(["--target", &host]);
    command.env("CARGO_TARGET_DIR", &place);
    command.env("RUSTFLAGS", FLAGS);
    cargo::run(&mut command)?;
    Ok(place.join(host).join("release"))
}

/// Runs as many targets at a time as there are processors; returns the findings.
fn fuzz_all(programs: &Path, targets: Vec<String>, seconds: u64) -> Vec<String> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let (waiting, findings) = (Mutex::new(targets.into_iter()), Mutex::new(Vec::new()));
    let next = || waiting.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                while let Some(target) = next() {
                    let finding = fuzz(programs, &target, seconds).err();
                    findings.lock().expect("no fuzzer panics").extend(finding);
                }
            });
        }
    });
    findings.into_inner().expect("no fuzzer panics")
}

fn fuzz(programs: &Path, target: &str, seconds: u64) -> Outcome {
    heading(&format!("fuzz {target} for {seconds} s"));
    let corpus = directory().join("corpus").join(target);
    let artifacts = directory().join("artifacts").join(target);
    for place in [&corpus, &artifacts] {
        std::fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    let mut command = Command::new(programs.join(target));
    command.arg(&corpus); // what this machine found is kept here, and is not checked in
    command.arg(directory().join("seeds").join(target));
    command.arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.args(["-timeout=10", "-rss_limit_mb=2048", "-verbosity=0"]);
    command.args(["-print_final_stats=1"]);
    let outcome = cargo::run(command.stdin(Stdio::null()));
    outcome.map_err(|_| format!("{target}: what libFuzzer tells above"))
}
