//! Adaptive readahead in user space compared with the kernel's, on real files.
//!
//! Each figure comes from a process of its own, in a control group that limits its memory and page
//! cache. Before it the file is cold: synced, evicted, and checked. Both sides read the same
//! records in the same order, and must get the same hash. The kernel's side runs with the readahead
//! setting of the device, and with the usual 128 KiB. For a figure, the setting of the whole device
//! is changed and restored, also after an error; a signal in between leaves it changed.
//!
//! Expected: the disk answers a single read of 4 KiB in 0.1 ms, and many at once with 1.5 GB/s. So
//! patterns that the kernel does not detect (backward, steps) gain most with small records. Records
//! of 1 MiB saturate the disk by themselves, so nothing can be gained there.

mod options;
mod pattern;
mod worker;

pub(crate) use options::Options;
pub(crate) use worker::{NAME as WORKER_NAME, main as worker_main};

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;
use testbed::{Cgroup, Readahead};

use crate::figures::median;
use crate::report::Row;
use crate::room::Room;
use pattern::Pattern;
use worker::{Side, Spec, Told};

const MIB: u64 = 1 << 20;

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a file system that fails, or bytes that differ.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let mut options: Options = crate::options::parse(words)?;
    if let Err(error) = Cgroup::new("readahead", MIB) {
        eprintln!("no limit of memory: {error}");
        options.limited = false;
    }
    let room = Room::within(&options.directory)?;
    let mut report = room.report(&options)?;
    let mut settings = vec![None];
    match Readahead::is_permitted(&room.device) {
        Ok(()) if Readahead::window_kib(&room.device)? != Readahead::USUAL_KIB => {
            settings.push(Some(Readahead::USUAL_KIB));
        }
        Ok(()) => {}
        Err(error) => eprintln!("only the device's own readahead: {error}"),
    }
    let mut all = Vec::new();
    for mib in options.sizes_mib.clone() {
        let path = room.path.join(format!("{mib}-mib"));
        worker::create(&path, mib * MIB)?;
        for row in rows(&options, mib) {
            for setting in &settings {
                let measured = measure(&options, &path, &row, *setting);
                let name = row.name();
                if let Some((row, raw)) = report.attempt(&name, measured) {
                    report.row(row);
                    all.push(raw);
                }
            }
        }
        std::fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    report.raw("measurements", json!(all));
    report.print("readahead", options.json)
}

/// The pattern and the other parameters of a figure.
struct Case {
    pattern: Pattern,
    record_bytes: u64,
    mib: u64,
    hit_rate: u64,
}

impl Case {
    fn name(&self) -> String {
        let record = match self.record_bytes {
            bytes if bytes >= MIB => format!("{} MiB", bytes / MIB),
            bytes => format!("{} KiB", bytes / 1024),
        };
        let rate =
            if self.hit_rate > 1 { format!(", hit rate {}", self.hit_rate) } else { String::new() };
        format!("{}{rate}, {record} of {} MiB", self.pattern.name(), self.mib)
    }
}

fn rows(options: &Options, mib: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for pattern in options.parts.iter().filter_map(|name| Pattern::named(name)) {
        for record_bytes in options.records_kib.iter().map(|kib| kib * 1024) {
            let rates: &[u64] = if pattern == Pattern::Sparse { &[1, 4] } else { &[1] };
            let case = |hit_rate: &u64| Case { pattern, record_bytes, mib, hit_rate: *hit_rate };
            cases.extend(rates.iter().map(case));
        }
    }
    cases
}

/// Measures both sides alternately; returns the medians.
fn measure(
    options: &Options,
    path: &Path,
    case: &Case,
    readahead_kb: Option<u64>,
) -> Result<(Row, serde_json::Value), String> {
    let mut told: [Vec<Told>; 2] = Default::default();
    for _ in 0..options.rounds {
        for (side, told) in [Side::Kernel, Side::Gyre].into_iter().zip(&mut told) {
            told.push(run(options, path, case, readahead_kb, side)?);
        }
    }
    if told
        .iter()
        .flatten()
        .any(|one| (one.hash, one.wanted_bytes) != (told[0][0].hash, told[0][0].wanted_bytes))
    {
        return Err("the bytes that were read differ".into());
    }
    let wanted = told[0][0].wanted_bytes as f64;
    let middle =
        |told: &[Told], of: fn(&Told) -> f64| median(&told.iter().map(of).collect::<Vec<_>>());
    let [theirs, ours] = told.each_ref().map(|told| middle(told, |it| it.seconds));
    let [their_bytes, our_bytes] =
        told.each_ref().map(|told| middle(told, |it| it.read_bytes as f64) / wanted);
    let [their_cpu, our_cpu] = told.each_ref().map(|told| middle(told, |it| it.cpu_seconds));
    let last = told[1].last().expect("there is a round");
    let setting = readahead_kb.map_or("the device's".to_owned(), |kb| format!("{kb} KiB"));
    let name = format!("{}, readahead {setting}", case.name());
    let note = format!(
        "gyre {:.0} MB/s, {our_bytes:.3} bytes read for one wanted, {our_cpu:.3} s of processor, {} calls ahead, {} looks, \
         {} losses; kernel {:.0} MB/s, {their_bytes:.3} bytes, {their_cpu:.3} s",
        wanted / ours / 1e6,
        last.ahead_calls,
        last.looks,
        last.losses,
        wanted / theirs / 1e6,
    );
    let row = Row::new(name.clone(), "x", theirs / ours).note(note);
    let row = match case.pattern.target() {
        Some(least) => row.at_least(least),
        None => row,
    };
    let raw = json!({
        "what": name, "pattern": case.pattern.name(), "record_bytes": case.record_bytes, "file_mib": case.mib,
        "hit_rate": case.hit_rate, "readahead_kb": readahead_kb, "kernel": told[0], "gyre": told[1],
    });
    Ok((row, raw))
}

fn run(
    options: &Options,
    path: &Path,
    case: &Case,
    readahead_kb: Option<u64>,
    side: Side,
) -> Result<Told, String> {
    let group = match options.limited {
        true => Some(Cgroup::new("readahead", options.memory_mib * MIB)?),
        false => None,
    };
    let program: PathBuf = std::env::current_exe().map_err(|error| error.to_string())?;
    let spec = Spec {
        path: path.into(),
        pattern: case.pattern,
        record_bytes: case.record_bytes,
        reads_max: options.reads_max,
        hit_rate: case.hit_rate,
        readahead_kb,
        side,
    };
    let spec = serde_json::to_string(&spec).map_err(|error| error.to_string())?;
    let command = group.as_ref().map(|group| group.command(&program));
    let output = command
        .unwrap_or_else(|| std::process::Command::new(&program))
        .args([WORKER_NAME, &spec])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("the worker ended: {}", output.status));
    }
    serde_json::from_str(&text).map_err(|error| format!("{text}: {error}"))
}
