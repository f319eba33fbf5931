//! The sources of the crates.

use std::fs;
use std::path::{Path, PathBuf};

use crate::layers::{Layer, TABLE};

/// Crates that no server needs; they make up the program `gyre-lab`.
const LABORATORY: [&str; 2] = ["lab", "testbed"];

/// The crates of the product, in the order of the layers.
pub(crate) fn product() -> impl Iterator<Item = &'static str> {
    let is_product =
        |one: &&crate::layers::Crate| one.layer != Layer::Beside && !LABORATORY.contains(&one.name);
    TABLE.iter().filter(is_product).map(|one| one.name)
}

/// The sources of a crate below `crates/`, in the order of their names.
pub(crate) fn of_crate(name: &str) -> Result<Vec<PathBuf>, String> {
    below(Path::new(&format!("crates/{name}/src")))
}

/// The sources below a directory, in the order of their names.
pub(crate) fn below(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let walked = walk(directory, &mut found);
    walked.map_err(|error| format!("{}: {error}", directory.display()))?;
    found.sort();
    Ok(found)
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
    Ok(())
}
