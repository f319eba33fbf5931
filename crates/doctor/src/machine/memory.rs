//! Memory: `/proc/meminfo`, and the limit of the control group.

use crate::unseen::{Root, Seen, Unseen};

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All memory.
    pub total_bytes: u64,
    /// The memory available without swapping, including page cache that can be dropped.
    pub available_bytes: u64,
    /// Swap space.
    pub swap_bytes: u64,
    /// Used swap space.
    pub swap_used_bytes: u64,
    /// The limit of this process's control group, including page cache, and its present use.
    pub group: Option<(u64, u64)>,
}

impl Memory {
    /// Reads the state of memory.
    ///
    /// # Errors
    ///
    /// `/proc/meminfo` cannot be read or parsed.
    pub fn read(root: &Root) -> Seen<Self> {
        let path = "/proc/meminfo";
        let text = root.text(path)?;
        let field = |name: &str| bytes_of(&text, name).ok_or_else(|| Unseen::odd(path, name));
        let total_bytes = field("MemTotal")?;
        // Before Linux 3.14 there was no estimate of available memory.
        let older = || Some(bytes_of(&text, "MemFree")? + bytes_of(&text, "Cached")?);
        let available = bytes_of(&text, "MemAvailable").or_else(older);
        let swap_bytes = field("SwapTotal")?;
        Ok(Self {
            total_bytes,
            available_bytes: available.ok_or_else(|| Unseen::odd(path, "MemAvailable"))?,
            swap_bytes,
            swap_used_bytes: swap_bytes.saturating_sub(field("SwapFree")?),
            group: group(root).filter(|(limit, _)| *limit < total_bytes),
        })
    }

    /// The memory for a new plan: the available memory, within the limit of the control group.
    #[must_use]
    pub fn to_have_bytes(&self) -> u64 {
        // The group's present use is mostly page cache, which can be dropped for the plan.
        let within_group = self.group.map_or(u64::MAX, |(limit, _)| limit);
        self.available_bytes.min(within_group)
    }
}

/// `Name:   123 kB` in bytes.
fn bytes_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The smallest limit of the control groups of this process, and the use of that group.
fn group(root: &Root) -> Option<(u64, u64)> {
    let groups = root.text("/proc/self/cgroup").ok()?;
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let (mount, limit, used) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current")
        } else if controllers.split(',').any(|each| each == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            return Vec::new();
        };
        // In a container the path may be that of the host: then the mounted directory is the group
        // itself.
        let above = std::path::Path::new(path).ancestors().map(|it| it.display().to_string());
        let directories = above.map(|above| format!("{mount}/{}", above.trim_matches('/')));
        let read = |directory: String| {
            let limit_bytes = root.number(&format!("{directory}/{limit}")).ok()?;
            Some((limit_bytes, root.number(&format!("{directory}/{used}")).unwrap_or(0)))
        };
        directories.filter_map(read).collect()
    });
    limits.min()
}
