//! The planner compared with real runs: bytes written, page-ins, memory.
//!
//! Databases of MRTG's layout are kept in each of the ways, by the product's own code, with a
//! control group's limit of memory. Cycles follow each other without a pause, with simulated times.
//! Measured are:
//!
//! * the bytes that the device wrote, including a sync at the end of each cycle, so the directory
//!   should be on a device of its own (a loop device will do);
//! * the pages that the kernel read for the process;
//! * the page cache and the anonymous memory of the group.
//!
//! The planner gets the layouts, their number, the limit and the pace, but nothing that was
//! measured.
//!
//! Expected: each figure within a tenth.

mod options;
mod worker;
mod watched;
mod day;
mod ways;
mod no_advice;

pub(crate) use options::Options;
pub(crate) use worker::{NAME as WORKER_NAME, main as worker_main};

use planner::{DiskRates, FileSystem, Machine, Prediction, Processor};
use serde_json::json;
use testbed::{Device, Interrupts, Readahead};

use crate::report::{Report, Row};
use crate::room::Room;

/// The largest deviation of a prediction.
const DEVIATION_MAX: f64 = 0.1;

/// Runs one way with this number of pages a file, or bytes a database.
type RunWay = fn(&Bench<'_>, u64) -> Result<Compared, String>;

/// The inputs that the parts share.
struct Bench<'a> {
    options: &'a Options,
    directory: &'a std::path::Path,
    device: &'a Device,
    interrupts: Interrupts,
    file_system: FileSystem,
    readahead_bytes: u64,
}

/// The measurements of a way, for each update.
#[derive(Clone, Copy, Debug, serde::Serialize)]
struct Seen {
    written_bytes: f64,
    page_ins: f64,
    /// Page cache, bytes.
    cached_bytes: f64,
    /// Anonymous memory of the process in bytes.
    process_bytes: f64,
    /// Memory of the kernel in bytes.
    kernel_bytes: f64,
    cycle_seconds: f64,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, or a kernel that does not let this user make a control group.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = crate::options::parse(words)?;
    let interrupts = Interrupts::watch()?;
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let bench = Bench {
        options: &options,
        directory: &room.path,
        device: &room.device,
        interrupts,
        file_system: file_system(&room.device),
        readahead_bytes: Readahead::window_kib(&room.device)? << 10,
    };
    report.raw("file_system", json!(format!("{:?}", bench.file_system)));
    report.raw("readahead_bytes", json!(bench.readahead_bytes));
    let wants = |part| options.parts.contains(&part);
    let ways: [(&str, RunWay, &[u64]); 4] = [
        ("files", ways::files, &options.pages),
        ("no-advice", no_advice::run, &options.pages),
        ("journal", ways::journal, &options.pages),
        ("ring", ways::ring, &options.ring_bytes),
    ];
    for (part, way, sizes) in ways.into_iter().filter(|(part, ..)| wants(part)) {
        for size in sizes {
            bench.interrupts.check()?;
            if let Some(compared) = report.attempt(part, way(&bench, *size)) {
                compared.tell(&mut report);
            }
        }
    }
    bench.interrupts.check()?;
    report.print("plan", options.json)
}

/// A file system with a journal has an entry for it.
fn file_system(device: &Device) -> FileSystem {
    let link = std::fs::read_link(format!("/sys/dev/block/{}", device.number()));
    let name = link.ok().and_then(|it| Some(it.file_name()?.to_string_lossy().into_owned()));
    let journals = std::fs::read_dir("/proc/fs/jbd2").into_iter().flatten().flatten();
    let mut names = journals.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let has_journal = name.is_some_and(|name| names.any(|it| it.starts_with(&format!("{name}-"))));
    FileSystem { has_journal, ..FileSystem::default() }
}

impl Bench<'_> {
    /// The machine, as far as these figures depend on it.
    fn machine(&self, memory_bytes: u64) -> Machine {
        Machine {
            memory_bytes,
            cores: crate::workload::THREADS as u32,
            processor: Processor::default(),
            disk_bytes: u64::MAX,
            disk: DiskRates {
                random_reads_per_second: 10_000.0,
                random_writes_per_second: 20_000.0,
                sequential_bytes_per_second: 500e6,
                synced_write_seconds: 0.15e-3,
            },
            readahead_bytes: self.readahead_bytes,
            file_system: self.file_system,
        }
    }
}

/// The prediction and the measurement of a way.
struct Compared {
    name: String,
    predicted: Prediction,
    seen: Seen,
    /// Whether it keeps files, so that memory is page cache.
    has_files: bool,
}

impl Compared {
    fn tell(&self, report: &mut Report) {
        let Self { name, predicted, seen, .. } = self;
        let row = |what: &str, unit, planned: f64, seen: f64| {
            // No deviation if both are zero.
            let deviation = if planned == seen { 0.0 } else { (planned - seen) / seen };
            let verdict =
                if deviation.abs() <= DEVIATION_MAX { "" } else { " (more than a tenth)" };
            Row::new(format!("{name}: {what}"), unit, planned)
                .beside([("seen", seen)])
                .undirected()
                .note(format!("off by {:+.1}%{verdict}", deviation * 1e2))
        };
        let each = predicted.updates_per_second;
        let written = &predicted.written;
        let parts = [
            ("data", written.data_bytes),
            ("checkpoints", written.checkpoint_bytes),
            ("log", written.journal_bytes),
            ("metadata", written.metadata_bytes),
        ];
        let parts = parts.iter().filter(|(_, bytes)| *bytes > 0.0);
        let parts: Vec<String> =
            parts.map(|(part, bytes)| format!("{part} {:.1}", bytes / each)).collect();
        let bytes = row("bytes written an update", "B", written.bytes() / each, seen.written_bytes);
        report.row(bytes.note(format!("predicted: {}", parts.join(", "))));
        let page_ins = predicted.reads.page_ins_per_update;
        report.row(row("page-ins an update", "pages", page_ins, seen.page_ins));
        let memory = &predicted.memory;
        if self.has_files {
            let (planned, seen) = (memory.page_cache_bytes / 1e6, seen.cached_bytes / 1e6);
            report.row(row("page cache", "MB", planned, seen));
        }
        let own = [
            (
                "inodes and the like",
                memory.kernel_bytes + memory.page_notes_bytes,
                seen.kernel_bytes,
            ),
            ("memory of the process", memory.process_bytes, seen.process_bytes),
        ];
        // A worker that only touches pages has no figure for its own memory.
        for (what, planned, seen) in own.into_iter().filter(|(_, _, seen)| *seen > 0.0) {
            if planned > 0.0 {
                report.row(row(what, "MB", planned / 1e6, seen / 1e6));
            }
        }
        report.raw(name, json!({ "seen": self.seen, "predicted": format!("{predicted:?}") }));
    }
}
