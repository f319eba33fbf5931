//! What a program left: databases, as Debian's rrdtool sees them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::library::text;

/// The XML of every database below a directory, by its name there.
pub(crate) fn dumps(rrdtool: &Path, root: &Path) -> BTreeMap<String, String> {
    files_below(root)
        .into_iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "rrd"))
        .map(|file| {
            let output = Command::new(rrdtool).arg("dump").arg(&file).env("TZ", "UTC").output();
            let name = file.strip_prefix(root).unwrap().display().to_string();
            (name, text(&output.unwrap()))
        })
        .collect()
}

/// All files below a directory.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
