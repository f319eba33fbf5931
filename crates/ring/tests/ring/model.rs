//! What a store must answer: each database by itself, with all its rows in memory.

use std::collections::BTreeMap;

use rrd::update::UpdateError;
use rrd::{
    DataSource, Definition, LiveState, Reading, Sample, SeasonalRing, Snapshot, Timestamp, UNKNOWN,
    Workspace,
};
use store::SourceTuning;

/// Something that happens to the databases of a store.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Update {
        name: String,
        time: Timestamp,
        readings: Vec<String>,
    },
    Create {
        name: String,
        definition: Definition,
        start: Timestamp,
    },
    Delete {
        name: String,
    },
    Rename {
        from: String,
        to: String,
    },
    Tune {
        name: String,
        tuning: SourceTuning,
    },
    /// Whole databases come in place of what has their names, all at once.
    Adopt {
        databases: Vec<(String, Snapshot)>,
    },
}

impl Op {
    /// The databases that it changes.
    #[allow(dead_code)] // not every test that has a model asks
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Rename { from, to } => vec![from, to],
            Self::Adopt { databases } => databases.iter().map(|(name, _)| &name[..]).collect(),
            Self::Update { name, .. }
            | Self::Create { name, .. }
            | Self::Delete { name }
            | Self::Tune { name, .. } => vec![name],
        }
    }
}

/// Databases by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) databases: BTreeMap<String, Snapshot>,
}

impl Model {
    /// Lets something happen. The error is that of a sample that is refused; it may have changed
    /// the last readings all the same.
    pub(crate) fn apply(&mut self, op: &Op) -> Result<(), UpdateError> {
        match op {
            Op::Update { name, time, readings } => {
                let readings = &Reading::of_all(readings);
                return self.append(name, &Sample { time: *time, readings });
            }
            Op::Create { name, definition, start } => self.create(name, definition, *start),
            Op::Delete { name } => drop(self.take(name)),
            Op::Rename { from, to } => {
                let database = self.take(from);
                self.databases.insert(to.clone(), database);
            }
            Op::Tune { name, tuning } => {
                let definition = &mut self.databases.get_mut(name).unwrap().definition;
                let source = &mut definition.sources[tuning.source as usize];
                source.heartbeat_seconds = tuning.heartbeat_seconds;
                (source.minimum, source.maximum) = (tuning.minimum, tuning.maximum);
            }
            Op::Adopt { databases } => self.databases.extend(databases.iter().cloned()),
        }
        Ok(())
    }

    fn take(&mut self, name: &str) -> Snapshot {
        self.databases.remove(name).expect("only what is there is taken away")
    }

    fn create(&mut self, name: &str, definition: &Definition, start: Timestamp) {
        let sources = definition.sources.len();
        let rows = definition.archives.iter().map(|archive| archive.rows as usize * sources);
        let snapshot = Snapshot {
            definition: definition.clone(),
            live: fresh(definition, start),
            rows: rows.map(|values| vec![UNKNOWN; values]).collect(),
        };
        self.databases.insert(name.into(), snapshot);
    }

    fn append(&mut self, name: &str, sample: &Sample<'_>) -> Result<(), UpdateError> {
        let Snapshot { definition, live, rows } = self.databases.get_mut(name).unwrap();
        let mut workspace = Workspace::default();
        rrd::update(definition, live, sample, &mut workspace)?;
        if workspace.smoothing_due() {
            rrd::update::smooth(definition, live, |_| ())?;
        }
        for season in &live.forecast.rings {
            let newest_end = (season.newest_slot as usize + 1) * definition.sources.len();
            rows[season.archive].clone_from(&season.values);
            rows[season.archive].rotate_left(newest_end);
        }
        let in_season = |archive: usize| definition.archives[archive].cf.is_seasonal();
        for new in workspace.final_rows().filter(|new| !in_season(new.archive)) {
            let ring = &mut rows[new.archive];
            let run = new.values.repeat(new.count as usize);
            ring.drain(..run.len());
            ring.extend(run);
        }
        Ok(())
    }

