//! The simulated disk of a trial: controlled, and mounted.
//!
//! ```text
//! ROOM/disk/imageN   the disk after N cuts      ROOM/mounted/   its file system
//! ```

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::programs::run;
use crate::Checked;

/// Enough space for a file system.
const PROBE_BYTES: u64 = 32 << 20;
/// How often to try unmounting while a process still uses the file system, and the pause between
/// two attempts.
const TRIES: u32 = 100;
const WAIT: Duration = Duration::from_millis(50);

/// A disk with an ext4 file system; it is removed when dropped.
pub(crate) struct PowerDisk {
    room: PathBuf,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    cuts: u64,
}

impl PowerDisk {
    /// Makes the disk in a directory, formats and mounts it. This program serves it.
    pub(crate) fn new(room: &Path, bytes: u64) -> Checked<Self> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        Self::served_by(&program, room, bytes)
    }

    /// The same, served by the given program.
    pub(crate) fn served_by(program: &Path, room: &Path, bytes: u64) -> Checked<Self> {
        for directory in [served(room), mounted(room)] {
            fs::create_dir_all(&directory)
                .map_err(|it| format!("{}: {it}", directory.display()))?;
        }
        let mut command = Command::new(program);
        command.arg("serve-disk").arg(served(room)).arg(bytes.to_string());
        testbed::name_parent(&mut command);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| error.to_string())?;
        let orders = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut disk = Self { room: room.to_owned(), child, orders, answers, cuts: 0 };
        disk.hear("ready")?;
        let at_once = "lazy_itable_init=0,lazy_journal_init=0,nodiscard".as_ref();
        let image = disk.image();
        let words = ["-q".as_ref(), "-F".as_ref(), "-E".as_ref(), at_once, "-b".as_ref()];
        run("mkfs.ext4", &[&words[..], &["4096".as_ref(), image.as_os_str()]].concat())?;
        disk.mount()?;
        Ok(disk)
    }

    /// The mount point of its file system.
    pub(crate) fn path(&self) -> PathBuf {
        mounted(&self.room)
    }

    /// Cuts the power: all later requests fail, and no later write survives.
    pub(crate) fn cut(&mut self) -> Checked<()> {
        self.order("cut", "cut")
    }

    /// Makes the disk lose a random part of the writes that were not durable at the cut, and mounts
    /// it again.
    pub(crate) fn restart(&mut self, seed: u64) -> Checked<()> {
        self.unmount()?;
        self.order(&format!("lose {seed}"), "lost ")?;
        self.cuts += 1;
        self.mount()
    }

    /// Makes this many of a million writes, flushes and reads fail.
    pub(crate) fn fail(&mut self, [writes, flushes, reads]: [u32; 3]) -> Checked<()> {
        self.order(&format!("fail {writes} {flushes} {reads}"), "failing")
    }

    /// Makes writes with these eight bytes fail.
    pub(crate) fn refuse(&mut self, mark: [u8; 8]) -> Checked<()> {
        self.order(&format!("refuse {}", u64::from_le_bytes(mark)), "refusing")
    }

    /// Makes such writes succeed again.
    pub(crate) fn accept(&mut self) -> Checked<()> {
        self.order("accept", "accepting")
    }

    /// Unmounts and mounts it, so that nothing of it is cached.
    pub(crate) fn remount(&mut self) -> Checked<()> {
        self.unmount()?;
        self.mount()
    }

    fn image(&self) -> PathBuf {
        served(&self.room).join(format!("image{}", self.cuts))
    }

    fn mount(&self) -> Checked<()> {
        let image = self.image();
        let words = ["--find", "--show", "--direct-io=on"].map(AsRef::as_ref);
        let device = run("losetup", &[&words[..], &[image.as_os_str()]].concat())?;
        let mounted = mounted(&self.room);
        let words = ["-o".as_ref(), "noatime".as_ref(), device.as_ref(), mounted.as_os_str()];
        let mounted = run("mount", &words);
        // For a device in use this means that it is removed with its last user: the mount.
        run("losetup", &["--detach".as_ref(), device.as_ref()])?;
        mounted.map(drop)
    }

    fn unmount(&self) -> Checked<()> {
        unmount(&mounted(&self.room))
    }

    fn order(&mut self, order: &str, answer: &str) -> Checked<()> {
        writeln!(self.orders, "{order}").map_err(|error| format!("the disk: {error}"))?;
        self.hear(answer)
    }

    fn hear(&mut self, expected: &str) -> Checked<()> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| format!("the disk: {error}"))?;
        match line.starts_with(expected) {
            true => Ok(()),
            false => Err(format!("the disk: {}, expected {expected}", line.trim())),
        }
    }
}

impl Drop for PowerDisk {
    fn drop(&mut self) {
        // If this fails, the next run cleans up.
        let _ = self.unmount();
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = unmount(&served(&self.room));
    }
}

fn served(room: &Path) -> PathBuf {
    room.join("disk")
}

fn mounted(room: &Path) -> PathBuf {
    room.join("mounted")
}

/// Unmounts a directory; retries while processes still use it.
fn unmount(directory: &Path) -> Checked<()> {
    let mut outcome = Ok(());
    for _ in 0..TRIES {
        if !is_mounted(directory) {
            return Ok(());
        }
        outcome = run("umount", &[directory.as_os_str()]).map(drop);
        if outcome.is_err() {
            std::thread::sleep(WAIT);
        }
    }
    outcome
}

fn is_mounted(directory: &Path) -> bool {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().any(|line| line.split(' ').nth(4) == directory.to_str())
}

/// Why this user cannot have such a disk on this machine; `None` if it is possible.
pub(crate) fn refusal(room: &Path) -> Option<String> {
    PowerDisk::new(room, PROBE_BYTES).err()
}

/// Unmounts and removes the disk of a killed run in its directory.
pub(crate) fn remove(room: &Path) -> Checked<()> {
    unmount(&mounted(room))?;
    // A device that the run did not mount.
    for device in devices_of(&served(room)) {
        run("losetup", &["--detach".as_ref(), device.as_os_str()])?;
    }
    unmount(&served(room))
}

/// The loop devices whose images are in a directory.
fn devices_of(directory: &Path) -> Vec<PathBuf> {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let is_one = |device: &fs::DirEntry| {
        let image = fs::read_to_string(device.path().join("loop/backing_file"));
        image.is_ok_and(|image| Path::new(&image).starts_with(directory))
    };
    devices.filter(is_one).map(|device| Path::new("/dev").join(device.file_name())).collect()
}
