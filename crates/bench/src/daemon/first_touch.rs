//! The first update of each of many files, with headers in the page cache, and on the disk.

use serde_json::json;
use testbed::Caches;

use super::load::{Load, Manner, Outcome};
use super::subject::{Place, Subject, Sync};
use super::{Bench, disk_reads, first_cycle};
use crate::figures::pages;
use crate::report::{Report, Row};

/// The required multiple of rrdcached's rate.
const TIMES: f64 = 5.0;

/// Where the headers are when the daemon starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heads {
    Resident,
    OnDisk,
}

/// The result of touching all files.
struct Touch {
    outcome: Outcome,
    read_bytes: u64,
    processor_seconds: f64,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let place = bench.sparse_files()?;
    for heads in [Heads::Resident, Heads::OnDisk] {
        if heads == Heads::OnDisk && bench.options.caches == Caches::Keep {
            continue;
        }
        let theirs = bench.debian().map(|it| touch(bench, place, &it, heads)).transpose()?;
        let ours = touch(bench, place, &Subject::Files(Sync::EverySecond), heads)?;
        let mut row = row(bench, heads, &ours, theirs.as_ref());
        if heads == Heads::OnDisk {
            let depths = [1, bench.options.connections, 8, 32];
            let rates = disk_reads::rates(bench.inside, bench.options.caches, &depths)?;
            let text = |(depth, rate): &(u64, f64)| format!("{rate:.0}/s at depth {depth}");
            let texts: Vec<String> = rates.iter().flatten().map(text).collect();
            row = row.note(format!("the disk's own random reads of 4 KiB: {}", texts.join(", ")));
            report.raw("disk_reads", json!(rates));
        }
        report.row(row);
    }
    Ok(())
}

fn touch(
    bench: &Bench<'_>,
    place: &Place,
    subject: &Subject,
    heads: Heads,
) -> Result<Touch, String> {
    place.clear();
    let daemon = subject.start(place, None)?;
    match heads {
        Heads::Resident => read_heads(place)?,
        Heads::OnDisk => bench.options.caches.drop(&place.base)?,
    }
    let before = daemon.counters()?;
    let manner = Manner::Batches {
        cycles: 1,
        lines: bench.options.batch_lines,
        connections: bench.options.connections,
    };
    let load = Load {
        socket: place.socket(),
        rrds: bench.options.rrds,
        first_cycle: first_cycle(),
        manner,
    };
    let outcome = load.send()?;
    let used = daemon.counters()? - before;
    Ok(Touch {
        outcome,
        read_bytes: used.read_bytes,
        processor_seconds: used.user_seconds + used.system_seconds,
    })
}

/// Reads the first page of each file, as if the files had been updated a moment ago.
fn read_heads(place: &Place) -> Result<(), String> {
    use std::io::Read as _;
    let text = |error: std::io::Error| error.to_string();
    for directory in std::fs::read_dir(&place.base).map_err(text)? {
        for file in std::fs::read_dir(directory.map_err(text)?.path()).map_err(text)? {
            let mut page = [0; 4096];
            let mut file = std::fs::File::open(file.map_err(text)?.path()).map_err(text)?;
            file.read_exact(&mut page).map_err(text)?;
        }
    }
    Ok(())
}

fn row(bench: &Bench<'_>, heads: Heads, ours: &Touch, theirs: Option<&Touch>) -> Row {
    let what = match heads {
        Heads::Resident => "heads resident",
        Heads::OnDisk => "caches dropped",
    };
    let what = format!("first touch of {} files, {what}", ::figures::count(bench.options.rrds));
    let mut row = Row::new(what, "/s", ours.outcome.rate()).note(note("gyre", ours));
    if let Some(theirs) = theirs {
        row = row
            .at_least(TIMES * theirs.outcome.rate())
            .beside([("rrdcached", theirs.outcome.rate())])
            .note(note("rrdcached", theirs));
    }
    row
}

fn note(who: &str, touch: &Touch) -> String {
    let updates = touch.outcome.updates as f64;
    format!(
        "{who}: {:.2} s, {:.1} us of processor time and {:.2} pages read from disk a file; the load \
         {:.2} us",
        touch.outcome.seconds(),
        touch.processor_seconds / updates * 1e6,
        pages(touch.read_bytes) / updates,
        touch.outcome.own_seconds / updates * 1e6,
    )
}
