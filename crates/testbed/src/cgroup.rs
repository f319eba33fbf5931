//! A control group: a limit of memory for a process and its page cache.
//!
//! Of version 2 where its memory controller is there, of version 1 elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{read, write};

const ROOT: &str = "/sys/fs/cgroup";

/// A control group; it goes away when dropped, all its processes having ended.
#[derive(Debug)]
pub struct Cgroup {
    version: Version,
    directory: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Cgroup {
    /// Makes a group with a limit of memory.
    ///
    /// # Errors
    /// The kernel does not let this user.
    pub fn new(name: &str, memory_bytes_max: u64) -> Result<Self, String> {
        let root = Path::new(ROOT);
        let controllers = std::fs::read_to_string(root.join("cgroup.controllers"));
        let (version, hierarchy, limit) = match controllers {
            Ok(names) if names.split_whitespace().any(|name| name == "memory") => {
                (Version::Two, root.to_path_buf(), "memory.max")
            }
            _ => (Version::One, root.join("memory"), "memory.limit_in_bytes"),
        };
        let directory = hierarchy.join(format!("gyre-bench-{}-{name}", std::process::id()));
        std::fs::create_dir(&directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        let group = Self { version, directory };
        write(&group.directory.join(limit), &memory_bytes_max.to_string())?;
        Ok(group)
    }

    /// A command that runs a program in this group from its first instruction.
    pub fn command(&self, program: &Path) -> Command {
        // A shell enters the group and becomes the program; entering it between fork and exec
        // ourselves would need unsafe code.
        let enter = format!("echo $$ > '{}/cgroup.procs'", self.directory.display());
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(enter + " && exec \"$0\" \"$@\"").arg(program);
        command
    }

    /// The most memory that it held, page cache included, bytes.
    ///
    /// # Errors
    /// The kernel does not tell it.
    pub fn memory_bytes_max(&self) -> Result<u64, String> {
        let peak = match self.version {
            Version::Two => "memory.peak",
            Version::One => "memory.max_usage_in_bytes",
        };
        let path = self.directory.join(peak);
        let text = read(&path)?;
        text.trim().parse().map_err(|_| format!("{}: {text:?} is no number", path.display()))
    }

    /// Page cache that it holds now, bytes.
    ///
    /// # Errors
    /// The kernel does not tell it.
    pub fn cached_bytes(&self) -> Result<u64, String> {
        let label = match self.version {
            Version::Two => "file ",
            Version::One => "cache ",
        };
        let path = self.directory.join("memory.stat");
        let text = read(&path)?;
        let bytes = text.lines().find_map(|line| line.strip_prefix(label)?.parse().ok());
        bytes.ok_or_else(|| format!("{}: no line {label:?}", path.display()))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // A process that was killed leaves a moment later.
        for _ in 0..100 {
            if std::fs::remove_dir(&self.directory).is_ok() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}
