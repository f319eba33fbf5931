//! The permissions of a file that was made: the same as with rrdtool, so that a user who could
//! read the files before, a web server say, still can.

use std::io;
use std::path::Path;

use disk::{Durability, Owner};

/// Of a file from `create`, whatever the process's mask says.
const CREATED: u32 = 0o644;
/// Of a file from `restore`, less what the mask takes away.
const RESTORED: u32 = 0o666;

/// What stood under a name before.
pub(crate) struct Before(Option<Owner>);

impl Before {
    pub(crate) fn of(path: &Path) -> Self {
        Self(Owner::of(path).ok())
    }

    /// Which crashes a new file is to survive. Where one stood before, a power cut leaves that one
    /// or the new, which must be on disk before it takes the name. A new name has nothing to lose:
    /// when its bytes reach the disk is left to the kernel, as rrdtool leaves it for all files; a
    /// wait for the disk takes several times as long as all else that is done for a new file.
    pub(crate) fn durability(&self) -> Durability {
        if self.0.is_some() { Durability::Synced } else { Durability::Cached }
    }

    /// `create` keeps the permissions of the file it replaces.
    pub(crate) fn after_create(&self, path: &Path) -> io::Result<()> {
        let mode = self.0.map_or(CREATED, |before| before.mode);
        // With the usual mask it is what is wanted already.
        if Owner::of(path)?.mode == mode { Ok(()) } else { disk::set_mode(path, mode) }
    }

    /// `restore` keeps permissions and owner, as if it had written into the file that was there.
    pub(crate) fn after_restore(&self, path: &Path) -> io::Result<()> {
        let Some(before) = self.0 else {
            return disk::set_mode(path, RESTORED & !disk::mode_mask());
        };
        let now = Owner::of(path)?;
        if (now.user, now.group) != (before.user, before.group) {
            // A user who may not give files away owns the new one, as every file that he makes.
            let _ = before.give(path);
        }
        disk::set_mode(path, before.mode)
    }
}
