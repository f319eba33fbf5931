//! A control group: a limit of memory for a process and its page cache.
//!
//! It is of version 2 if that has the memory controller, otherwise of version 1.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{read, run, write};

const ROOT: &str = "/sys/fs/cgroup";

/// A control group. It is removed when dropped; its processes must have ended.
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

impl Version {
    fn of_this_machine() -> Self {
        match std::fs::read_to_string(Path::new(ROOT).join("cgroup.controllers")) {
            Ok(names) if names.split_whitespace().any(|name| name == "memory") => Self::Two,
            _ => Self::One,
        }
    }
}

/// The directory in which groups with a limit of memory are made.
pub(crate) fn memory_hierarchy() -> PathBuf {
    match Version::of_this_machine() {
        Version::Two => ROOT.into(),
        Version::One => Path::new(ROOT).join("memory"),
    }
}

/// Removes a group once its processes have ended; returns an error if it could not.
pub(crate) fn remove(directory: &Path) -> Option<String> {
    let mut refused = None;
    // A process that was killed leaves the group a moment later.
    for _ in 0..100 {
        match std::fs::remove_dir(directory) {
            Ok(()) => return None,
            // Another run that cleans up may have removed it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => refused = Some(error.to_string()),
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    refused
}

impl Cgroup {
    /// Makes a group with a limit of memory.
    ///
    /// # Errors
    ///
    /// The kernel does not permit it for this user.
    pub fn new(name: &str, memory_bytes_max: u64) -> Result<Self, String> {
        let version = Version::of_this_machine();
        let limit = match version {
            Version::Two => "memory.max",
            Version::One => "memory.limit_in_bytes",
        };
        let directory = memory_hierarchy().join(run::own_name(name));
        std::fs::create_dir(&directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        let group = Self { version, directory };
        write(&group.directory.join(limit), &memory_bytes_max.to_string())?;
        group.never_swap();
        Ok(group)
    }

    /// Disables swap for the group, so that pages beyond the limit are dropped instead of swapped.
    /// Kernels without swap have no such setting.
    fn never_swap(&self) {
        let setting = match self.version {
            Version::Two => "memory.swap.max",
            Version::One => "memory.swappiness",
        };
        let _ = write(&self.directory.join(setting), "0"); // as above
    }

    /// A command that runs a program in this group from its first instruction on.
    pub fn command(&self, program: &Path) -> Command {
        // A shell enters the group and executes the program. Entering it between fork and exec
        // ourselves would need unsafe code.
        let enter = format!("echo $$ > '{}/cgroup.procs'", self.directory.display());
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(enter + " && exec \"$0\" \"$@\"").arg(program);
        command
    }

    /// The most memory that it used, including page cache, in bytes.
    ///
    /// # Errors
    ///
    /// The kernel does not tell.
    pub fn memory_bytes_max(&self) -> Result<u64, String> {
        let peak = match self.version {
            Version::Two => "memory.peak",
            Version::One => "memory.max_usage_in_bytes",
        };
        self.number(peak)
    }

    /// The number in a file of the group.
    fn number(&self, name: &str) -> Result<u64, String> {
        let path = self.directory.join(name);
        let text = read(&path)?;
        text.trim().parse().map_err(|_| format!("{}: {text:?} is no number", path.display()))
    }

    /// Its present page cache in bytes.
    ///
    /// # Errors
    ///
    /// The kernel does not tell.
    pub fn cached_bytes(&self) -> Result<u64, String> {
        let label = match self.version {
            Version::Two => "file ",
            Version::One => "cache ",
        };
        self.statistic(label)
    }

    /// Pages charged to it since it was made, including those of programs (`pgpgin`); `None` in
    /// version 2, where the kernel does not count them.
    ///
    /// # Errors
    ///
    /// The kernel does not tell.
    pub fn pages_charged(&self) -> Result<Option<u64>, String> {
        match self.version {
            Version::Two => Ok(None),
            Version::One => self.statistic("pgpgin ").map(Some),
        }
    }

    /// Its present kernel memory in bytes, including inodes and names.
    ///
    /// # Errors
    ///
    /// The kernel does not tell.
    pub fn kernel_bytes(&self) -> Result<u64, String> {
        match self.version {
            Version::Two => self.statistic("kernel "),
            Version::One => self.number("memory.kmem.usage_in_bytes"),
        }
    }

    /// How many of its processes the kernel killed because memory was exhausted.
    ///
    /// # Errors
    ///
    /// The kernel does not tell.
    pub fn killed_for_memory(&self) -> Result<u64, String> {
        let name = match self.version {
            Version::Two => "memory.events",
            Version::One => "memory.oom_control",
        };
        self.labelled(name, "oom_kill ")
    }

    fn statistic(&self, label: &str) -> Result<u64, String> {
        self.labelled("memory.stat", label)
    }

    /// The number after a label in a file of the group.
    fn labelled(&self, name: &str, label: &str) -> Result<u64, String> {
        let path = self.directory.join(name);
        let text = read(&path)?;
        let value = text.lines().find_map(|line| line.strip_prefix(label)?.parse().ok());
        value.ok_or_else(|| format!("{}: no line {label:?}", path.display()))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        if let Some(reason) = remove(&self.directory) {
            eprintln!("{} is left behind: {reason}", self.directory.display());
        }
    }
}
