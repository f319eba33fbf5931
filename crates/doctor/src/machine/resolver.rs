//! The resolution of host names: `/etc/resolv.conf`, and caches on this machine.

use std::net::IpAddr;

use crate::unseen::{Root, Seen};

/// The resolvers of names.
#[derive(Clone, Debug)]
pub struct Resolver {
    /// The name servers, in order.
    pub servers: Seen<Vec<String>>,
    /// Whether `nscd` or a similar cache answers before them.
    pub has_cache: bool,
}

impl Resolver {
    pub(super) fn read(root: &Root) -> Self {
        let servers = root.text("/etc/resolv.conf").map(|text| {
            let lines = text.lines().filter_map(|line| line.trim().strip_prefix("nameserver"));
            lines.filter_map(|rest| rest.split_whitespace().next()).map(str::to_owned).collect()
        });
        let sockets =
            ["/run/nscd/socket", "/var/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve"];
        let asks = |service: &str| {
            let text = root.text("/etc/nsswitch.conf").unwrap_or_default();
            let hosts = text.lines().find_map(|line| line.trim().strip_prefix("hosts:"));
            hosts.is_some_and(|hosts| hosts.split_whitespace().any(|each| each == service))
        };
        let has_cache = root.exists(sockets[0])
            || root.exists(sockets[1])
            || (root.exists(sockets[2]) && asks("resolve"));
        Self { servers, has_cache }
    }
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(server: &str) -> bool {
    let address = server.split('%').next().unwrap_or_default();
    address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
