//! What a store must answer: each database by itself, with all its rows in memory.

use std::collections::BTreeMap;

use rrd::update::UpdateError;
use rrd::{Definition, LiveState, Sample, SeasonalRing, Snapshot, Timestamp, UNKNOWN, Workspace};
use store::journal::record::Tuning;

/// Something that happens to the databases of a store.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Update { name: String, time: Timestamp, readings: Vec<String> },
    Create { name: String, definition: Definition, start: Timestamp },
    Delete { name: String },
    Rename { from: String, to: String },
    Tune { name: String, tuning: Tuning },
    Restore { name: String, snapshot: Box<Snapshot> },
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
                let readings: Vec<&str> = readings.iter().map(String::as_str).collect();
                return self.append(name, &Sample { time: *time, readings: &readings });
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
            Op::Restore { name, snapshot } => {
                self.databases.insert(name.clone(), (**snapshot).clone());
            }
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

fn difference(name: &str, found: &Snapshot, expected: &Snapshot) -> Result<(), String> {
    // As text: a limit that is absent is a NaN, which equals nothing.
    let text = |snapshot: &Snapshot| format!("{:?}", snapshot.definition);
    if text(found) != text(expected) {
        return Err(format!("{name}: found {}, expected {}", text(found), text(expected)));
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
    let (found, expected) = (live_text(&found.live), live_text(&expected.live));
    if found == expected {
        return Ok(());
    }
    Err(format!("{name}: live state: found {found}, expected {expected}"))
}

fn live_text(live: &LiveState) -> String {
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
    format!("{:?} {sources:?} {cells:?} {words:?}", live.last_update)
}
