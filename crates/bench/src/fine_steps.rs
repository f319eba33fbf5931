//! Databases with steps of a tenth of a second, all updated in every step, each update on disk
//! before it is acknowledged.
//!
//! Expected: an update takes 1 us and a record of about 20 bytes in the log; tiles take 18 bytes
//! more and checkpoints 8. Ten batches a step wait for the disk ten times, 0.5 ms each.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ring::{RingOptions, RingStore};
use rrd::spec::{self, Units};
use rrd::{Definition, Reading, Sample, Tick, Timestamp};
use store::{Making, NewDatabase, Store as _, Update};
use testbed::{Device, ProcessCounters};

use crate::report::Row;

/// Samples that are acknowledged together.
const BATCH_SAMPLES: usize = 1000;
/// Databases that are made together.
const MADE_AT_ONCE: usize = 1000;
const STEP: Duration = Duration::from_millis(100);
/// Steps before anything is counted: every ring of the shortest rows has been flushed then.
const STEPS_BEFORE: u64 = 40;
/// Bytes that an update writes, all in all.
const BYTES_TARGET: f64 = 64.0;
const PAGE_BYTES: u64 = 4096;

/// What a database is: a minute of tenths, an hour of seconds, a day of minutes.
const SPECS: [&str; 5] = [
    "DS:packets:COUNTER:1:0:U",
    "DS:load:GAUGE:1:U:U",
    "RRA:AVERAGE:0.5:1:600",
    "RRA:MAX:0.5:10:3600",
    "RRA:AVERAGE:0.5:600:1440",
];

/// Updates so many databases ten times a second, for so long.
pub(crate) fn rows(directory: &Path, databases: usize, seconds: u64) -> Result<Vec<Row>, String> {
    let store = RingStore::open_or_create(&directory.join("fine"), RingOptions::default());
    let store = store.map_err(told)?;
    let names: Vec<String> =
        (0..databases).map(|nth| format!("host-{:05}/{}", nth / 10, nth % 10)).collect();
    let units = Units::of_step("0.1", None).map_err(told)?;
    let definition = spec::definition_in(units, SPECS).map_err(told)?;
    make(&store, &names, &definition)?;
    let mut steps = Steps {
        store: &store,
        names: &names,
        tick: definition.tick,
        first: tick_of_now(definition.tick)?,
        begun: Instant::now(),
        late: 0,
        longest: Duration::ZERO,
    };
    for nth in 0..STEPS_BEFORE {
        steps.take(nth)?;
    }
    (steps.late, steps.longest) = (0, Duration::ZERO);
    // What the kernel counts for the process counts a large folio of the page cache whole, however
    // little of it was written.
    let device = Device::of(directory)?;
    let (device_before, before) = (device.synced_counters()?, ProcessCounters::own()?);
    let count = seconds * 10;
    for nth in STEPS_BEFORE..STEPS_BEFORE + count {
        steps.take(nth)?;
    }
    let (late, longest) = (steps.late, steps.longest);
    let used = ProcessCounters::own()? - before;
    let written = device.synced_counters()? - device_before;
    let updates = (count * databases as u64) as f64;
    let what = format!(
        "{} databases each tenth of a second, {seconds} s",
        ::figures::count(databases as u64)
    );
    let bytes = written.written_bytes as f64 / updates;
    let pages = (used.read_bytes / PAGE_BYTES + used.major_faults) as f64;
    let processor = (used.user_seconds + used.system_seconds) * 1e6 / updates;
    let one = |what: String, unit, value| Row::of_rounds(what, unit, &[value]);
    Ok(vec![
        one(format!("{what}: steps late"), "", late as f64).at_most(0.0),
        one(format!("{what}: longest step"), "ms", longest.as_secs_f64() * 1e3),
        one(format!("{what}: pages read"), "", pages).at_most(0.0),
        one(format!("{what}: bytes an update"), "B", bytes).at_most(BYTES_TARGET),
        one(format!("{what}: processor time an update"), "us", processor),
    ])
}

fn make(store: &RingStore, names: &[String], definition: &Definition) -> Result<(), String> {
    let start = tick_of_now(definition.tick)?;
    for names in names.chunks(MADE_AT_ONCE) {
        let paths = names.iter().map(Path::new);
        let new = paths.map(|name| NewDatabase { name, definition, start });
        let new: Vec<_> = new.map(Making::new).collect();
        if let Some((_, error)) = store.make(&new, &|| true).first() {
            return Err(error.to_string());
        }
    }
    Ok(())
}

/// The steps, each begun when it is due.
struct Steps<'a> {
    store: &'a RingStore,
    names: &'a [String],
    tick: Tick,
    /// The tick before the first step.
    first: Timestamp,
    begun: Instant,
    /// Steps that ended after the next was due.
    late: u64,
    longest: Duration,
}

impl Steps<'_> {
    fn take(&mut self, nth: u64) -> Result<(), String> {
        let due = self.begun + STEP * (nth as u32 + 1);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let ticks = self.first.seconds + nth as i64 + 1;
        let time = self.tick.moment(Timestamp::from_seconds(ticks));
        let readings = [Reading::Unsigned(nth * 1000), Reading::Unsigned(nth % 77)];
        let samples = [Sample { time, readings: &readings }];
        for names in self.names.chunks(BATCH_SAMPLES) {
            let batch: Vec<_> = names.iter().map(|name| Update::of(name, &samples)).collect();
            if let Some((_, refused)) = self.store.update(&batch).first() {
                return Err(refused.error.to_string());
            }
        }
        let taken = due.elapsed();
        self.longest = self.longest.max(taken);
        self.late += u64::from(taken > STEP);
        Ok(())
    }
}

/// The tick that it is.
fn tick_of_now(tick: Tick) -> Result<Timestamp, String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(told)?;
    let now = Timestamp { seconds: since.as_secs() as i64, micros: since.subsec_micros() };
    tick.up_to(now).ok_or_else(|| "the clock is out of range".to_owned())
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
