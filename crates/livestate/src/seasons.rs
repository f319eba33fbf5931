//! The rows of SEASONAL and DEVSEASONAL archives, which are part of the live state.
//!
//! Every update reads a row of such a ring and writes another, and a smoothing writes all of them.
//! So they are kept in memory and in checkpoints, never in tiles.

use rrd::{Definition, LiveState, SeasonalRing, Snapshot, UNKNOWN};

/// Adds the rings, all unknown, to the state of a new database.
pub fn begin(definition: &Definition, live: &mut LiveState) {
    let sources = definition.sources.len();
    live.forecast.rings = seasonal_archives(definition)
        .map(|archive| SeasonalRing {
            archive,
            newest_slot: 0,
            values: vec![UNKNOWN; definition.archives[archive].rows as usize * sources],
        })
        .collect();
}

/// The state of a snapshot. If it has no rings, as after a dump, they are made from the rows.
pub fn completed(Snapshot { definition, live, rows }: &Snapshot) -> LiveState {
    let mut live = live.clone();
    if live.forecast.rings.is_empty() {
        begin(definition, &mut live);
        for ring in &mut live.forecast.rings {
            // As rrdtool does when it restores a dump or changes a structure: the newest row goes
            // into the last slot. The slot determines when a season is smoothed.
            ring.newest_slot = definition.archives[ring.archive].rows - 1;
            ring.values.clone_from(&rows[ring.archive]);
        }
    }
    live
}

/// Adds the rings to a snapshot, from its rows; `newest_slot` tells the slots of the newest rows.
pub fn place(snapshot: &mut Snapshot, newest_slot: impl Fn(usize) -> u64) {
    let Snapshot { definition, live, rows } = snapshot;
    let sources = definition.sources.len();
    let ring = |archive: usize| {
        let (newest_slot, mut values) = (newest_slot(archive), rows[archive].clone());
        values.rotate_right((newest_slot as usize + 1) * sources);
        SeasonalRing { archive, newest_slot, values }
    };
    live.forecast.rings = seasonal_archives(definition).map(ring).collect();
}

/// Fills in the rows of seasonal archives, which tiles do not have.
pub fn put_rows(definition: &Definition, live: &LiveState, all: &mut [Vec<f64>]) {
    for archive in seasonal_archives(definition) {
        if let Some(rows) = rows(definition, live, archive) {
            all[archive] = rows;
        }
    }
}

/// The rows of a seasonal archive, oldest first; `None` for other archives.
pub fn rows(definition: &Definition, live: &LiveState, archive: usize) -> Option<Vec<f64>> {
    let ring = live.forecast.rings.iter().find(|ring| ring.archive == archive)?;
    let mut values = ring.values.clone();
    let newest_end = (ring.newest_slot as usize + 1) * definition.sources.len();
    values.rotate_left(newest_end);
    Some(values)
}

/// The positions of the seasonal archives.
pub fn seasonal_archives(definition: &Definition) -> impl Iterator<Item = usize> {
    let archives = definition.archives.iter().enumerate();
    archives.filter(|(_, archive)| archive.cf.is_seasonal()).map(|(nth, _)| nth)
}
