//! The block device below a file system: `/sys/dev/block`.

use super::Mount;
use crate::unseen::{Root, Seen, Unseen};

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// `sda`, `nvme0n1`, `md0`: the whole device, not the partition.
    pub name: String,
    /// Whether the device claims to be rotational; virtual disks often claim so wrongly.
    pub is_rotational: bool,
    /// The kernel's readahead, in KiB.
    pub read_ahead_kibibytes: u64,
    /// The I/O scheduler, and the available ones; `None` if devices below it decide.
    pub scheduler: Option<(String, Vec<String>)>,
    /// Whether it has a write cache, which a sync must flush.
    pub has_write_cache: Option<bool>,
}

impl Device {
    pub(super) fn read(root: &Root, mount: &Mount) -> Seen<Self> {
        let mut directory = format!("/sys/dev/block/{}", mount.device);
        if mount.device.starts_with("0:") {
            // btrfs and similar file systems have device numbers of their own, but name their
            // device.
            let name = mount.source.strip_prefix("/dev/");
            let none =
                || Unseen(format!("{}: {} is on no device", mount.point.display(), mount.kind));
            directory = format!("/sys/class/block/{}", name.ok_or_else(none)?);
        }
        if root.exists(&format!("{directory}/partition")) {
            directory = format!("{directory}/..");
        }
        let queue = format!("{directory}/queue");
        let read_ahead_kibibytes = root.number(&format!("{queue}/read_ahead_kb"))?;
        let scheduler = root.text(&format!("{queue}/scheduler")).ok();
        let write_cache = root.text(&format!("{queue}/write_cache")).ok();
        Ok(Self {
            name: name(root, &directory).unwrap_or_else(|| mount.source.clone()),
            is_rotational: root.number(&format!("{queue}/rotational")).unwrap_or(0) == 1,
            read_ahead_kibibytes,
            scheduler: scheduler.and_then(|text| choice(&text)),
            has_write_cache: write_cache.map(|text| text.trim() == "write back"),
        })
    }

    /// Whether it is a virtual machine's disk, whose real kind is unknown.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        self.name.starts_with("vd") || self.name.starts_with("xvd")
    }
}

/// The device's own name: `DEVNAME` of its `uevent`.
fn name(root: &Root, directory: &str) -> Option<String> {
    let text = root.text(&format!("{directory}/uevent")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("DEVNAME=")).map(str::to_owned)
}

/// Parses `none [mq-deadline] bfq`: the current one, and all.
fn choice(text: &str) -> Option<(String, Vec<String>)> {
    let bare = |word: &str| word.trim_matches(['[', ']']).to_owned();
    let all: Vec<String> = text.split_whitespace().map(bare).collect();
    let chosen = text.split_whitespace().find(|word| word.starts_with('[')).map(bare);
    let chosen = chosen.or_else(|| all.first().cloned())?;
    Some((chosen, all))
}

#[cfg(test)]
mod tests {
    use super::choice;

    #[test]
    fn the_scheduler_in_brackets_is_chosen() {
        let (chosen, all) = choice("none [mq-deadline] kyber bfq \n").unwrap();
        assert_eq!((chosen.as_str(), all.len()), ("mq-deadline", 4));
        assert_eq!(choice("none\n").unwrap().0, "none");
        assert_eq!(choice(""), None);
    }
}
