//! What the pages of a ring store's files are, told from outside: by the files' names, a copy of
//! the catalogue and the heads of checkpoints. The store is neither opened nor locked.
//!
//! Where a tile lies is arithmetic ([`Geometry`]), and which rows stand in it follows from the
//! block flushed last, which the group's newest checkpoint has in its head. So no tile is read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use disk::{Medium, MediumFile, MemoryMedium};
use geometry::{GROUP_DATABASES_MAX, Geometry, PAGE_BYTES, Pace, Shape};
use journal::RrdId;
use rrd::Definition;
use store::Error;

use super::catalogue::{Catalogue, DefinitionId, GroupEntry, Loaded};
use super::checkpoint;
use super::engine::FileKind;

/// A file of a ring store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreFile {
    /// What is locked while the store is open.
    Lock,
    /// Names, definitions and groups.
    Catalogue,
    /// A segment of the journal.
    Journal,
    /// The tiles of a group.
    Tiles(u32),
    /// One of the two places of a group's checkpoint, 0 or 1.
    Checkpoint(u32, usize),
    /// The private rows of a group's members out of step.
    Attic(u32),
}

impl StoreFile {
    /// What a file of this name is in a ring store.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "gyre-store" => return Some(Self::Lock),
            "catalogue" => return Some(Self::Catalogue),
            _ if name.starts_with("journal-") => return Some(Self::Journal),
            _ => {}
        }
        let group = FileKind::group_of(name)?;
        Some(match name.split_once('.')?.1 {
            "tiles" => Self::Tiles(group),
            "a" => Self::Checkpoint(group, 0),
            "b" => Self::Checkpoint(group, 1),
            _ => Self::Attic(group),
        })
    }

    /// The names of the two places of a group's checkpoint.
    #[must_use]
    pub fn checkpoints_of(group: u32) -> [String; 2] {
        [0, 1].map(|place| FileKind::Checkpoint(place).name(group))
    }
}

/// What is known of all groups' pages.
#[derive(Debug)]
pub struct StorePages {
    groups: BTreeMap<u32, GroupPages>,
    /// In the order of ids.
    names: Vec<(RrdId, Box<str>)>,
}

#[derive(Debug)]
struct GroupPages {
    definition: Arc<Definition>,
    geometry: Geometry,
    phase_pdps: u32,
}

/// Which tile a page of a group's tiles is.
#[derive(Clone, Debug, PartialEq)]
pub struct TilePage {
    /// The archives of the group's definition whose rows stand there.
    pub archives: Vec<usize>,
    /// How those rows are cut into tiles.
    pub shape: Shape,
    /// Which of the shapes it is.
    pub nth_shape: usize,
    /// Which column of databases.
    pub column: u32,
    /// The members of the group whose rows they are.
    pub members: Range<u32>,
    /// Its place in the ring of its column.
    pub ring_tile: u64,
}

/// What the head of a checkpoint tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointHead {
    /// The number of the group's checkpoint: the older one is written next.
    pub sequence: u64,
    /// Its bytes.
    pub bytes: u64,
    /// For each shape, the block that was flushed last.
    pub flushed_blocks: Vec<i64>,
    /// Where the entries of its members end, in bytes: packed states follow.
    pub members_end_bytes: u64,
}

impl StorePages {
    /// Reads a copy of the bytes of a store's catalogue. Where the store is at work it may be one
    /// of the middle of a commit: the commit before is read then.
    ///
    /// # Errors
    /// It is no catalogue, or a damaged one.
    pub fn of_catalogue(bytes: &[u8]) -> Result<Self, Error> {
        let medium = MemoryMedium::default();
        let file =
            medium.create("catalogue").map_err(Error::io("copying", "catalogue".as_ref()))?;
        let written = file.write_at(bytes, 0);
        written.map_err(Error::io("copying", "catalogue".as_ref()))?;
        let catalogue = Catalogue::open(&medium)?;
        let meta = *catalogue.meta();
        let pace = Pace { flush_cycles: meta.flush_cycles, tile_rows_max: meta.tile_rows_max };
        let mut definitions: BTreeMap<DefinitionId, Arc<Definition>> = BTreeMap::new();
        let mut found = Self { groups: BTreeMap::new(), names: Vec::new() };
        catalogue.load(|loaded| match loaded {
            Loaded::Definition(id, definition) => {
                definitions.insert(id, Arc::new(definition));
            }
            Loaded::Group(id, entry) => {
                let definition = definitions.get(&entry.layout);
                let pages = definition.and_then(|it| GroupPages::of(it, &entry, pace));
                found.groups.extend(pages.map(|pages| (id.0, pages)));
            }
            Loaded::Rrd(id, view) => found.names.push((id, view.name.into())),
        })?;
        Ok(found)
    }

