//! What can be said in whole seconds of a database that counts shorter ticks.

use crate::live::LiveState;
use crate::{Archive, Definition, Snapshot, Tick, Timestamp};

/// A database in whole seconds, and what had no place in it.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeSeconds {
    /// The database: its step is the longest of which every row is a multiple.
    pub snapshot: Snapshot,
    /// Positions of the archives that are left out: their rows are no whole seconds, or follow from
    /// what files do not have.
    pub left_out: Vec<usize>,
}

impl Snapshot {
    /// The archives whose rows are whole seconds, bit for bit, as a database of whole seconds. It
    /// was updated last at the end of its newest step; what was measured since, and the rows in the
    /// making, are not in it. Heartbeats are as long or a part of a second longer. `None` if there
    /// is no such archive.
    #[must_use]
    pub fn in_whole_seconds(&self) -> Option<WholeSeconds> {
        let definition = &self.definition;
        let (kept, left_out): (Vec<usize>, Vec<usize>) =
            (0..definition.archives.len()).partition(|nth| is_of_seconds(definition, *nth));
        let row_seconds = |nth: usize| {
            definition.archives[nth].row_seconds(definition.step_seconds)
                / u64::from(definition.tick.per_second())
        };
        let step_seconds = kept.iter().copied().map(row_seconds).reduce(common)?;
        let archive = |nth: &usize| {
            let old = &definition.archives[*nth];
            Archive { pdp_per_row: row_seconds(*nth) / step_seconds, ..old.clone() }
        };
        let archives = kept.iter().map(archive).collect();
        let mut sources = definition.sources.clone();
        for source in &mut sources {
            let heartbeat = source.heartbeat_seconds;
            source.heartbeat_seconds = heartbeat.div_ceil(definition.tick.per_second().into());
        }
        let new = Definition { tick: Tick::SECOND, step_seconds, sources, archives };
        let last_seconds = definition.tick.moment(self.live.last_update).seconds;
        let last_seconds = last_seconds - last_seconds.rem_euclid(step_seconds as i64);
        let live = LiveState::fresh(&new, Timestamp::from_seconds(last_seconds));
        let rows = kept.iter().map(|nth| self.rows[*nth].clone()).collect();
        Some(WholeSeconds { snapshot: Self { definition: new, live, rows }, left_out })
    }
}

/// Whether the rows of an archive are whole seconds, and stand for themselves.
fn is_of_seconds(definition: &Definition, archive: usize) -> bool {
    let archive = &definition.archives[archive];
    let row_ticks = archive.row_seconds(definition.step_seconds);
    let is_plain = !archive.cf.is_forecast() && !archive.cf.is_spread();
    is_plain && row_ticks.is_multiple_of(definition.tick.per_second().into())
}

fn common(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common(other, one % other) }
}

#[cfg(test)]
mod tests {
    use crate::spec::{self, Units};
    use crate::{Room, Snapshot, Timestamp};

    #[test]
    fn archives_of_whole_seconds_are_taken_over() {
        let words = [
            "DS:a:GAUGE:0.5:U:U",
            "RRA:LAST:0.5:1:9",
            "RRA:MAX:0.5:40:3",
            "RRA:AVERAGE:0.5:60:3",
            "RRA:AVERAGE:0.5:25:3",
        ];
        let units = Units::of_step("0.1", None).unwrap();
        let definition = spec::definition_in(units, words).unwrap();
        let start = Timestamp::from_seconds(17_000_000_123);
        let mut whole = Snapshot::empty(&definition, start, &mut Room::of_bytes(1 << 20)).unwrap();
        whole.rows[1] = vec![1.0, 2.0, 3.0];
        let crate::whole_seconds::WholeSeconds { snapshot, left_out } =
            whole.in_whole_seconds().unwrap();
        assert_eq!(left_out, [0, 3]);
        assert_eq!(snapshot.definition.step_seconds, 2);
        assert_eq!(snapshot.definition.archives[0].pdp_per_row, 2);
        assert_eq!(snapshot.definition.archives[1].pdp_per_row, 3);
        assert_eq!(snapshot.definition.sources[0].heartbeat_seconds, 1);
        assert_eq!(snapshot.live.last_update, Timestamp::from_seconds(1_700_000_012));
        for (old, new) in [(1, 0), (2, 1)] {
            let end_ticks = snapshot.newest_row_seconds(new) * 10;
            assert_eq!(whole.newest_row_seconds(old), end_ticks);
        }
        assert_eq!(snapshot.rows[0], [1.0, 2.0, 3.0]);
        whole.definition.archives.truncate(1);
        assert!(whole.in_whole_seconds().is_none());
    }
}
