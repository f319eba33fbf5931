//! The place of the data: file system, device, free space.

mod mounts;
mod device;
mod ext;
mod directory;

use std::path::{Path, PathBuf};

pub use device::Device;
pub use directory::Directory;
pub use ext::{Ext, Features};
pub use mounts::Mount;

use crate::unseen::{Root, Seen, Unseen};

/// The present or future place of the data.
#[derive(Clone, Debug)]
pub struct Place {
    /// The directory; the nearest existing one above it if it does not exist.
    pub path: PathBuf,
    /// Its file system.
    pub mount: Seen<Mount>,
    /// Whether it is the root file system.
    pub is_root: bool,
    /// Other entries at the top of its file system.
    pub neighbours: Seen<Vec<String>>,
    /// The device below.
    pub device: Seen<Device>,
    /// The free space.
    pub room: Seen<Room>,
    /// The properties of an ext file system.
    pub ext: Option<Ext>,
    /// The directory itself.
    pub directory: Seen<Directory>,
}

/// The space of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// All of it, in bytes.
    pub bytes: u64,
    /// Free bytes for users.
    pub free_bytes: u64,
    /// All inodes; 0 if the file system makes them as needed.
    pub inodes: u64,
    /// Free inodes.
    pub free_inodes: u64,
}

impl Place {
    /// Inspects the file system of a directory, given by an absolute path.
    #[must_use]
    pub fn read(root: &Root, wanted: &Path) -> Self {
        let path = existing(root, wanted);
        let mounts = Mount::read_all(root);
        let mount = mounts.as_ref().map_err(Clone::clone).and_then(|all| {
            let found = Mount::of(all, &path);
            found.cloned().ok_or_else(|| Unseen(format!("{}: no mount has it", path.display())))
        });
        let system = mounts.as_ref().ok().and_then(|all| Mount::of(all, Path::new("/")));
        let is_root =
            matches!((&mount, system), (Ok(mount), Some(system)) if mount.device == system.device);
        let device = mount.as_ref().map_err(Clone::clone).and_then(|it| Device::read(root, it));
        let neighbours =
            mount.as_ref().map_err(Clone::clone).and_then(|it| it.neighbours(root, &path));
        let ext = mount.as_ref().ok().and_then(|it| Ext::read(root, it));
        let room = if root.is_here() { room(&path) } else { Err(Unseen("another machine".into())) };
        let directory = Directory::read(root, &path);
        Self { path, mount, is_root, neighbours, device, room, ext, directory }
    }
}

/// The directory, or the nearest existing one above it.
fn existing(root: &Root, wanted: &Path) -> PathBuf {
    let there = |path: &&Path| root.path(&path.to_string_lossy()).is_dir();
    let found = wanted.ancestors().find(there).unwrap_or(Path::new("/"));
    let is_here = root.is_here();
    let real = if is_here { found.canonicalize().ok() } else { None };
    real.unwrap_or_else(|| found.into())
}

fn room(path: &Path) -> Seen<Room> {
    let stat = rustix::fs::statvfs(path).map_err(|error| Unseen::new(path, &error.into()))?;
    Ok(Room {
        bytes: stat.f_blocks * stat.f_frsize,
        free_bytes: stat.f_bavail * stat.f_frsize,
        inodes: stat.f_files,
        free_inodes: stat.f_favail,
    })
}
