//! What a store costs, before there is one: the arithmetic that chooses its pace.
//!
//! Every function is pure, and the store itself lives by the same ones: [`Geometry`] places its
//! rows, [`StateLayout`] packs its states, and [`log_bytes_max`] bounds its log.

use geometry::{GROUP_DATABASES_MAX, Geometry, Pace, Shape};
use journal::{Generation, RrdId};
use livestate::StateLayout;
use rrd::{Definition, Reading, Sample, Timestamp};

use super::group::Member;
use super::record::update_record_bytes;

/// Bytes of memory that a name takes: its fingerprint, and its share of the table, which is half to
/// seven eighths full.
const NAME_MEMORY_BYTES: f64 = 8.0 + 7.0;
/// Bytes of the heap for each one that is in use: rows come and go piece by piece, group by group.
/// Measured with 100,000 databases and with 1,000,000.
const HEAP: f64 = 1.1;
/// Bytes of a checkpoint that a member takes beside its packed state.
const CHECKPOINT_MEMBER_BYTES: u64 = 13;
/// Bytes that the journal adds to a record: its length, and its share of the frame and its padding
/// at a thousand records a commit.
const FRAME_BYTES: f64 = 1.0 + 2.1;
/// The smallest log that is worth keeping short.
const LOG_BYTES_MIN: u64 = 48 << 20;

/// What one layout costs at a pace, for each database of a full group.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// Bytes of memory: packed state, rows that wait for their tile, name.
    pub memory_bytes: f64,
    /// Bytes on disk for rows.
    pub tiles_bytes: f64,
    /// Bytes on disk for both checkpoints.
    pub checkpoints_bytes: f64,
    /// Bytes that an update writes to the journal.
    pub journal_bytes_per_update: f64,
    /// Bytes that an update writes to tiles, in the long run.
    pub tile_bytes_per_update: f64,
    /// Bytes that an update writes to checkpoints, in the long run.
    pub checkpoint_bytes_per_update: f64,
    /// How the archives are cut into tiles.
    pub shapes: Vec<Shape>,
    flush_cycles: u32,
}

/// How fast a machine replays: what a restart is predicted from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MachineRates {
    /// Records of the log that one thread reads a second.
    pub scanned_records_per_second: f64,
    /// Updates that all threads apply a second.
    pub applied_updates_per_second: f64,
    /// Databases whose name and state are loaded a second.
    pub loaded_databases_per_second: f64,
}

impl Costs {
    /// What a layout costs at a pace; `None` if no page holds a row of it.
    #[must_use]
    pub fn of(definition: &Definition, pace: Pace) -> Option<Self> {
        let geometry = Geometry::new(definition, pace, GROUP_DATABASES_MAX, true)?;
        let state_bytes = StateLayout::new(definition).bytes() as u64;
        let member_bytes = size_of::<Member>() as f64;
        let checkpoint_bytes = state_bytes + CHECKPOINT_MEMBER_BYTES;
        let waiting_bytes = geometry.waiting_bytes_per_database();
        let used_bytes = state_bytes as f64 + member_bytes + NAME_MEMORY_BYTES + waiting_bytes;
        Some(Self {
            memory_bytes: HEAP * used_bytes,
            tiles_bytes: geometry.disk_bytes_per_database(),
            checkpoints_bytes: 2.0 * (checkpoint_bytes as f64 + geometry.open_bytes_per_database()),
            journal_bytes_per_update: record_bytes(definition) + FRAME_BYTES,
            tile_bytes_per_update: geometry.tile_bytes_per_update(),
            checkpoint_bytes_per_update: geometry.checkpoint_bytes_per_update(checkpoint_bytes),
            shapes: geometry.shapes().to_vec(),
            flush_cycles: pace.flush_cycles,
        })
    }

    /// The pace for so many databases of a layout within so many bytes of memory: the largest tiles
    /// that fit, since they are read fastest; the smallest if none do.
    #[must_use]
    pub fn pace_for_memory(definition: &Definition, databases: u64, memory_bytes: u64) -> Pace {
        let Pace { flush_cycles, tile_rows_max } = Pace::default();
        let pace = |tile_rows_max| Pace { flush_cycles, tile_rows_max };
        let fits = |tile_rows: &u32| {
            let costs = Self::of(definition, pace(*tile_rows));
            costs.is_some_and(|it| it.memory_bytes * databases as f64 <= memory_bytes as f64)
        };
        pace((1..=tile_rows_max).rev().find(fits).unwrap_or(1))
    }

