//! The relevant settings of the kernel, from `/proc/sys`.

use crate::unseen::{Root, Seen, Unseen};

/// Settings below `/proc/sys`, and the kernel's version.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Major and minor version.
    pub kernel: Seen<(u32, u32)>,
    /// `vm.swappiness`.
    pub swappiness: Seen<u64>,
    /// `vm.dirty_ratio`, in percent of the available memory.
    pub dirty_ratio: Seen<u64>,
    /// `vm.dirty_background_ratio`, likewise.
    pub dirty_background_ratio: Seen<u64>,
    /// `vm.dirty_bytes`; 0 means that the ratio applies.
    pub dirty_bytes: Seen<u64>,
    /// `vm.dirty_background_bytes`; 0 means that the ratio applies.
    pub dirty_background_bytes: Seen<u64>,
    /// `vm.dirty_expire_centisecs`.
    pub dirty_expire_centiseconds: Seen<u64>,
    /// `vm.vfs_cache_pressure`.
    pub cache_pressure: Seen<u64>,
    /// `vm.max_map_count`.
    pub maps_max: Seen<u64>,
    /// `fs.file-max`.
    pub files_max: Seen<u64>,
    /// `fs.nr_open`.
    pub files_max_per_process: Seen<u64>,
    /// `net.core.rmem_max`.
    pub receive_buffer_max_bytes: Seen<u64>,
    /// `net.netfilter.nf_conntrack_max` and the present number of connections; `None` if
    /// connections are not tracked.
    pub connections: Option<(u64, u64)>,
}

impl Settings {
    pub(super) fn read(root: &Root) -> Self {
        let number = |name: &str| root.number(&format!("/proc/sys/{name}"));
        let connections = || {
            let most = number("net/netfilter/nf_conntrack_max").ok()?;
            Some((most, number("net/netfilter/nf_conntrack_count").ok()?))
        };
        Self {
            kernel: kernel(root),
            swappiness: number("vm/swappiness"),
            dirty_ratio: number("vm/dirty_ratio"),
            dirty_background_ratio: number("vm/dirty_background_ratio"),
            dirty_bytes: number("vm/dirty_bytes"),
            dirty_background_bytes: number("vm/dirty_background_bytes"),
            dirty_expire_centiseconds: number("vm/dirty_expire_centisecs"),
            cache_pressure: number("vm/vfs_cache_pressure"),
            maps_max: number("vm/max_map_count"),
            files_max: number("fs/file-max"),
            files_max_per_process: number("fs/nr_open"),
            receive_buffer_max_bytes: number("net/core/rmem_max"),
            connections: connections(),
        }
    }
}

fn kernel(root: &Root) -> Seen<(u32, u32)> {
    let path = "/proc/sys/kernel/osrelease";
    let text = root.text(path)?;
    let mut numbers = text.trim().split(['.', '-']).map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor)),
        _ => Err(Unseen::odd(path, "a version")),
    }
}
