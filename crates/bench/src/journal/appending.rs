//! The cost of an append, with one thread or two, record by record or many under one lock.

use std::path::Path;
use std::time::{Duration, Instant};

use disk::PosixMedium;
use journal::{Journal, Records, RrdId, Start};
use rrd::{Reading, Sample, Timestamp};

use super::{Options, append, head, journal_options, put, readings, text};

/// Records that are appended together: as many as a batch may have for one group.
const TOGETHER: usize = 100;

/// Nanoseconds for an append; for appends of a batch without the commit.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) threads: usize,
    pub(super) single_ns: f64,
    pub(super) together_ns: f64,
}

/// Measures with one thread and with two.
pub(super) fn measure(options: &Options, directory: &Path) -> Result<[Cost; 2], String> {
    let of = |threads| {
        Ok::<_, String>(Cost {
            threads,
            single_ns: append_ns(options, directory, threads, 1)?,
            together_ns: append_ns(options, directory, threads, TOGETHER)?,
        })
    };
    Ok([of(1)?, of(2)?])
}

fn append_ns(
    options: &Options,
    directory: &Path,
    threads: usize,
    together: usize,
) -> Result<f64, String> {
    let inside = tempfile::tempdir_in(directory).map_err(text)?;
    let medium = PosixMedium::open(inside.path()).map_err(text)?;
    let journal =
        Journal::open(medium, journal_options(), Start::default(), |_, _| ()).map_err(text)?;
    let batches = options.updates.div_ceil(options.batch).div_ceil(threads);
    let readings = readings(options.batch);
    let spent: Result<Vec<Duration>, String> = std::thread::scope(|scope| {
        let (journal, readings) = (&journal, &readings);
        let run = move || append_batches(journal, readings, batches, together);
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        running.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let spent: Duration = spent?.iter().sum();
    Ok(spent.as_secs_f64() * 1e9 / (batches * threads * options.batch) as f64)
}

fn append_batches(
    journal: &Journal<PosixMedium>,
    readings: &[[String; 2]],
    batches: usize,
    together: usize,
) -> Result<Duration, String> {
    let (mut spent, mut records) = (Duration::ZERO, Records::default());
    for batch in 0..batches {
        let time = Timestamp::from_seconds(1_780_000_000 + batch as i64);
        let start = Instant::now();
        for (nth, [input, output]) in readings.iter().enumerate() {
            let sample = Sample { time, readings: &[input, output].map(|text| Reading::of(text)) };
            let rrd = RrdId(nth as u32 * 997 % 1_000_000);
            if together == 1 {
                append(journal, rrd, &sample).map_err(text)?;
                continue;
            }
            records.push(head(rrd, &sample), |out| put(&sample, out));
            if nth % together == together - 1 {
                journal.append_records(&mut records).map_err(text)?;
            }
        }
        journal.append_records(&mut records).map_err(text)?;
        spent += start.elapsed();
        let committed = journal.commit().map_err(text)?;
        journal.free_before(committed);
    }
    Ok(spent)
}
