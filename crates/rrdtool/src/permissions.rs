//! Who may read and write a file that was made: the same as with rrdtool, so that whoever could read
//! the files before, a web server say, still can.

use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::Mode;
use store::Durability;

/// Of a file from `create`, whatever the process's mask says.
const CREATED: u32 = 0o644;
/// Of a file from `restore`, less what the mask takes away.
const RESTORED: u32 = 0o666;

/// What stood under a name before.
pub(crate) struct Before(Option<Metadata>);

impl Before {
    pub(crate) fn of(path: &Path) -> Self {
        Self(fs::metadata(path).ok())
    }

    /// What a new file is to survive. Where one stood before, a power cut leaves that one or the new,
    /// which must be on disk before it takes the name. A new name has nothing to lose: when its bytes
    /// reach the disk is left to the kernel, as rrdtool leaves it for all files; a wait for the disk
    /// takes several times as long as all else that is done for a new file.
    pub(crate) fn durability(&self) -> Durability {
        if self.0.is_some() { Durability::Synced } else { Durability::Cached }
    }

    /// `create` keeps the permissions of the file it replaces.
    pub(crate) fn after_create(&self, path: &Path) -> std::io::Result<()> {
        let mode = self.0.as_ref().map_or(CREATED, |before| before.mode() & 0o7777);
        // With the usual mask it is what is wanted already.
        if fs::metadata(path)?.mode() & 0o7777 == mode {
            return Ok(());
        }
        fs::set_permissions(path, Permissions::from_mode(mode))
    }

    /// `restore` keeps permissions and owner, as if it had written into the file that was there.
    pub(crate) fn after_restore(&self, path: &Path) -> std::io::Result<()> {
        let Some(before) = &self.0 else {
            return fs::set_permissions(path, Permissions::from_mode(RESTORED & !mask()));
        };
        let now = fs::metadata(path)?;
        if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
            // Who may not give files away owns the new one, as with every file he makes.
            let _ = std::os::unix::fs::chown(path, Some(before.uid()), Some(before.gid()));
        }
        fs::set_permissions(path, Permissions::from_mode(before.mode() & 0o7777))
    }
}

/// The process's mask. It can only be read by setting it; no other thread makes files meanwhile.
fn mask() -> u32 {
    let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(mask);
    mask.as_raw_mode()
}
