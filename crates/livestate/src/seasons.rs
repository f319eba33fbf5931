//! The rows of SEASONAL and DEVSEASONAL archives, which are part of the live state.
//!
//! Every update reads a row of such a ring and writes another, and a smoothing writes all of them.
//! They therefore stand in memory and in the checkpoints, and no tile has them.

use rrd::{Definition, LiveState, SeasonalRing, Snapshot, UNKNOWN};

/// Gives the state of a new database its rings, all unknown.
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

/// The state of a snapshot. One that comes without rings, as from a dump, gets them from the rows.
pub fn completed(Snapshot { definition, live, rows }: &Snapshot) -> LiveState {
    let mut live = live.clone();
    if live.forecast.rings.is_empty() {
        begin(definition, &mut live);
        for ring in &mut live.forecast.rings {
            // As rrdtool restores a dump and changes a structure: the newest row stands in the last
            // slot. When a season is smoothed depends on it.
            ring.newest_slot = definition.archives[ring.archive].rows - 1;
            ring.values.clone_from(&rows[ring.archive]);
        }
    }
    live
}

/// Gives a snapshot the rings that its rows are, whose newest rows stand in these slots.
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

/// Puts the rows of seasonal archives in place of what tiles have of them, which is nothing.
pub fn put_rows(definition: &Definition, live: &LiveState, all: &mut [Vec<f64>]) {
    for archive in seasonal_archives(definition) {
        if let Some(rows) = rows(definition, live, archive) {
            all[archive] = rows;
        }
    }
}

/// The rows of a seasonal archive, oldest first; `None` if it is no such archive.
pub fn rows(definition: &Definition, live: &LiveState, archive: usize) -> Option<Vec<f64>> {
    let ring = live.forecast.rings.iter().find(|ring| ring.archive == archive)?;
    let mut values = ring.values.clone();
    let newest_end = (ring.newest_slot as usize + 1) * definition.sources.len();
    values.rotate_left(newest_end);
    Some(values)
}

/// The positions of such archives.
pub fn seasonal_archives(definition: &Definition) -> impl Iterator<Item = usize> {
    let archives = definition.archives.iter().enumerate();
    archives.filter(|(_, archive)| archive.cf.is_seasonal()).map(|(nth, _)| nth)
}
