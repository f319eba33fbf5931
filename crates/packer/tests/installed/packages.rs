//! The packages to try.

use std::path::{Path, PathBuf};

/// Where the chore put them.
fn directory() -> PathBuf {
    let named = std::env::var_os("GYRE_PACKAGES");
    PathBuf::from(named.expect("GYRE_PACKAGES names the directory of the packages to try"))
}

/// The packages of the version at hand that end so, sorted.
pub(crate) fn at_hand(ending: &str) -> Vec<PathBuf> {
    in_directory(&directory(), ending)
}

/// Those of an earlier version.
pub(crate) fn earlier(ending: &str) -> Vec<PathBuf> {
    in_directory(&directory().join("earlier"), ending)
}

fn in_directory(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = directory.read_dir().expect("packages").map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    assert_eq!(found.len(), 3, "{}: *{ending}", directory.display());
    found.sort();
    found
}
