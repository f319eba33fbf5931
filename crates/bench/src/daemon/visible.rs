//! The time from an UPDATE to its row in another client's FETCH, and the writes to the file that it
//! causes.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Instant;

use super::subject::{Place, Subject, Sync};
use super::{Bench, first_cycle, sparse};
use crate::figures::{median, percentile};
use crate::report::{Report, Row};
use crate::served::Connection;
use crate::workload::{STEP_SECONDS, Workload, cycle_seconds};

/// The result for one daemon.
struct Seen {
    latencies_us: Vec<f64>,
    /// Files that were written for it.
    written_files: u64,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let place = bench.place("visible")?;
    sparse::create(&place.base, bench.options.looks, first_cycle())?;
    let ours = look(bench, &place, &Subject::Files(Sync::Always))?;
    let ring = bench.place("visible-ring")?;
    super::batch_ring::create(&ring, &Workload::mrtg(bench.options.looks))?;
    let in_ring = look(bench, &ring, &Subject::Ring(Sync::Always))?;
    // Debian's comes last, because it writes the files.
    let theirs = bench.debian().map(|it| look(bench, &place, &it)).transpose()?;
    let row = |what: &str, seen: &Seen| {
        let row = Row::new(what, "us", median(&seen.latencies_us));
        row.note(format!("gyre: {:.1} us at 99%", percentile(&seen.latencies_us, 99)))
    };
    let beside = theirs.iter().map(|it| ("rrdcached", median(&it.latencies_us)));
    report.row(row("UPDATE, then its row in another's FETCH: files", &ours).beside(beside.clone()));
    report.row(row("UPDATE, then its row in another's FETCH: ring", &in_ring).beside(beside));
    let written = Row::new("files written for it", "files", ours.written_files as f64).at_most(0.0);
    report.row(written.beside(theirs.iter().map(|it| ("rrdcached", it.written_files as f64))));
    Ok(())
}

/// For each RRD three updates by one client, and a FETCH by another. (Before the first reading all
/// is unknown, so the first step may stay unknown.)
fn look(bench: &Bench<'_>, place: &Place, subject: &Subject) -> Result<Seen, String> {
    place.clear();
    let daemon = subject.start(place, None)?;
    let (mut writer, mut reader) = (daemon.connect()?, daemon.connect()?);
    let workload = Workload::mrtg(bench.options.looks);
    let mut seen = Seen { latencies_us: Vec::new(), written_files: 0 };
    for rrd in 0..bench.options.looks {
        let file = place.base.join(workload.name(rrd));
        let stamp = Stamp::of(&file);
        let [first, before, update] =
            [0, 1, 2].map(|cycle| update(&workload, rrd, first_cycle() + cycle));
        writer.ask(&first)?;
        writer.ask(&before)?;
        let begun = Instant::now();
        writer.ask(&update)?;
        let found = row_found(&mut reader, &workload.name(rrd))?;
        seen.latencies_us.push(begun.elapsed().as_secs_f64() * 1e6);
        if !found {
            return Err(format!("{}: the row of its last update is not seen", file.display()));
        }
        seen.written_files += u64::from(stamp != Stamp::of(&file));
    }
    Ok(seen)
}

fn update(workload: &Workload, rrd: u64, cycle: u64) -> String {
    let mut text = "UPDATE ".to_owned();
    workload.push_update(rrd, cycle, &mut text);
    text
}

/// Whether the row that the last update completed has values.
fn row_found(reader: &mut Connection, name: &str) -> Result<bool, String> {
    let end = cycle_seconds(first_cycle() + 2);
    let lines = reader.ask(&format!("FETCH {name} AVERAGE {} {end}", end - STEP_SECONDS))?;
    let row = lines.iter().find_map(|line| line.trim().strip_prefix(&format!("{end}:")));
    let values = row.into_iter().flat_map(str::split_whitespace);
    let known = values.filter(|value| value.parse::<f64>().is_ok_and(f64::is_finite));
    Ok(known.count() == 2)
}

/// The properties of a file that a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    changed: (i64, i64),
    blocks: u64,
}

impl Stamp {
    /// `None` where there is no file.
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(Self {
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            blocks: found.blocks(),
        })
    }
}
