//! Whether there is enough memory for the plan, and whether it stays available.

use super::{Verdict, files, ring};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::work::{PAGES_PER_UPDATE, Work};
use figures::{duration, size, some};

/// A plan that takes more than this share of the available memory leaves too little for other
/// programs.
const SHARE: f64 = 0.8;
/// From this number of files on, their inodes matter.
const MANY_FILES: u64 = 100_000;
/// Bytes of an inode of ext4 and its name in the kernel's caches.
const INODE_BYTES: u64 = 1300;
/// With this value the kernel swaps only when it must.
const SWAPPINESS: u64 = 10;

pub(super) fn memory(facts: &Facts) -> Verdict {
    let Some(work) = &facts.work else { return Ok(None) };
    let memory = facts.machine.memory.as_ref().map_err(Clone::clone)?;
    let available = memory.to_have_bytes();
    let needed = work.memory_bytes;
    let bound = match memory.group {
        Some((limit, _)) if limit == available => " (the control group's limit)",
        _ => "",
    };
    let how = match files(facts) {
        Some(_) => "page cache, 8 pages a file",
        None => "the ring store's plan",
    };
    let found = format!(
        "{} {} ({how}); {} can be had{bound}",
        some(work.databases, "database needs", "databases need"),
        size(needed),
        size(available)
    );
    if needed as f64 <= available as f64 * SHARE {
        return Ok(Some(Finding::ok(found)));
    }
    let finding = if needed > available { Finding::warning(found) } else { Finding::advice(found) };
    Ok(Some(with_remedies(finding, facts, (needed, available), bound)))
}

/// Adds remedies if more memory is needed than `bound`.
fn with_remedies(
    finding: Finding,
    facts: &Facts,
    (needed, available): (u64, u64),
    bound: &str,
) -> Finding {
    let finding = match bound {
        "" => finding.change(format!("{} of memory", size((needed as f64 / SHARE) as u64))),
        _ => finding.change(format!(
            "systemctl set-property UNIT MemoryMax={}",
            (needed as f64 / SHARE) as u64
        )),
    };
    match ring(facts) {
        Some(_) => finding
            .change(format!(
                "or a new ring store with gyre run --memory {}",
                (available / 10 * 8) >> 20
            ))
            .gain(
                "the store is not killed, or swapped; smaller tiles write the same and read slower",
            ),
        None => {
            let updates_per_second = facts.work.as_ref().map_or(0.0, Work::updates_per_second);
            finding
                .change(
                    "or a ring store, which reads nothing to write: gyre import STORE DIRECTORY",
                )
                .gain(faults(facts, updates_per_second))
        }
    }
}

/// The cost of missing pages.
fn faults(facts: &Facts, updates_per_second: f64) -> String {
    let reads = updates_per_second * PAGES_PER_UPDATE as f64;
    let measured = facts.measured.as_ref().and_then(|it| it.as_ref().ok());
    let cost = measured.map_or(String::new(), |it| {
        let busy = reads * it.cold_read_seconds * 100.0;
        format!(", {} each here: {busy:.0} % of one disk's time", duration(it.cold_read_seconds))
    });
    format!("up to {reads:.0} reads/s fewer (3 pages an update: LISA 2007, Figure 2){cost}")
}

pub(super) fn swap(facts: &Facts) -> Verdict {
    let memory = facts.machine.memory.as_ref().map_err(Clone::clone)?;
    if memory.swap_bytes == 0 {
        return Ok(Some(Finding::ok("there is no swap space")));
    }
    let swappiness = *facts.machine.settings.swappiness.as_ref().map_err(Clone::clone)?;
    let found = format!(
        "{} of {} swap used, swappiness {swappiness}",
        size(memory.swap_used_bytes),
        size(memory.swap_bytes)
    );
    if swappiness <= SWAPPINESS {
        return Ok(Some(Finding::ok(found)));
    }
    let gain = match ring(facts) {
        Some(work) => format!(
            "states are used once in {} s: page cache that others fill pushes them out first, {} of them, and the \
             next step reads them back a page at a time",
            work.step_seconds,
            size(work.memory_bytes)
        ),
        None => "programs that sleep between steps stay in memory".into(),
    };
    Ok(Some(
        Finding::advice(found)
            .change(format!("sysctl -w vm.swappiness={SWAPPINESS}"))
            .change(format!("/etc/sysctl.d/60-gyre.conf: vm.swappiness={SWAPPINESS}"))
            .gain(gain),
    ))
}

pub(super) fn cache_pressure(facts: &Facts) -> Verdict {
    let Some(work) = files(facts) else { return Ok(None) };
    let pressure = *facts.machine.settings.cache_pressure.as_ref().map_err(Clone::clone)?;
    let memory = facts.machine.memory.as_ref().map_err(Clone::clone)?;
    let inodes_bytes = work.databases * INODE_BYTES;
    let found = format!(
        "vfs_cache_pressure {pressure}; {} {} of inodes and names",
        some(work.databases, "file takes", "files take"),
        size(inodes_bytes)
    );
    let is_short = work.memory_bytes + inodes_bytes > memory.to_have_bytes() / 2;
    let is_fine = work.databases < MANY_FILES || pressure < 100 || (pressure == 100 && !is_short);
    if is_fine {
        return Ok(Some(Finding::ok(found)));
    }
    Ok(Some(
        Finding::advice(found)
            .change("sysctl -w vm.vfs_cache_pressure=50")
            .change("/etc/sysctl.d/60-gyre.conf: vm.vfs_cache_pressure=50")
            .gain("an inode that went costs a read or two at the next update: inode and indirect block beside 16 pages of data (LISA 2007, Figure 13)"),
    ))
}
