//! The machines that packages are for.

use std::path::Path;

/// A kind of processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// x86-64.
    Amd64,
    /// 64-bit ARM.
    Arm64,
}

impl Machine {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Amd64, Self::Arm64];

    /// The name that Debian and images for containers have.
    #[must_use]
    pub const fn debian(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// The name that rpm and the kernel have.
    #[must_use]
    pub const fn kernel(self) -> &'static str {
        match self {
            Self::Amd64 => "x86_64",
            Self::Arm64 => "aarch64",
        }
    }

    /// Rust's target.
    #[must_use]
    pub const fn triple(self) -> &'static str {
        match self {
            Self::Amd64 => "x86_64-unknown-linux-gnu",
            Self::Arm64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Debian's triplet, by which its library directories and cross compilers are called.
    #[must_use]
    pub const fn triplet(self) -> &'static str {
        match self {
            Self::Amd64 => "x86_64-linux-gnu",
            Self::Arm64 => "aarch64-linux-gnu",
        }
    }

    /// The machine of a name of Debian's.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|machine| machine.debian() == name)
    }

    /// Whether programs of it run here without an emulator.
    #[must_use]
    pub fn is_here(self) -> bool {
        self.kernel() == std::env::consts::ARCH
    }

    /// The C compiler, linker included. Here it is the machine's own.
    #[must_use]
    pub fn compiler(self) -> String {
        if self.is_here() { "cc".to_owned() } else { format!("{}-gcc", self.triplet()) }
    }

    /// The program that takes debug information out of others.
    #[must_use]
    pub fn objcopy(self) -> String {
        if self.is_here() { "objcopy".to_owned() } else { format!("{}-objcopy", self.triplet()) }
    }

    /// What is missing on this machine for making programs of that kind, in words.
    #[must_use]
    pub fn missing(self) -> Vec<String> {
        let absent = |program: &String| !is_in_path(program);
        let programs = [self.compiler(), self.objcopy()].into_iter().filter(absent);
        let mut missing: Vec<String> = programs.collect();
        if !self.is_here() && !has_standard_library(self.triple()) {
            missing.push(format!("Rust's standard library for {}", self.triple()));
        }
        missing
    }
}

fn is_in_path(program: &String) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

fn has_standard_library(triple: &str) -> bool {
    let asked = std::process::Command::new("rustc")
        .args(["--print", "target-libdir", "--target", triple])
        .output();
    let Ok(output) = asked else { return false };
    let directory = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success() && Path::new(&directory).is_dir()
}
