//! The properties of an ext file system, from its superblock and `/proc/fs/ext4`.
//!
//! ```text
//!   offset of the device   bytes   superblock
//!   1024                           begins
//!   + 56                   2       magic, 0xEF53
//!   + 92                   4       compatible features; 0x4 journal, 0x20 dir_index
//! ```

use disk::{File, Mode};

use super::Mount;
use crate::unseen::{Root, Seen, Unseen};

const SUPERBLOCK: u64 = 1024;
const MAGIC: std::ops::Range<usize> = 56..58;
const COMPATIBLE: std::ops::Range<usize> = 92..96;
const HAS_JOURNAL: u32 = 0x4;
const DIR_INDEX: u32 = 0x20;

/// The properties of an ext file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ext {
    /// Features, from the superblock.
    pub features: Seen<Features>,
    /// Every option in force, including defaults.
    pub options: Seen<Vec<String>>,
}

/// Features of an ext file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// It has a journal.
    pub has_journal: bool,
    /// Directories have hashed indices.
    pub has_directory_index: bool,
}

impl Ext {
    pub(super) fn read(root: &Root, mount: &Mount) -> Option<Self> {
        if !mount.is_ext() {
            return None;
        }
        let name = root.text(&format!("/sys/dev/block/{}/uevent", mount.device));
        let name = name.ok().and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("DEVNAME=")).map(str::to_owned)
        });
        let name = name.or_else(|| mount.source.strip_prefix("/dev/").map(str::to_owned));
        let Some(name) = name else {
            let unseen = Unseen(format!("{}: no device is named", mount.point.display()));
            return Some(Self { features: Err(unseen.clone()), options: Err(unseen) });
        };
        let options = root.text(&format!("/proc/fs/{}/{name}/options", mount.kind));
        Some(Self {
            features: features(root, &format!("/dev/{name}")),
            options: options.map(|text| text.lines().map(str::to_owned).collect()),
        })
    }
}

fn features(root: &Root, device: &str) -> Seen<Features> {
    let unseen = |error: std::io::Error| Unseen::new(std::path::Path::new(device), &error);
    let file = File::open(&root.path(device), Mode::Read).map_err(unseen)?;
    let mut block = [0; 96];
    let read = file.read_at(&mut block, SUPERBLOCK).map_err(unseen)?;
    let no_superblock = || Unseen::odd(device, "an ext superblock at byte 1024");
    if read < block.len() || block[MAGIC] != [0x53, 0xEF] {
        return Err(no_superblock());
    }
    let features = block[COMPATIBLE].try_into().map(u32::from_le_bytes);
    let features = features.map_err(|_| no_superblock())?;
    Ok(Features {
        has_journal: features & HAS_JOURNAL != 0,
        has_directory_index: features & DIR_INDEX != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_right() {
        let directory = tempfile::tempdir().unwrap();
        let device = directory.path().join("dev");
        std::fs::create_dir(&device).unwrap();
        let mut bytes = vec![0; 4096];
        bytes[1024 + 56..1024 + 58].copy_from_slice(&[0x53, 0xEF]);
        bytes[1024 + 92] = 0x3c; // as mkfs.ext4 makes it
        std::fs::write(device.join("sda1"), &bytes).unwrap();
        let root = Root::at(directory.path());
        let both = Features { has_journal: true, has_directory_index: true };
        assert_eq!(features(&root, "/dev/sda1"), Ok(both));
        std::fs::write(device.join("sda2"), &bytes[..1100]).unwrap();
        assert!(features(&root, "/dev/sda2").unwrap_err().0.contains("an ext superblock"));
    }
}
