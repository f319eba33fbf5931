//! The kind of thing at a path.

use std::io;
use std::path::{Path, PathBuf};

use disk::{File, FileFacts, FileKind, Mode};

use crate::configuration::RING_DIRECTORY;

/// The kind of thing at a path, with regard to databases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A ring store at this path: the given path, or below MRTG's directory, where `gyre run` keeps
    /// it.
    Store(PathBuf),
    /// Another directory: it has `.rrd` files, or may get some.
    Tree,
    /// An `.rrd` file, or a file with such a name.
    Database,
    /// Any other file, which may be an mrtg.cfg.
    Configuration,
    /// Neither file nor directory.
    Neither,
}

impl Given {
    /// Finds out the kind; symbolic links are followed.
    ///
    /// # Errors
    ///
    /// Nothing exists there, or it may not be inspected.
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

/// Whether a file begins like an `.rrd` file, or has the name of one: then it may be damaged, but
/// it is not an mrtg.cfg.
fn is_database(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "rrd") {
        return true;
    }
    let mut begin = [0; 4];
    let read = File::open(path, Mode::Read).and_then(|file| file.read_at(&mut begin, 0));
    read.is_ok() && begin == *b"RRD\0"
}