    /// What is different in a store that holds `found`.
    pub(crate) fn difference(&self, found: &BTreeMap<String, Snapshot>) -> Result<(), String> {
        if !found.keys().eq(self.databases.keys()) {
            let (found, expected) = (found.keys(), self.databases.keys());
            return Err(format!("found the names {found:?}, expected {expected:?}"));
        }
        let mut pairs = found.iter().zip(self.databases.values());
        pairs.try_for_each(|((name, found), expected)| difference(name, found, expected))
    }
}

/// The state of a new database, the rings of its seasons with it.
fn fresh(definition: &Definition, start: Timestamp) -> LiveState {
    let mut live = LiveState::fresh(definition, start);
    let seasonal = definition.archives.iter().enumerate().filter(|(_, it)| it.cf.is_seasonal());
    live.forecast.rings = seasonal
        .map(|(archive, it)| SeasonalRing {
            archive,
            newest_slot: 0,
            values: vec![UNKNOWN; it.rows as usize * definition.sources.len()],
        })
        .collect();
    live
}

/// Holds two snapshots against each other, bit for bit.
pub(crate) fn assert_same(name: &str, found: &Snapshot, expected: &Snapshot) {
    difference(name, found, expected).unwrap_or_else(|difference| panic!("{difference}"));
}

pub(crate) fn difference(name: &str, found: &Snapshot, expected: &Snapshot) -> Result<(), String> {
    if !is_same_definition(&found.definition, &expected.definition) {
        let (found, expected) = (&found.definition, &expected.definition);
        return Err(format!("{name}: found {found:?}, expected {expected:?}"));
    }
    for (nth, (found, expected)) in found.rows.iter().zip(&expected.rows).enumerate() {
        let same =
            |at: &usize| found.get(*at).map(|x| x.to_bits()) == Some(expected[*at].to_bits());
        if found.len() != expected.len() {
            return Err(format!("{name}: archive {nth}: {} values", found.len()));
        }
        if let Some(at) = (0..expected.len()).find(|at| !same(at)) {
            let (count, found, expected) = (expected.len(), found[at], expected[at]);
            return Err(format!(
                "{name}: archive {nth}: value {at} of {count}: {found}, expected {expected}"
            ));
        }
    }
    if live_bits(&found.live) == live_bits(&expected.live) {
        return Ok(());
    }
    let (found, expected) = (live_bits(&found.live), live_bits(&expected.live));
    Err(format!("{name}: live state: found {found:?}, expected {expected:?}"))
}

/// Whether two definitions are the same. A limit that is absent is a NaN, which equals nothing.
fn is_same_definition(one: &Definition, other: &Definition) -> bool {
    let same_source = |(one, other): (&DataSource, &DataSource)| {
        let same = |one: f64, other: f64| one == other || (one.is_nan() && other.is_nan());
        (&one.name, &one.kind, one.heartbeat_seconds)
            == (&other.name, &other.kind, other.heartbeat_seconds)
            && same(one.minimum, other.minimum)
            && same(one.maximum, other.maximum)
    };
    (one.step_seconds, &one.archives) == (other.step_seconds, &other.archives)
        && one.sources.len() == other.sources.len()
        && one.sources.iter().zip(&other.sources).all(same_source)
}

/// What can be compared of a live state: values by their bits.
fn live_bits(live: &LiveState) -> impl PartialEq + std::fmt::Debug {
    let cells = live.cells.iter().map(|cell| {
        let bits = [cell.value, cell.primary, cell.secondary].map(f64::to_bits);
        (bits, cell.unknown_pdps)
    });
    let sources = live
        .sources
        .iter()
        .map(|source| (source.last_reading, source.unknown_seconds, source.value.to_bits()));
    let (sources, cells) = (sources.collect::<Vec<_>>(), cells.collect::<Vec<_>>());
    let words = live.forecast.words.iter().map(|words| words.0).collect::<Vec<_>>();
    // Its text has every bit of values that are no NaN.
    let rows_so_far = format!("{:?}", live.rows_so_far);
    (live.last_update, sources, cells, words, rows_so_far)
}
