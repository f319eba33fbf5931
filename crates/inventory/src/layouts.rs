//! Counts databases by layout.

use std::collections::HashMap;

use rrd::{ConsolidationFunction, Definition, SourceKind, Tick};

/// The number of databases of each layout, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layouts(Vec<(Definition, u64)>);

/// A count of databases by layout. Databases that differ only in names, limits, heartbeats and
/// xfiles factors have the same layout: they need the same space and the same work.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    positions: HashMap<Key, usize>,
    layouts: Layouts,
}

/// The properties that determine space and work.
type Key = (Tick, u64, Vec<SourceKind>, Vec<(ConsolidationFunction, u64, u64)>);

impl Tally {
    /// Adds databases of a definition.
    pub fn add(&mut self, definition: &Definition, databases: u64) {
        let kinds = definition.sources.iter().map(|source| source.kind).collect();
        let archives = definition.archives.iter();
        let archives = archives.map(|each| (each.cf, each.rows, each.pdp_per_row)).collect();
        let key = (definition.tick, definition.step_seconds, kinds, archives);
        let all = &mut self.layouts.0;
        let position = *self.positions.entry(key).or_insert(all.len());
        if position == all.len() {
            all.push((definition.clone(), 0));
        }
        all[position].1 += databases;
    }

    /// The result.
    #[must_use]
    pub fn layouts(self) -> Layouts {
        let Layouts(mut all) = self.layouts;
        all.retain(|(_, databases)| *databases > 0);
        all.sort_by_key(|(_, databases)| std::cmp::Reverse(*databases));
        Layouts(all)
    }
}

impl Layouts {
    /// A number of databases of one layout.
    #[must_use]
    pub fn of(definition: Definition, databases: u64) -> Self {
        Self(vec![(definition, databases)])
    }

    /// The definition of one database of each layout, and the number of databases.
    #[must_use]
    pub fn all(&self) -> &[(Definition, u64)] {
        &self.0
    }

    /// The number of all databases.
    #[must_use]
    pub fn databases(&self) -> u64 {
        self.0.iter().map(|(_, databases)| databases).sum()
    }

    /// The same layouts in proportion, with this number of databases. Layouts that round to zero
    /// are dropped.
    #[must_use]
    pub fn resized(&self, databases: u64) -> Self {
        let before = u128::from(self.databases().max(1));
        // Each layout gets the difference of the rounded cumulative counts, so that rounding errors
        // do not add up.
        let (mut counted, mut given) = (0_u128, 0_u64);
        let resized = self.0.iter().map(|(definition, own)| {
            counted += u128::from(*own);
            let due = (counted * u128::from(databases) + before / 2) / before;
            let own = due as u64 - given;
            given = due as u64;
            (definition.clone(), own)
        });
        Self(resized.filter(|(_, own)| *own > 0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(source: &str, rows: u64) -> Definition {
        let archive = format!("RRA:AVERAGE:0.5:1:{rows}");
        rrd::spec::definition(300, [source, &archive]).unwrap()
    }

    fn counts(layouts: &Layouts) -> Vec<(u64, u64)> {
        let rows = |definition: &Definition| definition.archives[0].rows;
        layouts.all().iter().map(|(definition, own)| (rows(definition), *own)).collect()
    }

    #[test]
    fn names_and_limits_make_no_layout() {
        let mut tally = Tally::default();
        tally.add(&definition("DS:b:COUNTER:600:0:U", 10), 3);
        tally.add(&definition("DS:a:COUNTER:600:0:U", 800), 2);
        tally.add(&definition("DS:c:COUNTER:900:U:100", 800), 5);
        tally.add(&definition("DS:c:GAUGE:900:U:100", 800), 1);
        tally.add(&definition("DS:c:GAUGE:900:U:100", 5), 0);
        let layouts = tally.layouts();
        assert_eq!(counts(&layouts), [(800, 7), (10, 3), (800, 1)]);
        assert_eq!(layouts.databases(), 11);
    }

    #[test]
    fn proportions_are_kept_to_the_last_database() {
        let mut tally = Tally::default();
        tally.add(&definition("DS:a:GAUGE:600:U:U", 1), 200);
        tally.add(&definition("DS:a:GAUGE:600:U:U", 2), 55);
        tally.add(&definition("DS:a:GAUGE:600:U:U", 3), 1);
        let layouts = tally.layouts();
        for databases in [0, 1, 2, 7, 256, 1_000_003, u64::MAX / 2] {
            let resized = layouts.resized(databases);
            assert_eq!(resized.databases(), databases);
        }
        assert_eq!(counts(&layouts.resized(25_600)), [(1, 20_000), (2, 5500), (3, 100)]);
        assert_eq!(counts(&layouts.resized(1)), [(1, 1)]);
        assert_eq!(Layouts::default().resized(9).databases(), 0, "nothing has no proportions");
    }
}
