//! What a ring store takes on disk and in memory, from its report and the sizes of its files.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use store::{GroupReport, StoreReport};

/// The unit in which `stat(2)` counts blocks.
const BLOCK_BYTES: u64 = 512;

/// Bytes on disk of a store's files, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FileBytes {
    pub(super) tiles: u64,
    pub(super) checkpoints: u64,
    pub(super) attics: u64,
    pub(super) journal: u64,
    pub(super) catalogue: u64,
}

impl FileBytes {
    pub(super) fn of(root: &Path) -> std::io::Result<Self> {
        let mut bytes = Self::default();
        for entry in root.read_dir()? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // A file that is removed meanwhile takes no room.
            let size = entry.metadata().map_or(0, |metadata| metadata.blocks() * BLOCK_BYTES);
            *bytes.kind_mut(&name) += size;
        }
        Ok(bytes)
    }

    fn kind_mut(&mut self, name: &str) -> &mut u64 {
        match name.rsplit_once('.').map_or("", |(_, kind)| kind) {
            "tiles" => &mut self.tiles,
            "a" | "b" => &mut self.checkpoints,
            kind if kind.starts_with("attic") => &mut self.attics,
            _ if name.starts_with("journal-") => &mut self.journal,
            _ => &mut self.catalogue,
        }
    }

    pub(super) fn all(&self) -> u64 {
        self.tiles + self.checkpoints + self.attics + self.journal + self.catalogue
    }
}

/// Groups with the same layout of tiles.
pub(super) struct Layout<'a> {
    /// The groups. Groups of one definition may have different capacities, and so different tiles.
    pub(super) groups: Vec<&'a GroupReport>,
}

impl Layout<'_> {
    /// Any one of the groups.
    pub(super) fn first(&self) -> &GroupReport {
        self.groups[0]
    }

    pub(super) fn databases(&self) -> usize {
        self.groups.iter().map(|group| group.databases).sum()
    }

    pub(super) fn capacity(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.capacity)).sum()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.groups.iter().map(|group| group.memory_bytes).sum()
    }

    /// Bytes that an update is expected to write, in tiles and in checkpoints, if groups are full.
    pub(super) fn bytes_per_update(&self) -> [f64; 2] {
        let group = self.first();
        let database_bytes = group.checkpoint_bytes_per_database as u64;
        let checkpoint = group.geometry.checkpoint_bytes_per_update(database_bytes);
        [group.geometry.tile_bytes_per_update(), checkpoint]
    }
}

/// The groups of a store, by step, data sources and layout of tiles.
pub(super) fn layouts(report: &StoreReport) -> Vec<Layout<'_>> {
    let mut layouts: BTreeMap<_, Layout<'_>> = BTreeMap::new();
    for group in &report.groups {
        let shape = |shape: &ring::Shape| {
            (shape.pdp_per_row, shape.rows, shape.tile_rows, shape.tile_databases)
        };
        let shapes: Vec<_> = group.shapes.iter().map(shape).collect();
        let key = (group.tick, group.step_seconds, group.sources, shapes);
        layouts.entry(key).or_insert_with(|| Layout { groups: Vec::new() }).groups.push(group);
    }
    layouts.into_values().collect()
}

/// In words: damage that reads have met, damaged attic pages, and groups that could not be opened.
pub(super) fn damage(report: &StoreReport) -> Vec<String> {
    let groups = report.damaged_groups.iter();
    let mut damage: Vec<String> =
        groups.map(|each| format!("group {:06}: {}", each.group, each.what)).collect();
    for each in &report.log_damage {
        let (file, at, what) = (&each.segment, each.offset_bytes, &each.what);
        damage.push(format!("{file}: at byte {at}: {what}; nothing of it is needed"));
    }
    for group in &report.groups {
        let file = format!("{:06}.tiles", group.group);
        let offsets = group.damaged_offsets_bytes.iter();
        damage.extend(offsets.map(|offset| format!("{file}: at byte {offset}: a damaged tile")));
        damage.extend(group.damaged_attic.iter().map(ToString::to_string));
        damage.extend(group.lost_rows.iter().map(ToString::to_string));
    }
    damage
}

/// Bytes for each database; zero if there are none.
pub(super) fn per(bytes: u64, databases: usize) -> u64 {
    bytes.checked_div(databases as u64).unwrap_or(0)
}
