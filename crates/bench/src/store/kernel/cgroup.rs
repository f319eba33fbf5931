//! A control group: a limit of memory for a process and its page cache, and what it read.
//!
//! Of version 2 where its memory controller is there, of version 1 elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{read, write};

const ROOT: &str = "/sys/fs/cgroup";

/// A control group; it goes away when dropped, all its processes having ended.
#[derive(Debug)]
pub(crate) struct Cgroup {
    version: Version,
    /// Where it stands: one directory for each hierarchy.
    directories: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// What a control group did since it was made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupCounters {
    /// The most memory it held, page cache included.
    pub(crate) memory_bytes_max: u64,
    /// Bytes read from the device, where they are counted.
    pub(crate) read_bytes: Option<u64>,
}

impl Cgroup {
    /// Makes a group with a limit of memory, or without.
    pub(crate) fn new(name: &str, memory_bytes_max: Option<u64>) -> Result<Self, String> {
        let root = Path::new(ROOT);
        let controllers = std::fs::read_to_string(root.join("cgroup.controllers"));
        let (version, hierarchies) = match controllers {
            Ok(names) if names.split_whitespace().any(|name| name == "memory") => {
                (Version::Two, vec![root.to_path_buf()])
            }
            // Reads are counted in a hierarchy of their own, which may be missing.
            _ => (Version::One, vec![root.join("memory"), root.join("blkio")]),
        };
        let name = format!("gyre-bench-{}-{name}", std::process::id());
        let mut group = Self { version, directories: Vec::new() };
        for (nth, hierarchy) in hierarchies.into_iter().enumerate() {
            let directory = hierarchy.join(&name);
            match std::fs::create_dir(&directory) {
                Ok(()) => group.directories.push(directory),
                Err(error) if nth == 0 => return Err(format!("{}: {error}", directory.display())),
                Err(_) => {}
            }
        }
        if let Some(bytes) = memory_bytes_max {
            let file = if version == Version::Two { "memory.max" } else { "memory.limit_in_bytes" };
            write(&group.directories[0].join(file), &bytes.to_string())?;
        }
        Ok(group)
    }

    /// A command that runs a program in this group from its first instruction.
    pub(crate) fn command(&self, program: &Path) -> Command {
        // A shell enters the group and becomes the program; entering it between fork and exec
        // ourselves would need unsafe code.
        let mut script = String::new();
        for directory in &self.directories {
            script += &format!("echo $$ > '{}/cgroup.procs' && ", directory.display());
        }
        script += "exec \"$0\" \"$@\"";
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script).arg(program);
        command
    }

    /// The counters now; `device` is `major:minor`.
    pub(crate) fn counters(&self, device: &str) -> Result<GroupCounters, String> {
        let memory = &self.directories[0];
        let peak = match self.version {
            Version::Two => "memory.peak",
            Version::One => "memory.max_usage_in_bytes",
        };
        Ok(GroupCounters {
            memory_bytes_max: read(&memory.join(peak))?.trim().parse().unwrap_or(0),
            read_bytes: self.read_bytes(device),
        })
    }

    fn read_bytes(&self, device: &str) -> Option<u64> {
        match self.version {
            Version::Two => {
                let text = read(&self.directories[0].join("io.stat")).ok()?;
                Some(read_bytes_v2(&text, device))
            }
            Version::One => {
                let file = "blkio.throttle.io_service_bytes";
                let text = read(&self.directories.get(1)?.join(file)).ok()?;
                Some(read_bytes_v1(&text, device))
            }
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for directory in &self.directories {
            // A process that was killed leaves a moment later.
            for _ in 0..100 {
                if std::fs::remove_dir(directory).is_ok() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
        }
    }
}

/// `254:0 rbytes=4096 wbytes=0 ...`; a device that was not used has no line.
fn read_bytes_v2(text: &str, device: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(device)).unwrap_or_default();
    let bytes = line.split_whitespace().find_map(|word| word.strip_prefix("rbytes="));
    bytes.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// `254:0 Read 4096`.
fn read_bytes_v1(text: &str, device: &str) -> u64 {
    let prefix = format!("{device} Read ");
    let bytes = text.lines().find_map(|line| line.strip_prefix(&*prefix));
    bytes.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{read_bytes_v1, read_bytes_v2};

    #[test]
    fn reads_the_lines_of_both_versions() {
        let two = "7:0 rbytes=1 wbytes=2\n254:0 rbytes=8192 wbytes=0 rios=2 wios=0\n";
        assert_eq!(read_bytes_v2(two, "254:0"), 8192);
        assert_eq!(read_bytes_v2(two, "253:0"), 0);
        let one = "254:0 Read 12288\n254:0 Write 4096\nTotal 16384\n";
        assert_eq!(read_bytes_v1(one, "254:0"), 12_288);
    }
}