    /// Bytes written for one update, all together.
    #[must_use]
    pub fn bytes_per_update(&self) -> f64 {
        self.journal_bytes_per_update
            + self.tile_bytes_per_update
            + self.checkpoint_bytes_per_update
    }

    /// Bytes of the log of so many databases, at its longest: a group's older checkpoint is two
    /// intervals old before the next one replaces it.
    #[must_use]
    pub fn log_bytes(&self, databases: u64) -> f64 {
        self.journal_bytes_per_update * databases as f64 * f64::from(2 * self.flush_cycles)
    }

    /// Seconds from a kill to ready: names and states are loaded, the log of one interval is read,
    /// and half of it applied, since the groups' checkpoints lie evenly in it.
    #[must_use]
    pub fn restart_seconds(&self, databases: u64, rates: &MachineRates) -> f64 {
        let updates = databases as f64 * f64::from(self.flush_cycles);
        databases as f64 / rates.loaded_databases_per_second
            + updates / rates.scanned_records_per_second
            + updates / 2.0 / rates.applied_updates_per_second
    }
}

/// Bytes of the log beyond which groups are flushed early that keep it from being freed: two
/// intervals, and half of one to be late.
pub(crate) fn log_bytes_max(databases: u64, sources_max: usize, pace: Pace) -> u64 {
    let record_bytes = 16 + 8 * sources_max as u64;
    let interval_bytes = databases * record_bytes * u64::from(pace.flush_cycles);
    (interval_bytes * 5 / 2).max(LOG_BYTES_MIN)
}

/// Bytes of the record of an update whose readings are counters of ten digits.
fn record_bytes(definition: &Definition) -> f64 {
    let readings = vec![Reading::Unsigned(4_123_456_789); definition.sources.len()];
    let time = Timestamp::from_seconds(1_800_000_000);
    let sample = Sample { time, readings: &readings };
    update_record_bytes(RrdId(200 << 12), Generation(1), &sample) as f64
}

#[cfg(test)]
mod tests {
    use super::{Costs, MachineRates, Pace};

    fn mrtg() -> rrd::Definition {
        let archives = [(1, 600), (6, 700), (24, 775), (288, 797)];
        let archives = archives.into_iter().flat_map(|(pdps, rows)| {
            ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
        });
        let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
        let specs: Vec<String> = sources.into_iter().chain(archives).collect();
        rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap()
    }

    #[test]
    fn mrtgs_layout_costs_what_the_design_computes() {
        let costs = Costs::of(&mrtg(), Pace::default()).unwrap();
        assert!((465.0..480.0).contains(&costs.memory_bytes), "{}", costs.memory_bytes);
        assert!((57.5..60.0).contains(&costs.bytes_per_update()), "{}", costs.bytes_per_update());
        let smallest = Pace { tile_rows_max: 1, ..Pace::default() };
        let smallest = Costs::of(&mrtg(), smallest).unwrap();
        assert!(smallest.memory_bytes < 230.0, "{}", smallest.memory_bytes);
        assert!((smallest.bytes_per_update() - costs.bytes_per_update()).abs() < 1.0);
    }

    #[test]
    fn less_memory_asks_for_smaller_tiles() {
        let million = 1_000_000;
        let pace =
            |memory_bytes| Costs::pace_for_memory(&mrtg(), million, memory_bytes).tile_rows_max;
        assert_eq!(pace(2 << 30), 18);
        assert_eq!(pace(200 << 20), 1);
        let between = pace(300 << 20);
        assert!((2..18).contains(&between), "{between}");
    }

    #[test]
    fn a_restart_takes_longer_with_more_databases() {
        let costs = Costs::of(&mrtg(), Pace::default()).unwrap();
        let rates = MachineRates {
            scanned_records_per_second: 20e6,
            applied_updates_per_second: 4e6,
            loaded_databases_per_second: 2e6,
        };
        let seconds = costs.restart_seconds(1_000_000, &rates);
        assert!((3.0..5.0).contains(&seconds), "{seconds}");
        assert!(costs.restart_seconds(320_000, &rates) < seconds / 3.0);
    }
}
