//! The databases that are asked about, and the same series as lines for VictoriaMetrics.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ring::{RingOptions, RingStore};
use rrd::{Reading, Sample, Timestamp, spec};
use store::{Making, NewDatabase, Store as _, Update};

use crate::series::Victoria;

/// The distance of two samples.
pub(super) const STEP_SECONDS: i64 = 300;
/// Ports of a device.
pub(super) const PORTS: u64 = 100;
/// Databases that are made or updated together.
const AT_ONCE: u64 = 1000;
/// Samples in a request to VictoriaMetrics.
const LINES: usize = 20_000;

/// Databases of one data source each. Database 1234 is port 34 of device 12.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fleet {
    pub(super) databases: u64,
    /// Rows of each.
    pub(super) rows: u64,
    /// The time of the last sample.
    pub(super) last_seconds: i64,
}

impl Fleet {
    /// Databases with samples up to now.
    pub(super) fn new(databases: u64, rows: u64) -> Result<Self, String> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|it| it.to_string())?;
        // A step back: VictoriaMetrics hides the samples of the last half minute.
        let last_seconds = (since.as_secs() as i64 / STEP_SECONDS - 1) * STEP_SECONDS;
        Ok(Self { databases, rows, last_seconds })
    }

    /// When the step of the first row begins.
    pub(super) fn start_seconds(&self) -> i64 {
        self.last_seconds - self.rows as i64 * STEP_SECONDS
    }

    fn device(database: u64) -> String {
        format!("r{:05}", database / PORTS)
    }

    fn port(database: u64) -> String {
        format!("port{:02}", database % PORTS)
    }

    fn name(database: u64) -> String {
        format!("{}/{}", Self::device(database), Self::port(database))
    }

    /// The text of a sample. Binary numbers and decimal ones both hold it whole.
    fn reading(database: u64, row: u64) -> String {
        let mixed = (database * 1_000_003 + row).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        format!("{}", mixed as f64 / 8.0)
    }

    /// A ring store with the databases, in this process.
    pub(super) fn make(&self, directory: &Path) -> Result<Arc<RingStore>, String> {
        let store = RingStore::open_or_create(directory, RingOptions::default()).map_err(told)?;
        let rows = format!("RRA:AVERAGE:0.5:1:{}", self.rows);
        let definition = spec::definition(STEP_SECONDS as u64, ["DS:in:GAUGE:600:U:U", &rows]);
        let definition = definition.map_err(told)?;
        let start = Timestamp::from_seconds(self.start_seconds());
        for begin in (0..self.databases).step_by(AT_ONCE as usize) {
            let these = begin..self.databases.min(begin + AT_ONCE);
            let names: Vec<String> = these.clone().map(Self::name).collect();
            let new = names.iter().map(Path::new);
            let new = new.map(|name| NewDatabase { name, definition: &definition, start });
            let new: Vec<_> = new.map(Making::new).collect();
            if let Some((_, error)) = store.make(&new, &|| true).first() {
                return Err(error.to_string());
            }
            self.update(&store, these.zip(&names))?;
        }
        Ok(Arc::new(store))
    }

    fn update<'a>(
        &self,
        store: &RingStore,
        named: impl Iterator<Item = (u64, &'a String)>,
    ) -> Result<(), String> {
        for (database, name) in named {
            let texts: Vec<String> =
                (1..=self.rows).map(|row| Self::reading(database, row)).collect();
            let readings: Vec<[Reading<'_>; 1]> =
                texts.iter().map(|text| [reading(text)]).collect();
            let samples = readings.iter().zip(1..).map(|(readings, row)| Sample {
                time: Timestamp::from_seconds(self.start_seconds() + row * STEP_SECONDS),
                readings,
            });
            let samples: Vec<_> = samples.collect();
            if let Some((_, refused)) = store.update(&[Update::of(name, &samples)]).first() {
                return Err(refused.error.to_string());
            }
        }
        Ok(())
    }

    /// Sends the same samples to VictoriaMetrics.
    pub(super) fn send(&self, server: &Victoria) -> Result<(), String> {
        let mut writer = server.connect()?;
        let (mut lines, mut count) = (String::new(), 0);
        for database in 0..self.databases {
            let (device, port) = (Self::device(database), Self::port(database));
            for row in 1..=self.rows {
                let reading = Self::reading(database, row);
                let nanos = (self.start_seconds() + row as i64 * STEP_SECONDS) * 1_000_000_000;
                let _ = writeln!(
                    lines,
                    "mrtg,database={device}/{port},device={device},port={port} in={reading} {nanos}"
                ); // a String cannot fail
                count += 1;
            }
            if count >= LINES {
                writer.write(&lines)?;
                lines.clear();
                count = 0;
            }
        }
        if !lines.is_empty() {
            writer.write(&lines)?;
        }
        server.flush()
    }
}

fn reading(text: &str) -> Reading<'_> {
    text.parse().map_or(Reading::Text(text), Reading::Unsigned)
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
