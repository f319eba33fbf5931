//! The layout of the data on disk, as the paper recommends it.

use super::{Verdict, files, ring};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::work::{PAGE_BYTES, Work};
use figures::{count, size, some};

/// If more than this share of the files enter a new page at the same time, their creation was not
/// staggered.
const IN_PHASE: f64 = 0.5;
/// Bytes of an ext directory's entry with a name of about 14 letters.
const ENTRY_BYTES: u64 = 24;
/// A smaller directory is searched fast enough without an index.
const ENTRIES: u64 = 1000;

const INDEXED: &str = "the directory has an index";

pub(super) fn staggered_creation(facts: &Facts) -> Verdict {
    if ring(facts).is_some() {
        let found = "a ring store spreads its groups over the interval by design";
        return Ok(Some(Finding::ok(found)));
    }
    let Some(sample) = &facts.sample else { return Ok(None) };
    let Some(share) = sample.in_phase else { return Ok(None) };
    let percent = share * 100.0;
    let found = format!(
        "of {} looked into, {percent:.0} % come to a new page of their finest archive at the same update",
        some(sample.sampled, "file", "files")
    );
    if share <= IN_PHASE {
        return Ok(Some(Finding::ok(found)));
    }
    let at_once = (sample.files as f64 * share) as u64;
    let updates = PAGE_BYTES / 16;
    Ok(Some(
        Finding::advice(found)
            .change("create files a few at a time over a day, or with gyre or an rrdtool since 1.3: both place the first row at random")
            .change("gyre import STORE DIRECTORY: the groups of a ring store are spread by design")
            .gain(format!(
                "{} page faults in one update out of {updates}, instead of {} in each (arithmetic: \
                 256 rows of two sources a page)",
                count(at_once),
                count(at_once / updates)
            )),
    ))
}

pub(super) fn own_file_system(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let mount = place.mount.as_ref().map_err(Clone::clone)?;
    let gain = "nothing that is measured in reads: mount options and figures of sar and iostat that \
                are the data's alone, and logs that fill / cannot stop updates (LISA 2007, appendix)";
    let point = mount.point.display();
    if place.is_root {
        let found =
            format!("{} lies on the file system of /, with everything else", place.path.display());
        return Ok(Some(
            Finding::advice(found).change("a volume of its own, mounted there").gain(gain),
        ));
    }
    let neighbours = place.neighbours.as_ref().map_err(Clone::clone)?;
    if neighbours.is_empty() {
        return Ok(Some(Finding::ok(format!("{point} holds nothing but the data"))));
    }
    let some = neighbours.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
    let more = if neighbours.len() > 4 { ", ..." } else { "" };
    let found = format!("{point} has other contents too: {some}{more}");
    Ok(Some(Finding::advice(found).change("move them, or the data, to another volume").gain(gain)))
}

pub(super) fn access_times(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let mount = place.mount.as_ref().map_err(Clone::clone)?;
    let point = mount.point.display();
    if mount.has("noatime") || mount.has("ro") {
        let found = format!("{point} is mounted noatime or read-only; noatime includes nodiratime");
        return Ok(Some(Finding::ok(found)));
    }
    let remount = |finding: Finding| {
        finding
            .change(format!("mount -o remount,noatime {point}"))
            .change(format!("/etc/fstab: add noatime to the options of {point}"))
    };
    let dirtied = dirtied(files(facts));
    if !mount.has("relatime") {
        let found = format!(
            "{point} is mounted strictatime: every read by others than gyre writes an inode"
        );
        return Ok(Some(remount(Finding::warning(found)).gain(dirtied)));
    }
    let found = format!(
        "{point} is mounted relatime: a file's first read after each update writes its inode. gyre reads its \
         own files without (O_NOATIME); what others read counts, and so do directories"
    );
    match files(facts) {
        Some(_) => Ok(Some(remount(Finding::advice(found)).gain(dirtied))),
        None => Ok(Some(Finding::ok(format!(
            "{point} is mounted relatime; gyre reads its own files without"
        )))),
    }
}

/// How much reads may write at most.
fn dirtied(work: Option<&Work>) -> String {
    let Some(work) = work else { return "one inode fewer is written for each read".into() };
    format!(
        "up to {} inodes fewer are written every {} s, if each file is read once in between (16 inodes \
         of ext4 a block: arithmetic)",
        count(work.databases),
        work.step_seconds
    )
}

pub(super) fn directory_index(facts: &Facts) -> Verdict {
    let Some(place) = &facts.place else { return Ok(None) };
    let mount = place.mount.as_ref().map_err(Clone::clone)?;
    let Some(ext) = &place.ext else { return Ok(None) };
    if ring(facts).is_some() {
        return Ok(Some(Finding::ok("a ring store has few files")));
    }
    let entries = facts.sample.as_ref().map_or(0, |sample| sample.fullest_directory);
    let rebuild = |finding: Finding| {
        finding
            .change(format!("umount {}", mount.point.display()))
            .change(format!("tune2fs -O dir_index {0}; e2fsck -fD {0}", mount.source))
            .gain(gain(entries))
    };
    let directory = place.directory.as_ref().map_err(Clone::clone)?;
    let large = format!("its fullest directory has {} files", count(entries));
    match &ext.features {
        Ok(features) if !features.has_directory_index => {
            let found = format!("{} has no dir_index; {large}", mount.source);
            let is_large = entries >= ENTRIES;
            let told = if is_large { Finding::warning } else { Finding::advice };
            Ok(Some(rebuild(told(found))))
        }
        // An index is made as a directory grows: directories that were large before have none.
        Ok(_) if directory.bytes > PAGE_BYTES && directory.is_indexed == Ok(false) => {
            let found = format!(
                "dir_index is on, but {} ({}) was made without and has no index",
                place.path.display(),
                size(directory.bytes)
            );
            Ok(Some(rebuild(Finding::advice(found))))
        }
        Ok(_) => Ok(Some(Finding::ok(format!("{} has dir_index", mount.source)))),
        Err(_) if directory.is_indexed == Ok(true) => Ok(Some(Finding::ok(INDEXED))),
        Err(unseen) => Err(unseen.clone()),
    }
}

fn gain(entries: u64) -> String {
    let blocks = (entries * ENTRY_BYTES).div_ceil(PAGE_BYTES) / 2;
    match blocks {
        0..=1 => "little as long as directories are small".into(),
        _ => format!(
            "opening a file looks through 2 blocks of its directory instead of {} (arithmetic: half of it)",
            count(blocks)
        ),
    }
}
