//! What the files are, and which samples they get: the same in the child and in its parent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use files::cache::{CacheOptions, Journaling};
use rrd::Timestamp;
use store::Existing;

pub(crate) const THREADS: usize = 4;
const FILES_A_THREAD: usize = 5;
pub(crate) const START: i64 = 1_600_000_000;

/// The files of a thread.
pub(crate) fn files_of(thread: usize) -> impl Iterator<Item = usize> {
    (0..FILES_A_THREAD).map(move |nth| nth * THREADS + thread)
}

pub(crate) fn all_files() -> std::ops::Range<usize> {
    0..THREADS * FILES_A_THREAD
}

pub(crate) fn path(root: &Path, file: usize) -> PathBuf {
    root.join(format!("file{file}.rrd"))
}

/// How the file's database is laid out: small rings that are soon gone over again, heads of several
/// pages, seasons that are written in place.
pub(crate) fn specs(file: usize) -> (u64, Vec<String>) {
    let text = |specs: &[&str]| specs.iter().map(|spec| (*spec).to_owned()).collect();
    match file % 5 {
        0 => (
            300,
            text(&[
                "DS:in:COUNTER:600:0:U",
                "DS:out:COUNTER:600:0:U",
                "RRA:AVERAGE:0.5:1:600",
                "RRA:AVERAGE:0.5:6:700",
                "RRA:AVERAGE:0.5:24:775",
                "RRA:MAX:0.5:1:600",
                "RRA:MAX:0.5:6:700",
                "RRA:MAX:0.5:24:775",
            ]),
        ),
        1 => (10, text(&["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:7", "RRA:LAST:0.5:3:5"])),
        2 => {
            let sources = (0..30).map(|nth| format!("DS:s{nth}:GAUGE:600:U:U"));
            let archives = ["RRA:AVERAGE:0.5:1:50", "RRA:MIN:0.3:5:40", "RRA:MAX:0.9:7:9"];
            (60, sources.chain(archives.map(str::to_owned)).collect())
        }
        3 => (
            60,
            text(&["DS:x:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:60", "RRA:HWPREDICT:40:0.1:0.0035:12"]),
        ),
        _ => (1, text(&["DS:x:DERIVE:5:U:U", "DS:y:ABSOLUTE:9:0:1e6", "RRA:AVERAGE:0.1:2:300"])),
    }
}

/// Makes the files.
pub(crate) fn make(root: &Path) {
    for file in all_files() {
        let (step_seconds, specs) = specs(file);
        let definition = rrd::spec::definition(step_seconds, specs.iter().map(String::as_str));
        let start = Timestamp::from_seconds(START);
        files::create(&path(root, file), &definition.unwrap(), start, Existing::Keep).unwrap();
    }
}

/// Some number that follows from others.
fn mixed(file: usize, nth: u64, source: usize) -> u64 {
    let seed = (file as u64) << 40 ^ nth << 8 ^ source as u64;
    disk::Random::new(seed).number()
}

/// The time of a file's sample, all of them different and rising.
fn seconds(file: usize, nth: u64) -> i64 {
    let step_seconds = specs(file).0 as i64;
    // Some come late, some in the middle of a step; every twentieth after a gap.
    let gap = nth as i64 / 20 * 3 * step_seconds;
    START + nth as i64 * step_seconds + gap + mixed(file, nth, 99) as i64 % step_seconds.max(2) / 2
}

/// A file's sample as an argument, the first one being 1.
pub(crate) fn argument(file: usize, nth: u64) -> String {
    let mut text = seconds(file, nth).to_string();
    let sources = specs(file).1.iter().filter(|spec| spec.starts_with("DS:")).count();
    for source in 0..sources {
        let number = mixed(file, nth, source);
        let reading = match (number % 17, file % 5) {
            (0, _) => "U".to_owned(),
            (_, 0) => (nth * 1_000_003 + number % 9999).to_string(),
            (1 | 2, 1..=3) => format!("-{}.{:03}e{}", number % 99, number % 1000, number % 7),
            (_, 4) => (number % 100_000).to_string(),
            _ => format!("{}.5", number % 1000),
        };
        text.push(':');
        text.push_str(&reading);
    }
    text
}

/// Which sample of a file is its last, by the time.
pub(crate) fn nth_of(file: usize, last_update: Timestamp) -> u64 {
    let reached = (1..).take_while(|nth| seconds(file, *nth) <= last_update.seconds);
    reached.last().unwrap_or(0)
}

/// Write-backs begin as soon as they may.
pub(crate) fn options(root: &Path, sync_every: Option<Duration>) -> CacheOptions {
    CacheOptions {
        journal: Some(Journaling { directory: root.join("journal"), sync_every }),
        write_after: Duration::ZERO,
        writer_threads: 2,
        open_files_max: 8,
        flush_on_close: false,
        ..CacheOptions::default()
    }
}
