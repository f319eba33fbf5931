//! A disk of one's own: ext4 in a file, behind a loop device.
//!
//! ```text
//! DIRECTORY/gyre-testbed-PID-START-N-disk/image   a sparse file; it has no name once the disk is there
//!                                        /mounted  the file system
//! ```
//!
//! The loop device goes past the page cache (`O_DIRECT`), so that what is cached is cached once; it
//! has counters and a readahead window of its own. It ends with its mount, and the image with it.

use std::path::{Path, PathBuf};

use crate::{Device, mounts, programs, run};

/// A file system on a disk of its own; it goes away when dropped.
#[derive(Debug)]
pub struct LoopDisk {
    directory: PathBuf,
    device: Device,
}

impl LoopDisk {
    /// Makes a disk of so many bytes in a file below a directory, which takes only what is written.
    ///
    /// # Errors
    /// The kernel does not let this user, there is no loop device, or a program is missing
    /// (`mkfs.ext4`, `losetup`, `mount`).
    pub fn new(below: &Path, bytes: u64) -> Result<Self, String> {
        let text = |error: std::io::Error| format!("{}: {error}", below.display());
        // The kernel's table of mounts has absolute paths.
        let below = below.canonicalize().map_err(text)?;
        let directory = below.join(run::own_name("disk"));
        std::fs::create_dir(&directory).map_err(text)?;
        let made = set_up(&directory, bytes);
        if made.is_err() {
            take_down(&directory);
        }
        Ok(Self { device: made?, directory })
    }

    /// Where its file system is mounted.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        mounted(&self.directory)
    }

    /// The loop device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        if let Some(reason) = take_down(&self.directory) {
            eprintln!("{} is left behind: {reason}", self.directory.display());
        }
    }
}

fn mounted(directory: &Path) -> PathBuf {
    directory.join("mounted")
}

fn set_up(directory: &Path, bytes: u64) -> Result<Device, String> {
    let text = |error: std::io::Error| format!("{}: {error}", directory.display());
    let (image, mounted) = (directory.join("image"), mounted(directory));
    let file = disk::File::create(&image).map_err(text)?;
    file.truncate(bytes).map_err(text)?;
    std::fs::create_dir(&mounted).map_err(text)?;
    // Of small disks mkfs makes blocks of 1 KiB, and a page is then read in parts; the rest is as large
    // disks have it.
    let blocks = ["-b", "4096", "-I", "256"].map(AsRef::as_ref);
    // All of its tables are written now, so that nothing writes them while something is measured.
    let at_once = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
    let image = image.as_os_str();
    let quietly = ["-q", "-F", "-E", at_once].map(AsRef::as_ref);
    programs::run("mkfs.ext4", &[&quietly[..], &blocks, &[image]].concat())?;
    let device = programs::run(
        "losetup",
        &["--find".as_ref(), "--show".as_ref(), "--direct-io=on".as_ref(), image],
    )?;
    let attached = programs::run(
        "mount",
        &["-o".as_ref(), "noatime".as_ref(), device.as_ref(), mounted.as_os_str()],
    );
    // Of a device in use this makes one that ends with its last user: the mount.
    let detached = programs::run("losetup", &["--detach", &device]);
    attached.and(detached)?;
    std::fs::remove_file(image).map_err(text)?;
    Device::of(&mounted)
}

/// Removes a disk, however much of it there is; gives what kept it from that.
pub(crate) fn take_down(directory: &Path) -> Option<String> {
    let mounted = mounted(directory);
    let is_mounted = || mounts::is_mount_point(&mounted);
    let mut refused = None;
    // Whoever was killed in it leaves a moment later.
    for _ in 0..50 {
        if !is_mounted() {
            break;
        }
        refused = programs::run("umount", &[&mounted]).err();
        if refused.is_some() {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
    if is_mounted() {
        return refused;
    }
    std::fs::remove_dir_all(directory).err().map(|error| error.to_string())
}
