//! The journal on a real file system: records a second, bytes an update, milliseconds a sync.
//!
//! Updates are MRTG's, two counters each, a batch of them appended and committed at a time. The
//! batches are written to preallocated segments, which are reused, and also appended to a growing
//! file, as a journal without segments would. The two alternate, so that other load on the machine
//! affects both.
//!
//! Also measured are the cost of an append alone, with one thread and with two, and how fast a log
//! of as many updates is read at opening, from the page cache and from the disk.
//!
//! Expected: 24.6 bytes an update; 0.10 ms a sync for reused segments against 0.24 ms for the
//! growing file, because the size of a growing file goes through the file system's own journal.

mod appending;
mod opening;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use disk::{Medium as _, PosixMedium};
use journal::{
    Generation, Journal, JournalError, JournalOptions, LogPosition, RecordHead, RrdId, Start,
};
use logform::{put_update, update_kind};
use rrd::{Reading, Sample, Timestamp};

use ::options::{OwnRow, checked, option, switch};

use crate::options::{self, fill};
use crate::report::{Report, Row};

const CHECKPOINT_BATCHES: usize = 100;

pub(crate) struct Options {
    directory: PathBuf,
    updates: usize,
    batch: usize,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "journal";
    const ABOUT: &'static str =
        "the store's journal: bytes an update, a sync into used segments against a growing file";
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--updates", "N", "updates (1000000)", |o, it| fill(&mut o.updates, &it)),
        checked("--batch", "N", "updates for each sync (1000)", |o, it| fill(&mut o.batch, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { directory: PathBuf::from("."), updates: 1_000_000, batch: 1000, json: false }
    }

    fn quick() -> Option<Self> {
        Some(Self { updates: 200_000, ..Self::full() })
    }
}

/// The costs of one of the two ways.
#[derive(Default)]
struct Figures {
    append: Duration,
    commits: Vec<Duration>,
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, or a file system that fails.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let inside = tempfile::tempdir_in(&options.directory).map_err(text)?;
    let (segments, growing) = (inside.path().join("segments"), inside.path().join("growing"));
    for directory in [&segments, &growing] {
        std::fs::create_dir(directory).map_err(text)?;
    }
    let readings = readings(options.batch);
    let journal = used_journal(&segments, &readings)?;
    let start = journal.durable();
    let file = PosixMedium::open(&growing).and_then(|it| it.create("log")).map_err(text)?;

    let (mut recycled, mut grown, mut file_bytes) = (Figures::default(), Figures::default(), 0);
    let (mut fallback, mut checkpoint) = (start, start);
    for batch in 0..options.updates.div_ceil(options.batch) {
        let time = Timestamp { seconds: 1_780_000_000 + batch as i64, micros: 0 };
        commit_batch(&journal, time, &readings, &mut recycled)?;
        if batch % CHECKPOINT_BATCHES == CHECKPOINT_BATCHES - 1 {
            (fallback, checkpoint) = (checkpoint, journal.durable());
            journal.free_before(checkpoint);
        }
        file_bytes += grow(&file, file_bytes, &readings, time, &mut grown)?;
    }
    let log_bytes = journal.durable().0 - start.0;
    drop(journal);
    let recovery = recover(&segments, fallback)?;
    let costs = appending::measure(&options, inside.path())?;
    let long = tempfile::tempdir_in(&options.directory).map_err(text)?;
    let openings = opening::measure(&options, long.path())?;
    let mut told = Report::default();
    report(&options, [&recycled, &grown], log_bytes, &recovery, &mut told);
    report_more(&costs, &openings, &mut told);
    told.print("journal", options.json)
}

/// Two counters for each RRD of a batch: rates from 1 kbit/s to 10 Gbit/s, evenly on a logarithmic
/// scale, for a hundred days.
fn readings(count: usize) -> Vec<[String; 2]> {
    let counters = |nth: usize| {
        let octets_a_second = 125.0 * 1e7_f64.powf(nth as f64 / count as f64);
        [1.0, 3.0].map(|share| ((octets_a_second / share * 8_640_000.0) as u64).to_string())
    };
    (0..count).map(counters).collect()
}

fn journal_options() -> JournalOptions {
    // Small, so that each segment is reused within a run.
    let segment_bytes = 4 << 20;
    let first_segment_bytes = segment_bytes;
    JournalOptions { segment_bytes, first_segment_bytes, segments: 6, ..JournalOptions::default() }
}

/// A journal after a batch, with segments that are filled with zeros.
fn used_journal(
    directory: &Path,
    readings: &[[String; 2]],
) -> Result<Journal<PosixMedium>, String> {
    let medium = PosixMedium::open(directory).map_err(text)?;
    let journal =
        Journal::open(medium, journal_options(), Start::default(), |_, _| ()).map_err(text)?;
    let time = Timestamp::from_seconds(1_700_000_000);
    commit_batch(&journal, time, readings, &mut Figures::default())?;
    Ok(journal)
}

fn commit_batch(
    journal: &Journal<PosixMedium>,
    time: Timestamp,
    readings: &[[String; 2]],
    figures: &mut Figures,
) -> Result<(), String> {
    let start = Instant::now();
    for (nth, [input, output]) in readings.iter().enumerate() {
        let sample = Sample { time, readings: &[input, output].map(|text| Reading::of(text)) };
        // Ids as in a store of a million databases: three bytes.
        let rrd = RrdId(nth as u32 * 997 % 1_000_000);
        append(journal, rrd, &sample).map_err(text)?;
    }
    figures.append += start.elapsed();
    let start = Instant::now();
    journal.commit().map_err(text)?;
    figures.commits.push(start.elapsed());
    Ok(())
}

/// Appends an update as the stores do.
fn append(
    journal: &Journal<PosixMedium>,
    rrd: RrdId,
    sample: &Sample<'_>,
) -> Result<LogPosition, JournalError> {
    journal.append(head(rrd, sample), |out| put(sample, out))
}

fn head(rrd: RrdId, sample: &Sample<'_>) -> RecordHead {
    let kind = update_kind(sample.time, sample.readings.len());
    RecordHead { kind, rrd, generation: Generation(0) }
}

fn put(sample: &Sample<'_>, out: &mut Vec<u8>) {
    let readings = sample.readings;
    put_update(sample.time, readings.len(), readings.iter().copied(), out);
}

/// Appends the same bytes to a file; returns their number.
fn grow(
    file: &disk::File,
    offset_bytes: u64,
    readings: &[[String; 2]],
    time: Timestamp,
    figures: &mut Figures,
) -> Result<u64, String> {
    let start = Instant::now();
    let mut bytes = Vec::new();
    for (nth, [input, output]) in readings.iter().enumerate() {
        let sample = Sample { time, readings: &[input, output].map(|text| Reading::of(text)) };
        let rrd = RrdId(nth as u32 * 997 % 1_000_000);
        bytes.push(0); // in place of the record's length
        head(rrd, &sample).put(&mut bytes);
        put(&sample, &mut bytes);
    }
    figures.append += start.elapsed();
    let start = Instant::now();
    file.write_at(&bytes, offset_bytes).and_then(|()| file.sync_data()).map_err(text)?;
    figures.commits.push(start.elapsed());
    Ok(bytes.len() as u64)
}

/// The result of reading the log.
struct Recovery {
    records: u64,
    hash: u64,
    elapsed: Duration,
}

/// Reads everything that was committed since a checkpoint.
fn recover(directory: &Path, from: LogPosition) -> Result<Recovery, String> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let (mut hash, mut records) = (DefaultHasher::new(), 0_u64);
    let began = Instant::now();
    let medium = PosixMedium::open(directory).map_err(text)?;
    let start = Start { from, keep_from: from };
    Journal::open(medium, journal_options(), start, |position, raw| {
        records += 1;
        (position, raw.rrd()).hash(&mut hash);
    })
    .map_err(text)?;
    Ok(Recovery { records, hash: hash.finish(), elapsed: began.elapsed() })
}

