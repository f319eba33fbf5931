//! What a path leads to.

use std::io;
use std::path::{Path, PathBuf};

use disk::{File, FileFacts, FileKind, Mode};

use crate::configuration::RING_DIRECTORY;

/// What a path leads to, as far as databases go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A ring store, and where it is: there, or below MRTG's directory, where `gyre run` keeps it.
    Store(PathBuf),
    /// Any other directory: one of `.rrd` files, or one that is to hold them.
    Tree,
    /// One `.rrd` file, or one that is called so.
    Database,
    /// Any other file, which may be an mrtg.cfg.
    Configuration,
    /// Neither file nor directory.
    Neither,
}

impl Given {
    /// Looks where a path leads, links followed.
    ///
    /// # Errors
    /// There is nothing, or it may not be looked at.
    pub fn at(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        Ok(match FileFacts::at(&path)?.kind {
            FileKind::Directory if ring::RingStore::is_at(&path) => Self::Store(path),
            FileKind::Directory => match path.join(RING_DIRECTORY) {
                store if ring::RingStore::is_at(&store) => Self::Store(store),
                _ => Self::Tree,
            },
            FileKind::Regular if is_database(&path) => Self::Database,
            FileKind::Regular => Self::Configuration,
            _ => Self::Neither,
        })
    }
}

/// Whether a file is an `.rrd` file, by how it begins, or is meant as one, by its name: it may be
/// damaged, and is no mrtg.cfg.
fn is_database(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "rrd") {
        return true;
    }
    let mut begin = [0; 4];
    let read = File::open(path, Mode::Read).and_then(|file| file.read_at(&mut begin, 0));
    read.is_ok() && begin == *b"RRD\0"
}
