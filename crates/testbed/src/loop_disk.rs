//! A private disk: ext4 in a file, behind a loop device.
//!
//! ```text
//! DIRECTORY/gyre-testbed-...-disk/image    a sparse file; it has no name once the disk is there
//!                                /mounted  the file system
//! ```
//!
//! The loop device bypasses the page cache (`O_DIRECT`), so that data is cached only once. It has
//! its own counters and readahead window. The device and the image are removed with the mount.

use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::{Device, mounts, programs, run};

/// The suffix of the names of disks.
pub(crate) const LABEL: &str = "disk";
/// The mount point in the disk's directory.
const MOUNTED: &str = "mounted";

/// A file system on a private disk; it is removed when dropped.
#[derive(Debug)]
pub struct LoopDisk {
    directory: PathBuf,
    device: Device,
}

impl LoopDisk {
    /// Makes a disk of this size in a sparse file below a directory.
    ///
    /// # Errors
    ///
    /// The kernel does not permit it for this user, there is no loop device, or a program is
    /// missing (`mkfs.ext4`, `losetup`, `mount`).
    pub fn new(below: &Path, bytes: u64) -> Result<Self, String> {
        let text = |error: std::io::Error| format!("{}: {error}", below.display());
        // The kernel's table of mounts has absolute paths.
        let below = below.canonicalize().map_err(text)?;
        let directory = below.join(run::own_name(LABEL));
        std::fs::create_dir(&directory).map_err(text)?;
        let made = set_up(&directory, bytes).map_err(|reason| match take_down(&directory) {
            None => reason,
            Some(left) => format!("{reason}; {} is left behind: {left}", directory.display()),
        });
        Ok(Self { device: made?, directory })
    }

    /// The mount point.
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
    directory.join(MOUNTED)
}

fn image(directory: &Path) -> PathBuf {
    directory.join("image")
}

fn set_up(directory: &Path, bytes: u64) -> Result<Device, String> {
    let text = |error: std::io::Error| format!("{}: {error}", directory.display());
    let (image, mounted) = (image(directory), mounted(directory));
    let file = disk::File::create(&image).map_err(text)?;
    file.truncate(bytes).map_err(text)?;
    std::fs::create_dir(&mounted).map_err(text)?;
    // For small disks mkfs would use blocks of 1 KiB, and pages would be read in parts. Other
    // parameters are as for large disks.
    let blocks = ["-b", "4096", "-I", "256"].map(AsRef::as_ref);
    // All tables of the file system are written now, not during a measurement.
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
    // For a device in use this means that it is removed with its last user: the mount.
    let detached = programs::run("losetup", &["--detach", &device]);
    both(attached.map(drop), detached.map(drop))?;
    std::fs::remove_file(image).map_err(text)?;
    Device::of(&mounted)
}

/// Combines two steps that are both executed even if one fails.
fn both(first: Result<(), String>, second: Result<(), String>) -> Result<(), String> {
    match (first, second) {
        (Err(first), Err(second)) => Err(format!("{first}; {second}")),
        (first, second) => first.and(second),
    }
}

/// The directories of disks among the mount points.
pub(crate) fn mounted_disks(points: Vec<PathBuf>) -> Vec<PathBuf> {
    let points = points.into_iter().filter(|point| point.ends_with(MOUNTED));
    points.filter_map(|point| Some(point.parent()?.to_path_buf())).collect()
}

/// Removes all parts of a disk that exist; returns an error if it could not.
pub(crate) fn take_down(directory: &Path) -> Option<String> {
    let (image, mounted) = (image(directory), mounted(directory));
    let parts = || {
        unmount(&mounted)?;
        // The device of a killed run that did not mount it.
        attached_to(&image).iter().try_for_each(|device| {
            programs::run("losetup", &["--detach".as_ref(), device.as_os_str()]).map(drop)
        })?;
        // No other file is removed: it may be another mount.
        remove(&image, std::fs::remove_file(&image))?;
        remove(&mounted, std::fs::remove_dir(&mounted))?;
        remove(directory, std::fs::remove_dir(directory))
    };
    parts().err()
}

fn unmount(mounted: &Path) -> Result<(), String> {
    let mut refused = None;
    // A killed process in it ends a moment later.
    for _ in 0..50 {
        if !mounts::is_mount_point(mounted)? {
            return Ok(());
        }
        refused = programs::run("umount", &[mounted]).err();
        if refused.is_some() {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
    match refused {
        Some(reason) if mounts::is_mount_point(mounted)? => Err(reason),
        _ => Ok(()),
    }
}

/// The loop devices of an image.
fn attached_to(image: &Path) -> Vec<PathBuf> {
    let devices = std::fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let is_one = |device: &std::fs::DirEntry| {
        let behind = std::fs::read(device.path().join("loop/backing_file")).unwrap_or_default();
        behind.strip_suffix(b"\n") == Some(image.as_os_str().as_bytes())
    };
    devices.filter(is_one).map(|device| Path::new("/dev").join(device.file_name())).collect()
}

/// A part may never have been made.
fn remove(path: &Path, removed: std::io::Result<()>) -> Result<(), String> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{both, mounted_disks};

    #[test]
    fn of_two_steps_no_failure_is_lost() {
        let failed = |it: &str| Err(it.to_owned());
        assert_eq!(both(failed("a"), failed("b")), failed("a; b"));
        assert_eq!(both(failed("a"), Ok(())), failed("a"));
        assert_eq!(both(Ok(()), failed("b")), failed("b"));
        assert_eq!(both(Ok(()), Ok(())), Ok(()));
    }

    #[test]
    fn other_mounts_in_a_directory_of_the_name_are_no_disks() {
        let points = ["/a/disk/mounted", "/b/disk/data", "/c/disk/unmounted", "/"];
        let disks = mounted_disks(points.map(PathBuf::from).into());
        assert_eq!(disks, [PathBuf::from("/a/disk")]);
    }
}
