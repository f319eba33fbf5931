//! An hour of updates is written back to dense files, with a quarter of the memory that these would
//! need.

use serde_json::json;
use testbed::Cgroup;

use super::Bench;
use super::load::{Load, Manner};
use super::subject::{Place, Subject, Sync};
use crate::figures::pages;
use crate::report::{Report, Row};
use crate::rrd_files::Files;

/// Updates of a file in an hour.
const CYCLES: u64 = 12;
/// The period in cycles after which archives other than those of a day get rows again: within two
/// hours, each daemon gets the same hour.
const PERIOD: u64 = 24;
/// Daemon and page cache may take one such part of the files' bytes.
const MEMORY_PART: u64 = 4;
/// No daemon runs with less.
const MEMORY_BYTES_MIN: u64 = 32 << 20;

/// The costs of an hour, for each update.
#[derive(Clone, Copy, Debug, serde::Serialize)]
struct Hour {
    accept_us: f64,
    write_us: f64,
    processor_us: f64,
    load_us: f64,
    /// Bytes written by the device, including those of file system and journal.
    written_bytes: f64,
    pages_read: f64,
}

impl Hour {
    fn wall_us(&self) -> f64 {
        self.accept_us + self.write_us
    }
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let Some(rrdtool) = oracle::program("rrdtool", "the files of the write-back") else {
        return Err("rrdtool is not installed: its files are needed".into());
    };
    let place = bench.place("dense")?;
    let count = bench.options.dense_files;
    let files = Files::create(&rrdtool, place.base.clone(), count)?;
    let file = place.base.join(files.workload.name(0));
    let file_bytes = std::fs::metadata(&file).map_err(|error| error.to_string())?.len();
    let memory_bytes = (file_bytes * count / MEMORY_PART).max(MEMORY_BYTES_MIN);
    // Each daemon begins this long after the one before it has stopped.
    let mut cycle = files.next_cycle() - 1 - CYCLES;
    let mut hour = |subject: &Subject| {
        cycle += PERIOD;
        hour(bench, &place, subject, (cycle, memory_bytes))
    };
    let theirs = bench.debian().map(|it| hour(&it)).transpose()?;
    let ours = hour(&Subject::Files(Sync::EverySecond))?;

    let what = format!("an hour of {} dense files", ::figures::count(count));
    let wall = Row::new(format!("{what}: wall time an update"), "us", ours.wall_us());
    let wall = wall.note(format!(
        "memory {} MiB for {} MiB of files; {CYCLES} cycles after a first one, then FLUSHALL",
        memory_bytes >> 20,
        (file_bytes * count) >> 20
    ));
    let wall = wall.note(ours.note("gyre, --sync 1"));
    let bytes = Row::new(format!("{what}: bytes written an update"), "B", ours.written_bytes);
    let reads = Row::new(format!("{what}: pages read an update"), "pages", ours.pages_read);
    match theirs {
        None => [wall, bytes, reads].into_iter().for_each(|row| report.row(row)),
        Some(theirs) => {
            let wall = wall.note(theirs.note("rrdcached"));
            let rows = [
                (wall, theirs.wall_us(), 0.5),
                (bytes, theirs.written_bytes, 1.0),
                (reads, theirs.pages_read, 1.0),
            ];
            for (row, figure, part) in rows {
                report.row(row.at_most(figure * part).beside([("rrdcached", figure)]));
            }
        }
    }
    report.raw("write_back", json!({ "gyre": ours, "rrdcached": theirs }));
    let _ = std::fs::remove_dir_all(&place.beside); // the space is needed
    Ok(())
}

impl Hour {
    fn note(&self, who: &str) -> String {
        format!(
            "{who}: accepted in {:.2} us, written in {:.2} us, {:.2} us of processor time; the load \
             {:.2} us",
            self.accept_us, self.write_us, self.processor_us, self.load_us
        )
    }
}

fn hour(
    bench: &Bench<'_>,
    place: &Place,
    subject: &Subject,
    (first_cycle, memory_bytes): (u64, u64),
) -> Result<Hour, String> {
    place.clear();
    bench.options.caches.drop(&place.base)?;
    // Without a control group the figures mean nothing; only the tests with the smallest size run
    // without it.
    let group = Cgroup::new("write-back", memory_bytes);
    let group = match group {
        Err(message) if bench.options.caches == testbed::Caches::Drop => return Err(message),
        group => group.ok(),
    };
    let daemon = subject.start(place, group.as_ref())?;
    let count = bench.options.dense_files;
    let send = |first_cycle, cycles| {
        let (lines, connections) = (bench.options.batch_lines, bench.options.connections);
        let manner = Manner::Batches { cycles, lines, connections };
        Load { socket: place.socket(), rrds: count, first_cycle, manner }.send()
    };
    // The daemon's first read of each file, and the writes that it causes.
    send(first_cycle, 1)?;
    daemon.flush(count)?;
    let (before, device) = (daemon.counters()?, bench.device.synced_counters()?);
    let outcome = send(first_cycle + 1, CYCLES)?;
    let write_seconds = daemon.flush(count * (1 + CYCLES))?;
    let used = daemon.counters()? - before;
    let written = bench.device.synced_counters()? - device;
    let us = |seconds: f64| seconds / outcome.updates as f64 * 1e6;
    Ok(Hour {
        accept_us: us(outcome.seconds()),
        write_us: us(write_seconds),
        processor_us: us(used.user_seconds + used.system_seconds),
        load_us: us(outcome.own_seconds),
        written_bytes: written.written_bytes as f64 / outcome.updates as f64,
        pages_read: pages(used.read_bytes) / outcome.updates as f64,
    })
}
