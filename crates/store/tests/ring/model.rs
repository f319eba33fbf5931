//! What a store must answer: each database by itself, with all its rows in memory.

use std::collections::BTreeMap;

use rrd::update::UpdateError;
use rrd::{Definition, LiveState, Sample, Snapshot, Timestamp, UNKNOWN, Workspace};

/// Databases by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) databases: BTreeMap<String, Snapshot>,
}

impl Model {
    pub(crate) fn create(&mut self, name: &str, definition: &Definition, start: Timestamp) {
        let sources = definition.sources.len();
        let rows = definition.archives.iter().map(|archive| archive.rows as usize * sources);
        let snapshot = Snapshot {
            definition: definition.clone(),
            live: LiveState::fresh(definition, start),
            rows: rows.map(|values| vec![UNKNOWN; values]).collect(),
        };
        self.databases.insert(name.into(), snapshot);
    }

    pub(crate) fn append(&mut self, name: &str, sample: &Sample<'_>) -> Result<(), UpdateError> {
        let Snapshot { definition, live, rows } = self.databases.get_mut(name).unwrap();
        let mut workspace = Workspace::default();
        rrd::update(definition, live, sample, &mut workspace)?;
        for new in workspace.final_rows() {
            let ring = &mut rows[new.archive];
            let run = new.values.repeat(new.count as usize);
            ring.drain(..run.len());
            ring.extend(run);
        }
        Ok(())
    }
}

/// Holds two snapshots against each other, bit for bit.
pub(crate) fn assert_same(name: &str, found: &Snapshot, expected: &Snapshot) {
    assert_eq!(found.definition.archives, expected.definition.archives, "{name}");
    let bits = |rows: &[f64]| rows.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for (nth, (found, expected)) in found.rows.iter().zip(&expected.rows).enumerate() {
        let (found, expected) = (bits(found), bits(expected));
        let differing = (0..expected.len()).find(|at| found.get(*at) != expected.get(*at));
        assert!(
            differing.is_none() && found.len() == expected.len(),
            "{name}: archive {nth}: value {differing:?} of {}: {:?}, expected {:?}",
            expected.len(),
            differing.map(|at| f64::from_bits(found[at])),
            differing.map(|at| f64::from_bits(expected[at])),
        );
    }
    let text = |live: &LiveState| {
        let cells = live.cells.iter().map(|cell| {
            let bits = [cell.value, cell.primary, cell.secondary].map(f64::to_bits);
            (bits, cell.unknown_pdps)
        });
        let sources = live.sources.iter().map(|source| {
            (source.last_reading, source.unknown_seconds, source.value.to_bits())
        });
        format!("{:?} {:?} {:?}", live.last_update, sources.collect::<Vec<_>>(), cells.collect::<Vec<_>>())
    };
    assert_eq!(text(&found.live), text(&expected.live), "{name}: live state");
}
