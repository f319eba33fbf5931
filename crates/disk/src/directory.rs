//! Directories: listing the files in them, and making them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Every file below `root`, in order of name, whose name ends with `.extension`.
///
/// # Errors
/// Those of `opendir(3)` and `stat(2)`.
pub fn files_below(root: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|each| each == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The files directly in a directory, with their sizes in bytes. Files that are removed meanwhile
/// are left out.
///
/// # Errors
/// Those of `opendir(3)`.
pub fn files_in(directory: &Path) -> io::Result<Vec<(OsString, u64)>> {
    let sized = |entry: std::fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((entry.file_name(), metadata.len()))
    };
    Ok(std::fs::read_dir(directory)?.flatten().filter_map(sized).collect())
}

/// Makes the directories that lead to `path`, where they are missing.
///
/// # Errors
/// Those of `mkdir(2)`.
pub fn create_parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// Makes a directory, and those that lead to it, where they are missing.
///
/// # Errors
/// Those of `mkdir(2)`.
pub fn create_directory(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}
