//! Patterns of file names, as a shell reads them: [`PartPattern`] in each directory.

use std::fs;
use std::path::{Path, PathBuf};

use store::PartPattern;

/// Whether a text is a pattern and not just a name.
#[must_use]
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The paths that a pattern matches, in order. Dots at the start of a name must be given.
#[must_use]
pub fn matches(pattern: &str) -> Vec<PathBuf> {
    let (root, rest) = match pattern.strip_prefix('/') {
        Some(rest) => (PathBuf::from("/"), rest),
        None => (PathBuf::new(), pattern),
    };
    let mut found = vec![root];
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        found = found.iter().flat_map(|directory| within(directory, part)).collect();
    }
    found
}

/// What one part of a pattern matches in a directory.
fn within(directory: &Path, part: &str) -> Vec<PathBuf> {
    if !is_pattern(part) {
        let path = directory.join(part.replace('\\', ""));
        let is_there = path.symlink_metadata().is_ok();
        return if is_there { vec![path] } else { Vec::new() };
    }
    let here = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let pattern = PartPattern::parse(part);
    let names = fs::read_dir(here).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| !name.starts_with('.') || part.starts_with('.'))
        .filter(|name| pattern.matches(name))
        .collect();
    names.sort();
    names.into_iter().map(|name| directory.join(name)).collect()
}