fn report(
    options: &Options,
    ways: [&Figures; 2],
    log_bytes: u64,
    recovery: &Recovery,
    report: &mut Report,
) {
    let batches = ways[0].commits.len();
    let updates = (batches * options.batch) as f64;
    // Every commit fills its last page.
    let batch_bytes = (24 + log_bytes / batches as u64).next_multiple_of(4096);
    let [recycled, growing] = ways.map(|way| percentile_ms(&way.commits, 50));
    let [recycled_99, growing_99] = ways.map(|way| percentile_ms(&way.commits, 99));
    let seconds =
        ways[0].append.as_secs_f64() + ways[0].commits.iter().sum::<Duration>().as_secs_f64();
    let append_ns = ways[0].append.as_secs_f64() * 1e9 / updates;
    let read_back = recovery.records as f64 / recovery.elapsed.as_secs_f64();
    let last_page = batch_bytes as f64 / options.batch as f64;
    report.row(Row::new("updates appended and committed", "/s", updates / seconds));
    report.row(Row::new("an append", "ns", append_ns));
    let bytes = Row::new("bytes an update in the log", "B", log_bytes as f64 / updates);
    report.row(bytes.note(format!("{last_page:.1} with the last page of a batch")));
    let commit = Row::new("a commit into used segments", "ms", recycled);
    report.row(commit.beside([("growing file", growing)]).note(format!(
        "99%: {recycled_99:.3} ms, at the end of a growing file {growing_99:.3} ms"
    )));
    report.row(Row::new("updates read back", "/s", read_back));
    report.raw("result_hash", serde_json::json!(format!("{:016x}", recovery.hash)));
}

fn report_more(costs: &[appending::Cost; 2], openings: &opening::Openings, report: &mut Report) {
    for appending::Cost { threads, single_ns, together_ns } in costs {
        let what = format!("an append with {threads} thread(s)");
        report.row(Row::new(&what, "ns", *single_ns));
        report.row(Row::new(format!("{what}, many entering together"), "ns", *together_ns));
    }
    let opening::Openings { warm, decoded, cold } = openings;
    for (how, each) in [("warm", warm), ("decoded", decoded), ("cold", cold)] {
        let rate = each.records as f64 / each.elapsed.as_secs_f64();
        report.row(Row::new(format!("records read at opening, {how}"), "/s", rate).note(format!(
            "{} records in {:.3} s, {:.0} MB/s",
            each.records,
            each.elapsed.as_secs_f64(),
            each.log_bytes as f64 / each.elapsed.as_secs_f64() / 1e6
        )));
    }
}

fn percentile_ms(durations: &[Duration], percent: usize) -> f64 {
    let mut sorted = durations.to_vec();
    sorted.sort();
    sorted[(sorted.len() - 1) * percent / 100].as_secs_f64() * 1e3
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs_with_few_updates() {
        let directory = tempfile::tempdir().unwrap();
        let words = ["--updates", "30000", "--batch", "100", "--json", "--directory"];
        let mut words: Vec<String> = words.map(str::to_owned).into();
        words.push(directory.path().to_str().unwrap().into());
        super::main(&words).unwrap();
    }
}