    /// What a group's databases hold.
    #[must_use]
    pub fn definition(&self, group: u32) -> Option<&Definition> {
        self.groups.get(&group).map(|group| &*group.definition)
    }

    /// Which tile a page of a group's tiles is.
    #[must_use]
    pub fn tile(&self, group: u32, page: u64) -> Option<TilePage> {
        let geometry = &self.groups.get(&group)?.geometry;
        let shapes = geometry.shapes().iter().enumerate();
        let (nth_shape, (shape, place)) = shapes
            .filter_map(|(nth, shape)| Some((nth, (*shape, shape.place_of(page)?))))
            .next()?;
        let (column, ring_tile) = place;
        let archives = self.definition(group)?.archives.len();
        let first = column * shape.tile_databases as u32;
        let end = (first + shape.tile_databases as u32).min(geometry.capacity());
        Some(TilePage {
            archives: (0..archives).filter(|it| geometry.shape_of(*it) == nth_shape).collect(),
            shape,
            nth_shape,
            column,
            members: first..end,
            ring_tile,
        })
    }

    /// The rows that stand in a tile once a block is flushed: those of the newest block that has
    /// its place. A row is numbered by the end of its time: its number times its seconds.
    #[must_use]
    pub fn rows(&self, group: u32, tile: &TilePage, flushed_block: i64) -> Option<Range<i64>> {
        let phase_pdps = self.groups.get(&group)?.phase_pdps;
        let ring_tiles = tile.shape.ring_tiles as i64;
        let behind = (flushed_block - tile.ring_tile as i64).rem_euclid(ring_tiles);
        Some(tile.shape.rows_of_block(flushed_block - behind, phase_pdps))
    }

    /// Whether the flush after a block writes a tile.
    #[must_use]
    pub fn is_next(tile: &TilePage, flushed_block: i64) -> bool {
        (flushed_block + 1).rem_euclid(tile.shape.ring_tiles as i64) as u64 == tile.ring_tile
    }

    /// The databases of some members of a group, by their names, in the order of the members.
    pub fn names(
        &self,
        group: u32,
        members: &Range<u32>,
    ) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        let id = |member: u32| RrdId(group << 12 | member);
        let position = |member| self.names.partition_point(|(rrd, _)| *rrd < id(member));
        let found = &self.names[position(members.start)..position(members.end)];
        found.iter().map(|(_, name)| &**name)
    }
}

impl GroupPages {
    fn of(definition: &Arc<Definition>, entry: &GroupEntry, pace: Pace) -> Option<Self> {
        let is_possible = (1..=GROUP_DATABASES_MAX).contains(&entry.capacity)
            && pace.flush_cycles > 0
            && pace.tile_rows_max > 0;
        let geometry = is_possible
            .then(|| Geometry::new(definition, pace, entry.capacity, entry.shared))
            .flatten()?;
        let (definition, phase_pdps) = (Arc::clone(definition), entry.phase_pdps);
        Some(Self { definition, geometry, phase_pdps })
    }
}

impl CheckpointHead {
    /// Reads the head of a checkpoint of a group, from its first page or more; `None` if it is
    /// none, or a damaged one.
    #[must_use]
    pub fn of(bytes: &[u8], group: u32) -> Option<Self> {
        let (stamp, length_bytes) = checkpoint::stamp_of(bytes, group).ok()?;
        let (flushed_blocks, members_end_bytes) = checkpoint::flushed_blocks(bytes)?;
        let sequence = stamp.sequence;
        Some(Self { sequence, bytes: length_bytes, flushed_blocks, members_end_bytes })
    }

    /// Bytes that are enough to read any head.
    #[must_use]
    pub fn bytes_max() -> usize {
        PAGE_BYTES
    }
}
