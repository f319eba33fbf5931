//! File system and device.

use super::{Verdict, files};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::place::Device;
use crate::work::PAGE_BYTES;
use figures::{duration, size};

/// The kernel's default readahead.
const USUAL_KIBIBYTES: u64 = 128;

pub(super) fn file_system(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let mount = place.mount.as_ref().map_err(Clone::clone)?;
    let kind = mount.kind.as_str();
    let found = format!("{} is {kind}", mount.point.display());
    let finding = match kind {
        "ext2" | "ext3" | "ext4" | "xfs" | "f2fs" | "bcachefs" => Finding::ok(found),
        "btrfs" => {
            Finding::advice(format!("{found}, which writes every changed block to a new place"))
                .change(format!("chattr +C {}: before files are made there", place.path.display()))
                .gain("rows stay in place; no figure")
        }
        "zfs" => {
            Finding::advice(format!("{found}, which reads and writes whole records of 128 KiB"))
                .change(format!("zfs set recordsize=8K {}", mount.source))
                .gain("an update of a few bytes writes 8 KiB a place instead of 128 KiB")
        }
        "overlay" => Finding::warning(format!(
            "{found}: the first write copies the whole file, and the data are lost with the container"
        ))
        .change("keep the data in a volume")
        .gain("the data are not copied once more, and outlive the container"),
        "tmpfs" | "ramfs" => {
            Finding::warning(format!("{found}: in memory only, lost at the next start"))
                .change("keep the data on a disk")
                .gain("the data")
        }
        _ if is_of_network(kind) => Finding::warning(format!(
            "{found}: locks, syncs and the page cache depend on another machine"
        ))
        .change("keep the data on a disk of this machine, copy them with gyre backup")
        .gain("one round trip over the network fewer for each update and sync; no figure"),
        _ => Finding::ok(format!("{found}, about which gyre knows nothing")),
    };
    Ok(Some(finding))
}

fn is_of_network(kind: &str) -> bool {
    kind.starts_with("nfs")
        || kind.starts_with("fuse")
        || matches!(kind, "cifs" | "smb3" | "9p" | "ceph" | "glusterfs")
}

pub(super) fn readahead(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let device = place.device.as_ref().map_err(Clone::clone)?;
    let kibibytes = device.read_ahead_kibibytes;
    let name = &device.name;
    let Some(work) = files(facts) else {
        let found = format!(
            "{name} reads {kibibytes} KiB ahead; a ring store reads rings one after the other, and updates nothing"
        );
        return Ok(Some(Finding::ok(found)));
    };
    let found = format!("{name} reads {kibibytes} KiB ahead, files have {}", size(work.file_bytes));
    if kibibytes <= USUAL_KIBIBYTES {
        return Ok(Some(Finding::ok(format!("{found}; gyre and RRDtool since 1.3 ask for none"))));
    }
    let pages = work.file_bytes.div_ceil(PAGE_BYTES);
    let read = facts.measured.as_ref().and_then(|it| it.as_ref().ok());
    let cost = read.map_or(String::new(), |it| {
        format!("; {} of cold reads each here", duration(it.cold_read_seconds))
    });
    Ok(Some(
        Finding::advice(format!(
            "{found}. gyre and RRDtool since 1.3 ask for none; whatever else reads or maps them takes them whole"
        ))
        .change(format!("blockdev --setra {} /dev/{name}", USUAL_KIBIBYTES * 2))
        .change(format!(
            "/etc/udev/rules.d/60-readahead.rules: ACTION==\"add|change\", KERNEL==\"{name}\", ATTR{{queue/read_ahead_kb}}=\"{USUAL_KIBIBYTES}\""
        ))
        .gain(format!(
            "for such readers {pages} pages a file become 13 to 20 (three reads of a file of 26 pages at 128 KiB, \
             measured on Linux 6.18){cost}"
        )),
    ))
}

pub(super) fn scheduler(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let device = place.device.as_ref().map_err(Clone::clone)?;
    let Some((chosen, all)) = &device.scheduler else {
        let found = format!("{} leaves it to the devices below", device.name);
        return Ok(Some(Finding::ok(found)));
    };
    let (better, why) = better(device);
    let found = format!("{chosen} on {}, {}", device.name, kind(device));
    if better.contains(&chosen.as_str()) {
        return Ok(Some(Finding::ok(found)));
    }
    let Some(best) = better.iter().find(|best| all.iter().any(|each| each == *best)) else {
        return Ok(Some(Finding::ok(format!("{found}; no better one is available"))));
    };
    Ok(Some(
        Finding::advice(found)
            .change(format!("echo {best} > /sys/block/{}/queue/scheduler", device.name))
            .change(format!(
                "/etc/udev/rules.d/60-scheduler.rules: ACTION==\"add|change\", KERNEL==\"{}\", ATTR{{queue/scheduler}}=\"{best}\"",
                device.name
            ))
            .gain(why),
    ))
}

fn kind(device: &Device) -> &'static str {
    match device {
        _ if device.is_virtual() => "a virtual disk",
        _ if device.name.starts_with("nvme") => "NVMe",
        _ if device.is_rotational => "a rotating disk",
        _ => "a solid state disk",
    }
}

/// Schedulers that suit a device, the best first, and the reason.
fn better(device: &Device) -> (&'static [&'static str], &'static str) {
    if device.is_rotational && !device.is_virtual() {
        let why = "reads wait at most 500 ms behind writes (its read_expire); Plonka et al. (LISA 2007) ran deadline for that \
                   reason, and did not compare";
        return (&["mq-deadline", "deadline"], why);
    }
    let why = "requests go to the device without waiting for others of the same process; no figure";
    (&["none", "mq-deadline", "noop", "deadline", "kyber"], why)
}
