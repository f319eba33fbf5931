//! The cost of opening a long journal, from the page cache and from the disk.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use disk::PosixMedium;
use journal::{Journal, JournalOptions, RrdId, Start};
use logform::take_update;
use rrd::{Reading, Sample, Timestamp};

use super::{Options, append, readings, text};

/// The cost of one opening.
#[derive(Clone, Copy)]
pub(super) struct Opening {
    pub(super) records: u64,
    pub(super) log_bytes: u64,
    pub(super) elapsed: Duration,
}

/// Three openings of the same log.
pub(super) struct Openings {
    /// From the page cache; only headers are read.
    pub(super) warm: Opening,
    /// From the page cache; every record is decoded, on the same thread.
    pub(super) decoded: Opening,
    /// From the disk; only headers are read.
    pub(super) cold: Opening,
}

/// Writes a log and opens it.
pub(super) fn measure(options: &Options, directory: &Path) -> Result<Openings, String> {
    write(options, directory)?;
    let warm = open(directory, false)?;
    let decoded = open(directory, true)?;
    forget(directory)?;
    let cold = open(directory, false)?;
    Ok(Openings { warm, decoded, cold })
}

fn journal(
    directory: &Path,
    visit: impl FnMut(journal::LogPosition, journal::RawRecord<'_>),
) -> Result<Journal<PosixMedium>, String> {
    let medium = PosixMedium::open(directory).map_err(text)?;
    Journal::open(medium, JournalOptions::default(), Start::default(), visit).map_err(text)
}

fn write(options: &Options, directory: &Path) -> Result<(), String> {
    let journal = journal(directory, |_, _| ())?;
    let readings = readings(options.batch);
    for batch in 0..options.updates.div_ceil(options.batch) {
        let time = Timestamp::from_seconds(1_780_000_000 + batch as i64);
        for (nth, [input, output]) in readings.iter().enumerate() {
            let sample = Sample { time, readings: &[input, output].map(|text| Reading::of(text)) };
            let rrd = RrdId(nth as u32 * 997 % 1_000_000);
            append(&journal, rrd, &sample).map_err(text)?;
        }
        journal.write_pending().map_err(text)?;
    }
    journal.commit().map(drop).map_err(text)
}

fn open(directory: &Path, decode: bool) -> Result<Opening, String> {
    let (mut records, mut undecodable) = (0, 0_u64);
    let began = Instant::now();
    let journal = journal(directory, |_, raw| {
        records += 1;
        undecodable += u64::from(decode && take_update(raw.kind(), &mut raw.body()).is_err());
    })?;
    let elapsed = began.elapsed();
    if undecodable > 0 {
        return Err(format!("{undecodable} records do not decode"));
    }
    Ok(Opening { records, log_bytes: journal.durable().0, elapsed })
}

/// Evicts the log from the page cache.
fn forget(directory: &Path) -> Result<(), String> {
    for entry in std::fs::read_dir(directory).map_err(text)? {
        let from = format!("if={}", entry.map_err(text)?.path().display());
        // A count of zero bytes drops the whole file.
        let words = [from.as_str(), "of=/dev/null", "iflag=nocache", "count=0", "status=none"];
        let status = Command::new("dd").args(words).status().map_err(text)?;
        if !status.success() {
            return Err(format!("dd {}: {status}", words.join(" ")));
        }
    }
    Ok(())
}
