//! Names and addresses.

use super::Verdict;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::machine::is_loopback;
use figures::{count, some};

pub(super) fn resolver(facts: &Facts) -> Verdict {
    let resolver = &facts.machine.resolver;
    let named = facts.targets.as_ref().map(|targets| (targets.named, targets.devices));
    if let Some((0, devices)) = named
        && devices > 0
    {
        let found = match devices {
            1 => "the one device is given by address".into(),
            _ => format!("all {} devices are given by address", count(devices)),
        };
        return Ok(Some(Finding::ok(found)));
    }
    if resolver.has_cache {
        return Ok(Some(Finding::ok("a cache on this machine resolves names")));
    }
    let servers = resolver.servers.as_ref().map_err(Clone::clone)?;
    if let Some(first) = servers.first().filter(|server| is_loopback(server)) {
        return Ok(Some(Finding::ok(format!("the first name server is this machine, {first}"))));
    }
    let server = servers.first().map_or("none", String::as_str);
    Ok(Some(asked_elsewhere(named, server)))
}

/// Names that are looked up on another machine. `named` is the number of devices with names, and of
/// all devices, if known.
fn asked_elsewhere(named: Option<(u64, u64)>, server: &str) -> Finding {
    let found = match named {
        Some((named, devices)) => format!(
            "{} of {} given by name, and the name server is another machine, {server}",
            count(named),
            some(devices, "device is", "devices are")
        ),
        None => format!("the name server is another machine, {server}"),
    };
    let gain = match named {
        Some((named, _)) => format!(
            "lookups of {} over the network: MRTG's at each poll of a target; gyre looks up beside \
             the polling, so that a name server that is away delays no reading of a device that is \
             known",
            some(named, "name", "names")
        ),
        None => "lookups over the network, where devices are given by name".into(),
    };
    Finding::advice(found)
        .change(
            "install unbound, dnsmasq or systemd-resolved, and put nameserver 127.0.0.1 \
             (127.0.0.53) first in /etc/resolv.conf",
        )
        .change("or give the devices' addresses in the mrtg.cfg")
        .gain(gain)
}
