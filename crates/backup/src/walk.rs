//! All that lies below a directory, in the order of an index.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use disk::FileKind;

/// A name that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Below the root; empty for the root itself.
    pub(crate) path: PathBuf,
    pub(crate) kind: FileKind,
}

/// Goes through a tree. Memory holds the names of the directories on the way to where it is.
#[derive(Debug)]
pub(crate) struct Walk {
    root: PathBuf,
    open: Vec<(PathBuf, IntoIter<(OsString, FileKind)>)>,
    /// A directory that was handed out, and that is to be listed next.
    entered: Option<PathBuf>,
    begun: bool,
}

impl Walk {
    pub(crate) fn below(root: &Path) -> Self {
        Self { root: root.to_path_buf(), open: Vec::new(), entered: None, begun: false }
    }

    /// Passes over what lies in the directory that was handed out last.
    pub(crate) fn skip(&mut self) {
        self.entered = None;
    }

    /// The next name; a directory that cannot be listed is told by its path.
    pub(crate) fn next(&mut self) -> Option<Result<Found, (PathBuf, io::Error)>> {
        if !self.begun {
            self.begun = true;
            self.entered = Some(PathBuf::new());
            return Some(Ok(Found { path: PathBuf::new(), kind: FileKind::Directory }));
        }
        if let Some(directory) = self.entered.take() {
            match disk::names_in(&self.root.join(&directory)) {
                Ok(names) => self.open.push((directory, names.into_iter())),
                // One that went away since had nothing that is wanted.
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
