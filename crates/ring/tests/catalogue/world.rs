//! Small stores, and what a catalogue holds as a value that can be compared.

use std::collections::BTreeMap;

use disk::Medium;
use journal::{Generation, LogPosition, RrdId};
use ring::catalogue::{
    Catalogue, CatalogueError, Changes, DefinitionId, GroupEntry, GroupId, Loaded, Meta, RrdEntry,
};
use rrd::{Archive, ConsolidationFunction, DataSource, Definition, SourceKind};

pub(crate) const META: Meta = Meta {
    flush_cycles: 18,
    tile_rows_max: 18,
    segment_bytes: 16 << 20,
    block_bytes: 4096,
    segments: 4,
};

/// Everything that a catalogue holds.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Contents {
    pub(crate) applied: LogPosition,
    /// As text: a limit that is absent is a NaN, which equals nothing.
    pub(crate) definitions: Vec<String>,
    pub(crate) groups: BTreeMap<GroupId, GroupEntry>,
    pub(crate) rrds: BTreeMap<RrdId, RrdEntry>,
    pub(crate) names: Vec<(String, RrdId)>,
    pub(crate) foreign: BTreeMap<RrdId, Vec<u8>>,
}

impl Contents {
    pub(crate) fn of(catalogue: &Catalogue) -> Result<Self, CatalogueError> {
        let mut contents = Self { applied: catalogue.applied()?, ..Self::default() };
        catalogue.load(|loaded| match loaded {
            Loaded::Definition(id, definition) => {
                assert_eq!(id.0 as usize, contents.definitions.len());
                contents.definitions.push(format!("{definition:?}"));
            }
            Loaded::Group(id, entry) => drop(contents.groups.insert(id, entry)),
            Loaded::Rrd(rrd, view) => drop(contents.rrds.insert(rrd, view.to_entry())),
        })?;
        contents.names = catalogue.names("")?;
        for rrd in contents.rrds.keys() {
            if let Some(bytes) = catalogue.foreign(*rrd)? {
                contents.foreign.insert(*rrd, bytes);
            }
        }
        contents.check();
        Ok(contents)
    }

    /// What a catalogue tells that was opened in part, asked for everything that it should hold.
    pub(crate) fn of_part(catalogue: &Catalogue, wanted: &Self) -> Result<Self, CatalogueError> {
        let mut contents = Self { applied: catalogue.applied()?, ..Self::default() };
        let groups = wanted.groups.keys().copied().collect();
        catalogue.load_groups(&groups, |loaded| match loaded {
            Loaded::Definition(id, definition) => {
                assert_eq!(id.0 as usize, contents.definitions.len());
                contents.definitions.push(format!("{definition:?}"));
            }
            Loaded::Group(id, entry) => drop(contents.groups.insert(id, entry)),
            Loaded::Rrd(rrd, view) => drop(contents.rrds.insert(rrd, view.to_entry())),
        })?;
        for (name, _) in &wanted.names {
            contents.names.extend(catalogue.id_of(name)?.map(|rrd| (name.clone(), rrd)));
        }
        for rrd in wanted.rrds.keys() {
            assert_eq!(catalogue.entry(*rrd)?.as_ref(), contents.rrds.get(rrd));
            if let Some(bytes) = catalogue.foreign(*rrd)? {
                contents.foreign.insert(*rrd, bytes);
            }
        }
        contents.check();
        Ok(contents)
    }

    /// Names and RRDs are two sides of one thing.
    fn check(&self) {
        let mut names: Vec<_> =
            self.rrds.iter().map(|(rrd, entry)| (entry.name.clone(), *rrd)).collect();
        names.sort();
        assert_eq!(names, self.names, "names and RRDs disagree");
    }
}

/// A definition like MRTG's; another number makes another one.
pub(crate) fn definition(number: u64) -> Definition {
    let source = |name: &str| DataSource {
        name: name.into(),
        kind: SourceKind::Counter,
        heartbeat_seconds: 600 + number,
        minimum: 0.0,
        maximum: f64::NAN,
    };
    let archive = |cf, pdp_per_row, rows| Archive::plain(cf, rows, pdp_per_row, 0.5);
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: 300,
        sources: vec![source("ds0"), source("ds1")],
        archives: vec![
            archive(ConsolidationFunction::Average, 1, 600),
            archive(ConsolidationFunction::Max, 6, 700),
        ],
    }
}

pub(crate) fn group(created: u64) -> GroupEntry {
    GroupEntry {
        layout: DefinitionId(0),
        capacity: 252,
        phase_pdps: 7,
        shared: true,
        created: LogPosition(created),
    }
}

pub(crate) fn entry(generation: u32, name: &str) -> RrdEntry {
    RrdEntry {
        generation: Generation(generation),
        definition: DefinitionId(0),
        born_step: 5_000_000,
        name: name.into(),
    }
}

/// The changes that make a definition, a group and so many RRDs.
pub(crate) fn first_changes(rrds: u32) -> Changes {
    let mut changes = Changes::new();
    changes.put_definition(DefinitionId(0), &definition(0));
    changes.put_group(GroupId(1), group(0));
    for member in 0..rrds {
        let name = format!("router/interface-{member:06}.rrd");
        changes.put_rrd(RrdId(1 << 12 | member), entry(1, &name));
    }
    changes
}

/// A catalogue with some RRDs in it.
pub(crate) fn filled<M: Medium<File: 'static>>(medium: &M, rrds: u32) -> Catalogue {
    let catalogue = Catalogue::create(medium, &META).unwrap();
    catalogue.commit(&first_changes(rrds), LogPosition(100)).unwrap();
    catalogue
}
