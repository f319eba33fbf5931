//! The path of writes: journal, write cache, write-back.

use super::{Verdict, ring};
use crate::Seen;
use crate::facts::Facts;
use crate::finding::Finding;
use figures::{count, duration, size};

/// The most dirty bytes that should wait to be written.
const WAITING_MAX_BYTES: u64 = 2 << 30;
/// A slower sync indicates a rotating disk without a battery-backed cache.
const SLOW_SYNC_SECONDS: f64 = 0.005;
/// The assumed write speed of a disk that was not measured.
const ASSUMED_BYTES_PER_SECOND: f64 = 200e6;

pub(super) fn journal(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let Some(ext) = &place.ext else { return Ok(None) };
    let mount = place.mount.as_ref().map_err(Clone::clone)?;
    let point = mount.point.display();
    let all: Vec<&str> = match &ext.options {
        Ok(options) => options.iter().map(String::as_str).collect(),
        Err(_) => mount.system_options.iter().map(String::as_str).collect(),
    };
    if let Some(finding) = harmful_option(&point.to_string(), &all) {
        return Ok(Some(finding));
    }
    let mode = all.iter().find_map(|option| option.strip_prefix("data="));
    let has_journal = ext.features.as_ref().map_or(mode.is_some(), |features| features.has_journal);
    let found = match (has_journal, mode) {
        (false, _) => {
            format!("{point} has no journal: nothing is written twice, and a crash needs fsck")
        }
        (true, mode) => format!("{point}: data={}, barriers on", mode.unwrap_or("ordered")),
    };
    Ok(Some(Finding::ok(found)))
}

/// The first mount option that costs safety or writes, if any.
fn harmful_option(point: &str, all: &[&str]) -> Option<Finding> {
    let has = |option: &str| all.contains(&option);
    if has("nobarrier") || has("barrier=0") {
        let found = format!("{point} has barriers off: a sync does not reach the platter");
        return Some(
            Finding::warning(found)
                .change(format!("mount -o remount,barrier {point}"))
                .gain("what was acknowledged survives a power cut"),
        );
    }
    if has("data=journal") {
        return Some(
            Finding::warning(format!("{point} journals data: every byte is written twice"))
                .change(format!("/etc/fstab: data=ordered for {point}, then umount and mount"))
                .gain(
                    "half of the bytes written (arithmetic); gyre's own log gives the same safety",
                ),
        );
    }
    let commit = all.iter().find_map(|option| option.strip_prefix("commit=")?.parse::<u64>().ok());
    let Some(seconds @ 1..5) = commit else { return None };
    Some(
        Finding::advice(format!("{point} commits its journal every {seconds} s"))
            .change(format!("mount -o remount,commit=5 {point}"))
            .gain(format!("{:.1} times fewer commits of metadata", 5.0 / seconds as f64)),
    )
}

pub(super) fn write_cache(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let device = place.device.as_ref().map_err(Clone::clone)?;
    let name = &device.name;
    let cache = match device.has_write_cache {
        Some(true) => format!("{name} has a write cache, which syncs empty"),
        Some(false) => format!("{name} has no write cache that a sync would have to empty"),
        None => format!("{name} does not tell"),
    };
    let measured = match &facts.measured {
        None => return Ok(Some(Finding::ok(cache))),
        Some(measured) => measured.as_ref().map_err(Clone::clone)?,
    };
    let sync = measured.sync_seconds;
    let found = format!("{cache}; a sync takes {}", duration(sync));
    if sync < SLOW_SYNC_SECONDS {
        return Ok(Some(Finding::ok(found)));
    }
    let (batches, step) = match ring(facts) {
        Some(work) => (1.0 / sync, work.step_seconds),
        None => (1.0 / sync, 300.0),
    };
    Ok(Some(
        Finding::advice(found)
            .change("a disk or controller with power-loss protection")
            .change("or gyre run --sync 60: a power cut then loses up to 60 s")
            .gain(format!(
                "{} batches a second instead of {batches:.0} where each waits for 0.1 ms (a disk with protection); \
                 a step is {step} s",
                count(10_000)
            )),
    ))
}

pub(super) fn write_back(facts: &Facts) -> Verdict {
    let settings = &facts.machine.settings;
    let Bounds { begins_bytes, holds_up_bytes } = Bounds::of(facts)?;
    let expire = *settings.dirty_expire_centiseconds.as_ref().map_err(Clone::clone)?;
    let found = format!(
        "writing begins at {} dirty or after {} s, writers are held up at {}",
        size(begins_bytes),
        expire / 100,
        size(holds_up_bytes)
    );
    let written = facts.work.as_ref().map_or(0, |work| work.written_bytes_per_step);
    // Room for all updates of a step in a burst, doubled.
    let wanted = (written.next_power_of_two() * 2).max(1 << 30);
    if written > holds_up_bytes {
        return Ok(Some(
            Finding::advice(format!("{found}; a step writes {}", size(written)))
                .change(format!(
                    "sysctl -w vm.dirty_bytes={wanted} vm.dirty_background_bytes={}",
                    wanted / 4
                ))
                .gain(
                    "updates that come all at once do not wait for the disk; memory has to suffice \
                     (see memory)",
                ),
        ));
    }
    if holds_up_bytes <= WAITING_MAX_BYTES.max(wanted) {
        return Ok(Some(Finding::ok(found)));
    }
    Ok(Some(with_shorter_queue(Finding::advice(found), facts, holds_up_bytes, wanted)))
}

/// How much may wait to be written.
struct Bounds {
    /// Beyond this it is written.
    begins_bytes: u64,
    /// Beyond this writers are held up.
    holds_up_bytes: u64,
}

impl Bounds {
    fn of(facts: &Facts) -> Seen<Self> {
        let settings = &facts.machine.settings;
        let memory = facts.machine.memory.as_ref().map_err(Clone::clone)?;
        let bound = |bytes: &Seen<u64>, ratio: &Seen<u64>| -> Seen<u64> {
            let bytes = *bytes.as_ref().map_err(Clone::clone)?;
            let ratio = *ratio.as_ref().map_err(Clone::clone)?;
            Ok(if bytes > 0 { bytes } else { memory.available_bytes / 100 * ratio })
        };
        Ok(Self {
            begins_bytes: bound(
                &settings.dirty_background_bytes,
                &settings.dirty_background_ratio,
            )?,
            holds_up_bytes: bound(&settings.dirty_bytes, &settings.dirty_ratio)?,
        })
    }
}

/// Advises that less wait to be written: what a sync behind other writes waits for.
fn with_shorter_queue(
    finding: Finding,
    facts: &Facts,
    holds_up_bytes: u64,
    after_bytes: u64,
) -> Finding {
    let measured = facts.measured.as_ref().and_then(|it| it.as_ref().ok());
    let (rate, source) = match measured {
        Some(measured) => (measured.write_bytes_per_second, "measured here"),
        None => (ASSUMED_BYTES_PER_SECOND, "assumed; --measure measures"),
    };
    let seconds = |bytes: u64| duration(bytes as f64 / rate);
    finding
        .change(format!(
            "sysctl -w vm.dirty_bytes={after_bytes} vm.dirty_background_bytes={}",
            after_bytes / 4
        ))
        .change("/etc/sysctl.d/60-gyre.conf: the same two lines, without sysctl -w")
        .gain(format!(
            "a sync behind another program's writes waits {} at most instead of {} (at {}/s, {source})",
            seconds(after_bytes),
            seconds(holds_up_bytes),
            size(rate as u64)
        ))
}
