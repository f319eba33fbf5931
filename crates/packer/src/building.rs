//! Making the programs with cargo.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Machine, PackError};

/// How a program finds the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    /// It is the machine's.
    Dynamic,
    /// It is within the program, which then runs where there is no C library at all.
    Static,
}

/// How much work the compiler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// As packages for others need it.
    Distribution,
    /// The programs of the tests' build, for trials of packages.
    Development,
}

/// Where programs are made.
#[derive(Clone, Debug)]
pub struct Workshop {
    /// How much work the compiler does.
    pub care: Care,
    /// The project.
    pub root: PathBuf,
    /// A directory for what cargo makes. Everyday builds have another one, as their options differ.
    pub directory: PathBuf,
}

impl Care {
    /// The profile of `Cargo.toml`.
    const fn profile(self) -> &'static str {
        match self {
            Self::Distribution => "dist",
            Self::Development => "dev",
        }
    }

    /// Where cargo puts programs of that profile.
    const fn directory(self) -> &'static str {
        match self {
            Self::Distribution => "dist",
            Self::Development => "debug",
        }
    }
}

impl Workshop {
    /// Makes crates for a machine, and returns the directory of their programs.
    ///
    /// # Errors
    /// Something is missing here, or does not compile.
    pub fn build(
        &self,
        machine: Machine,
        linking: Linking,
        crates: &[&str],
    ) -> Result<PathBuf, PackError> {
        let missing = machine.missing();
        if !missing.is_empty() {
            return Err(PackError::Cross { machine: machine.debian(), missing });
        }
        if self.care == Care::Development && machine.is_here() && linking == Linking::Dynamic {
            return self.build_for_tests();
        }
        let directory = self.directory.join(match linking {
            Linking::Dynamic => "build",
            Linking::Static => "static",
        });
        let mut cargo = self.cargo(machine, linking, &directory);
        let profile = self.care.profile();
        cargo.args(["build", "--locked", "--profile", profile, "--target", machine.triple()]);
        cargo.arg("--target-dir").arg(&directory);
        cargo.args(crates.iter().flat_map(|name| ["--package", name]));
        run(&mut cargo)?;
        Ok(directory.join(machine.triple()).join(self.care.directory()))
    }

    /// The crates of other projects within the programs for a machine: name, version and licence, a
    /// line each.
    ///
    /// # Errors
    /// cargo fails.
    pub fn third_parties(&self, machine: Machine) -> Result<String, PackError> {
        let mut cargo = Command::new(cargo_program());
        cargo.current_dir(&self.root).args(["tree", "--locked", "--edges", "normal,no-proc-macro"]);
        cargo.args(["--package", "gyre", "--package", "librrd", "--prefix", "none", "--no-dedupe"]);
        cargo.args(["--target", machine.triple(), "--format", "{p}: {l}"]).stdin(Stdio::null());
        let output = cargo.output().map_err(|cause| PackError::start("cargo tree", cause))?;
        if !output.status.success() {
            let (program, status) = ("cargo tree".to_owned(), output.status);
            return Err(PackError::Failed { program, status });
        }
        Ok(of_others(&String::from_utf8_lossy(&output.stdout)))
    }

    /// All crates with the features that the tests have, whose build is then used.
    fn build_for_tests(&self) -> Result<PathBuf, PackError> {
        let mut cargo = Command::new(cargo_program());
        cargo.current_dir(&self.root).stdin(Stdio::null()).stdout(Stdio::null());
        run(cargo.args(["build", "--locked", "--workspace"]))?;
        let chosen = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        Ok(chosen.unwrap_or_else(|| self.root.join("target")).join("debug"))
    }

    /// A cargo whose programs do not tell where they were made, nor where build scripts put sources.
    fn cargo(&self, machine: Machine, linking: Linking, directory: &Path) -> Command {
        // Compilers take the last that fits: the directory of builds may lie in the project.
        let homes = [
            (self.root.clone(), "/gyre"),
            (cargo_home(), "/cargo"),
            (directory.to_owned(), "/build"),
        ];
        let flags = |option: &str| {
            let flag = |(from, to): &(PathBuf, &str)| format!("{option}={}={to}", from.display());
            homes.iter().map(flag).collect::<Vec<String>>()
        };
        let mut of_rust = flags("--remap-path-prefix");
        if linking == Linking::Static {
            of_rust.push("-Ctarget-feature=+crt-static".to_owned());
        }
        let of_c = flags("-ffile-prefix-map");
        let variable = machine.triple().to_uppercase().replace('-', "_");
        let mut cargo = Command::new(cargo_program());
        cargo.current_dir(&self.root).stdin(Stdio::null()).stdout(Stdio::null());
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        cargo.env("CARGO_INCREMENTAL", "0").env("CFLAGS", of_c.join(" "));
        cargo.env(format!("CARGO_TARGET_{variable}_RUSTFLAGS"), of_rust.join(" "));
        if !machine.is_here() {
            cargo.env(format!("CARGO_TARGET_{variable}_LINKER"), machine.compiler());
        }
        if machine == Machine::Arm64 {
            // Kernels of that machine have pages of 4, 16 or 64 KiB; the allocator must know the
            // largest.
            cargo.env("JEMALLOC_SYS_WITH_LG_PAGE", "16");
        }
        cargo
    }
}

/// The lines about crates of other projects, sorted. Our own are told with the place where they lie.
fn of_others(told: &str) -> String {
    let is_of_others = |line: &&str| !line.is_empty() && !line.contains(" (/");
    let lines: BTreeSet<&str> = told.lines().filter(is_of_others).collect();
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn cargo_home() -> PathBuf {
    let home = || Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cargo");
    std::env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}

/// Runs a program that must succeed.
pub(crate) fn run(command: &mut Command) -> Result<(), PackError> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let program = words.join(" ");
    let status = command.status().map_err(|cause| PackError::start(&program, cause))?;
    if status.success() { Ok(()) } else { Err(PackError::Failed { program, status }) }
}

#[cfg(test)]
mod tests {
    use super::of_others;

    #[test]
    fn licences_in_parentheses_are_of_others_too() {
        let told = "gyre v0.1.0 (/home/one/gyre/crates/gyre): MIT OR Apache-2.0\n\n\
                    unicode-normalization v0.1.25: (MIT OR Apache-2.0) AND Unicode-3.0\n\
                    memchr v2.8.3: Unlicense OR MIT\nmemchr v2.8.3: Unlicense OR MIT\n";
        assert_eq!(
            of_others(told),
            "memchr v2.8.3: Unlicense OR MIT\n\
             unicode-normalization v0.1.25: (MIT OR Apache-2.0) AND Unicode-3.0\n"
        );
    }
}
