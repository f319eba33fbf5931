//! Walks a directory tree in the order of an index.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use disk::FileKind;

/// A name that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The path below the root; empty for the root itself.
    pub(crate) path: PathBuf,
    pub(crate) kind: FileKind,
}

/// A walk. It holds in memory the names of the directories on the way to its position.
#[derive(Debug)]
pub(crate) struct Walk {
    root: PathBuf,
    open: Vec<(PathBuf, IntoIter<(OsString, FileKind)>)>,
    /// A directory that was returned and is listed next.
    entered: Option<PathBuf>,
    begun: bool,
}

impl Walk {
    pub(crate) fn below(root: &Path) -> Self {
        Self { root: root.to_path_buf(), open: Vec::new(), entered: None, begun: false }
    }

    /// Skips everything in the directory that was returned last.
    pub(crate) fn skip(&mut self) {
        self.entered = None;
    }

    /// The next name; or the path of a directory that cannot be listed, with the error.
    pub(crate) fn next(&mut self) -> Option<Result<Found, (PathBuf, io::Error)>> {
        if !self.begun {
            self.begun = true;
            self.entered = Some(PathBuf::new());
            return Some(Ok(Found { path: PathBuf::new(), kind: FileKind::Directory }));
        }
        if let Some(directory) = self.entered.take() {
            match disk::names_in(&self.root.join(&directory)) {
                Ok(names) => self.open.push((directory, names.into_iter())),
                // A directory that was removed meanwhile is skipped.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Some(Err((directory, error))),
            }
        }
        while let Some((directory, names)) = self.open.last_mut() {
            if let Some((name, kind)) = names.next() {
                let path = directory.join(name);
                if kind == FileKind::Directory {
                    self.entered = Some(path.clone());
                }
                return Some(Ok(Found { path, kind }));
            }
            self.open.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::compare;

    #[test]
    fn the_order_is_that_of_an_index() {
        let root = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        for path in ["b/x", "b/a/y", "b.c", "a", "c/d", "c d"] {
            let path = root.path().join(path);
            disk::create_parents(&path).unwrap();
            disk::File::create(&path).unwrap();
        }
        let (mut walk, mut paths) = (Walk::below(root.path()), Vec::new());
        while let Some(found) = walk.next() {
            paths.push(found.unwrap().path.into_os_string());
        }
        assert_eq!(paths, ["", "a", "b", "b/a", "b/a/y", "b/x", "b.c", "c", "c/d", "c d"]);
        assert!(paths.is_sorted_by(|a, b| compare(a, b).is_lt()));
    }
}
