//! The directory of the data: its size, and whether it has an index.

use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::unseen::{Root, Seen, Unseen};

/// `EXT4_INDEX_FL`: the directory has a hashed index.
const INDEXED: u32 = 0x1000;

/// A directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Bytes of its entries; they never shrink in an ext directory.
    pub bytes: u64,
    /// Whether it has a hashed index; a directory of a single block needs none.
    pub is_indexed: Seen<bool>,
}

impl Directory {
    pub(super) fn read(root: &Root, path: &Path) -> Seen<Self> {
        let real = root.path(&path.to_string_lossy());
        let unseen = |error: rustix::io::Errno| Unseen::new(path, &error.into());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(&real, flags, Mode::empty()).map_err(unseen)?;
        let stat = rustix::fs::fstat(&opened).map_err(unseen)?;
        let flags = rustix::fs::ioctl_getflags(&opened).map_err(unseen);
        Ok(Self {
            bytes: stat.st_size as u64,
            is_indexed: flags.map(|flags| flags.bits() & INDEXED != 0),
        })
    }
}
