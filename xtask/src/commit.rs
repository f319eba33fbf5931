//! The commit that is checked out, as a choice among parts: each commit tries another one.

use std::process::Command;

use crate::cargo;

/// A number of the commit.
pub(crate) fn number() -> Result<usize, String> {
    let mut git = Command::new("git");
    git.args(["rev-parse", "--short=7", "HEAD"]).current_dir(cargo::root());
    let output = git.output().map_err(|error| format!("git: {error}"))?;
    let hash = String::from_utf8_lossy(&output.stdout);
    usize::from_str_radix(hash.trim(), 16)
        .map_err(|_| "expected a commit, whose hash chooses a part".to_owned())
}
