//! Disk space and inodes for the plan.

use super::Verdict;
use crate::facts::Facts;
use crate::finding::Finding;
use figures::{count, size};

pub(super) fn space(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let room = place.room.as_ref().map_err(Clone::clone)?;
    let needed =
        facts.work.as_ref().map_or(0, |work| work.disk_bytes.saturating_sub(work.disk_there_bytes));
    let there = facts.work.as_ref().map_or(0, |work| work.disk_there_bytes);
    let found = format!(
        "{} of {} free; the data have {}, and {} are still to come",
        size(room.free_bytes),
        size(room.bytes),
        size(there),
        size(needed)
    );
    if needed > room.free_bytes {
        let missing = needed - room.free_bytes;
        return Ok(Some(
            Finding::warning(found)
                .change(format!("{} more, or fewer rows (RRDRowCount)", size(missing)))
                .gain("updates are not refused by a full disk; a ring store takes its room when a group is made"),
        ));
    }
    if room.free_bytes - needed < room.bytes / 20 {
        return Ok(Some(
            Finding::advice(found)
                .change("more room: less than a twentieth would be left")
                .gain("file systems that are nearly full scatter what they write; no figure"),
        ));
    }
    Ok(Some(Finding::ok(found)))
}

pub(super) fn inodes(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let room = place.room.as_ref().map_err(Clone::clone)?;
    if room.inodes == 0 {
        return Ok(Some(Finding::ok("made as they are needed")));
    }
    let needed = facts.work.as_ref().map_or(0, |work| work.inodes.0.saturating_sub(work.inodes.1));
    let found = format!(
        "{} of {} free; the plan takes {} more",
        count(room.free_inodes),
        count(room.inodes),
        count(needed)
    );
    if needed > room.free_inodes {
        return Ok(Some(
            Finding::warning(found)
                .change("a ring store, which has four files for 4,032 databases: gyre import STORE DIRECTORY")
                .change(format!("or mkfs.ext4 -N {} on another volume", needed * 2))
                .gain("files can be made: ENOSPC comes with room on the disk, too"),
        ));
    }
    if room.free_inodes - needed < room.inodes / 20 {
        let finding =
            Finding::advice(found).change("a file system with more inodes, or a ring store");
        return Ok(Some(finding.gain("files can go on being made")));
    }
    Ok(Some(Finding::ok(found)))
}
