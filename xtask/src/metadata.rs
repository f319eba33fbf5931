//! cargo's data about our crates and those that we use.

use serde::Deserialize;

use crate::cargo;

/// The parts of `cargo metadata` that the checks read.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Metadata {
    /// Asks cargo, with `--locked`, because a check must not change what it checks.
    pub(crate) fn load() -> Result<Self, String> {
        let mut command = cargo::command();
        command.args(["metadata", "--locked", "--format-version=1"]);
        command.args(["--filter-platform", &host()?]);
        let output = command
            .stderr(std::process::Stdio::inherit())
            .output()
            .map_err(|error| format!("cargo metadata: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata: {}", output.status));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
    }

    /// The crates of this workspace.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        let ours = |package: &&Package| self.workspace_members.contains(&package.id);
        self.packages.iter().filter(ours)
    }

    /// The crates of other projects.
    pub(crate) fn foreign(&self) -> impl Iterator<Item = &Package> {
        let theirs = |package: &&Package| !self.workspace_members.contains(&package.id);
        self.packages.iter().filter(theirs)
    }
}

/// The platform that we are on: dependencies for other platforms are not downloaded.
pub(crate) fn host() -> Result<String, String> {
    let output = std::process::Command::new("rustc")
        .arg("-vV")
        .output()
        .map_err(|error| format!("rustc -vV: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or("rustc -vV does not name the host".to_owned())
}
