//! Limits of processes and of the kernel.

use disk::Descriptors;
use files::OPEN_FILES_MAX;

use super::{Verdict, ring};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::machine::Settings;
use figures::{count, size};

/// The most descriptors of a ring store's process, however large the store is: journal, catalogue,
/// sockets, connections of clients, and the files of groups that are being flushed or read.
const RING_STORE_FILES: u64 = 256;
/// The receive buffer that the collector asks for.
const RECEIVE_BUFFER_BYTES: u64 = 8 << 20;
/// The kernel memory for a datagram of some hundred bytes.
const DATAGRAM_BYTES: u64 = 2304;

/// The files that stay open, and the consequence of the limit.
struct KeptOpen {
    /// Descriptors that the process needs.
    needed: u64,
    /// The consequence of the present limit, in words.
    words: String,
    /// Whether the limit is sufficient.
    fits: bool,
}

impl KeptOpen {
    /// If a ring store cannot open its files, it refuses updates.
    fn of_ring_store(limit: u64) -> Self {
        let needed = RING_STORE_FILES;
        let words = format!("about {} are kept open", count(needed));
        Self { needed, words, fits: limit >= needed }
    }

    /// As many `.rrd` files stay open as the limit allows.
    fn of_files(databases: u64, limit: u64) -> Self {
        let files = usize::try_from(databases).unwrap_or(usize::MAX).clamp(1, OPEN_FILES_MAX);
        let wanted = Descriptors { clients: 1, per_client: 1, files };
        let kept = wanted.within(limit).files;
        let words = match kept == files {
            true => format!("{} files are kept open between updates", count(files as u64)),
            false => format!(
                "{} files are kept open between updates, which would be {}",
                count(kept as u64),
                count(files as u64)
            ),
        };
        Self { needed: wanted.limit_needed(), words, fits: kept == files }
    }
}

pub(super) fn descriptors(facts: &Facts) -> Verdict {
    let limit = facts.machine.descriptors.as_ref().map_err(Clone::clone)?;
    // Every program of gyre that keeps files open first raises its soft limit.
    let kept = match (ring(facts), &facts.work) {
        (Some(_), _) => KeptOpen::of_ring_store(limit.hard),
        (None, Some(work)) => KeptOpen::of_files(work.databases, limit.hard),
        (None, None) => KeptOpen::of_files(u64::MAX, limit.hard),
    };
    let settings = &facts.machine.settings;
    let machine = settings.files_max.as_ref().copied().unwrap_or(u64::MAX);
    let number = |limit: u64| if limit == u64::MAX { "no limit".into() } else { count(limit) };
    let found = format!(
        "RLIMIT_NOFILE {} (raised to the hard one, {}), fs.file-max {}; {}",
        number(limit.soft),
        number(limit.hard),
        number(machine),
        kept.words
    );
    let machine_fits = machine >= kept.needed;
    if kept.fits && machine_fits {
        return Ok(Some(Finding::ok(found)));
    }
    let is_refused = !machine_fits || ring(facts).is_some();
    let mut finding = if is_refused { Finding::warning(found) } else { Finding::advice(found) };
    if !kept.fits {
        finding = finding.raised(kept.needed.next_power_of_two(), settings);
    }
    if !machine_fits {
        let files_max = (kept.needed * 4).next_power_of_two();
        finding = finding.change(format!("sysctl -w fs.file-max={files_max}"));
    }
    Ok(Some(finding.gain(match is_refused {
        true => "no \"Too many open files\", which refuses updates",
        false => {
            "files that are updated in turn are not opened anew each time: 15.8 us of processor time \
             an update instead of 19.2 where a quarter of 2,000 stay open"
        }
    })))
}

impl Finding {
    /// The changes that give a process this many descriptors.
    fn raised(self, descriptors: u64, settings: &Settings) -> Self {
        let finding = self
            .change(format!("ulimit -n {descriptors}"))
            .change(format!("LimitNOFILE={descriptors} in the unit"));
        let per_process = settings.files_max_per_process.as_ref().copied().unwrap_or(1 << 20);
        match per_process < descriptors {
            true => finding.change(format!("sysctl -w fs.nr_open={descriptors}")),
            false => finding,
        }
    }
}

pub(super) fn socket_buffers(facts: &Facts) -> Verdict {
    let most = *facts.machine.settings.receive_buffer_max_bytes.as_ref().map_err(Clone::clone)?;
    let Some(targets) = &facts.targets else { return Ok(None) };
    // The kernel doubles the requested size, and counts its own overhead against it.
    let room = 2 * most.min(RECEIVE_BUFFER_BYTES) / DATAGRAM_BYTES;
    let found = format!(
        "net.core.rmem_max {}: room for {} answers; {} devices are asked at once",
        size(most),
        count(room),
        count(targets.devices)
    );
    if most >= RECEIVE_BUFFER_BYTES || targets.devices <= room {
        return Ok(Some(Finding::ok(found)));
    }
    let lost = targets.devices - room;
    Ok(Some(
        Finding::warning(found)
            .change(format!("sysctl -w net.core.rmem_max={RECEIVE_BUFFER_BYTES}"))
            .change(format!("/etc/sysctl.d/60-gyre.conf: net.core.rmem_max={RECEIVE_BUFFER_BYTES}"))
            .change("or CAP_NET_ADMIN for gyre run, which then takes 8 MiB whatever the limit is")
            .gain(format!(
                "up to {} answers that come while the collector is busy are not dropped and asked for again \
                 after a timeout (2 s by default; 2,304 bytes a datagram: arithmetic)",
                count(lost)
            )),
    ))
}

pub(super) fn conntrack(facts: &Facts) -> Verdict {
    let Some((most, used)) = facts.machine.settings.connections else { return Ok(None) };
    let devices = facts.targets.as_ref().map_or(0, |targets| targets.devices);
    let found = format!(
        "connections are tracked: {} of {}; each device is one more",
        count(used),
        count(most)
    );
    if used + devices <= most / 5 * 4 {
        return Ok(Some(Finding::ok(found)));
    }
    Ok(Some(
        Finding::warning(found)
            .change("nft add rule inet raw output udp dport 161 notrack; nft add rule inet raw prerouting udp sport 161 notrack")
            .change(format!("or sysctl -w net.netfilter.nf_conntrack_max={}", (most * 2).max(devices * 2)))
            .gain("datagrams are not dropped when the table is full; one entry fewer for each device"),
    ))
}

pub(super) fn kernel(facts: &Facts) -> Verdict {
    let (major, minor) = *facts.machine.settings.kernel.as_ref().map_err(Clone::clone)?;
    let since = |wanted: (u32, u32)| (major, minor) >= wanted;
    let has = |has: bool| if has { "has" } else { "lacks" };
    Ok(Some(Finding::ok(format!(
        "Linux {major}.{minor} {} cachestat (6.5; without it fincore maps each file), {} reads that leave the cache alone \
         (6.14; without them gyre backup drops what it brought)",
        has(since((6, 5))),
        has(since((6, 14)))
    ))))
}
