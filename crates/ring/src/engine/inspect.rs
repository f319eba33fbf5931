//! What the store says of itself.

use disk::Medium;
use geometry::PAGE_BYTES;
use store::{GroupReport, StoreReport};

use super::loss::known_losses;
use super::parts::Parts;
use super::verify::damaged_attic;
use crate::checkpoint;
use crate::group::{Group, Status};

/// What the store says of itself.
pub(super) fn report<M: Medium<File: 'static>>(parts: &Parts<M>) -> StoreReport {
    let Parts { options, log, registry, health, found, .. } = parts;
    let log_bytes = log.bytes();
    let world = registry.world();
    StoreReport {
        pace: options.pace,
        sparse: options.sparse,
        databases: world.databases(),
        definitions: world.definitions.len(),
        names_memory_bytes: world.names_bytes(),
        log_bytes,
        journal_segments: log.journal.segments(),
        log_damage: log.journal.damage().to_vec(),
        groups: world.cells().map(|cell| cell.group().report()).collect(),
        damaged_groups: found.damaged.clone(),
        trouble: health.trouble(),
        stopped: health.is_stopped(),
    }
}

impl Group {
    fn report(&self) -> GroupReport {
        let with = |bit| self.present().filter(|(_, holder)| holder.status.has(bit)).count();
        let blocks = self.shapes.iter().flat_map(|shape| &shape.blocks);
        let open_tiles: usize = blocks.map(|block| block.columns.iter().flatten().count()).sum();
        GroupReport {
            group: self.id,
            capacity: self.geometry.capacity(),
            databases: self.present().count(),
            step_seconds: self.geometry.step_seconds(),
            sources: self.geometry.sources(),
            shapes: self.geometry.shapes().to_vec(),
            geometry: self.geometry.clone(),
            tiles_bytes: self.geometry.file_bytes(),
            state_bytes: self.layout.bytes(),
            checkpoint_bytes_per_database: checkpoint::MEMBER_BYTES + self.layout.bytes(),
            states_aside: with(Status::ASIDE),
            open_tiles: open_tiles + self.closing.len(),
            late_rows: self.patches.len() + self.settling.len(),
            attic_pages: self.attic.pages,
            attic_databases: with(Status::ATTIC),
            memory_bytes: self.memory_bytes(),
            checkpoint: self.places[0].sequence.max(self.places[1].sequence),
            damaged_offsets_bytes: self
                .damaged_pages
                .iter()
                .map(|page| page * PAGE_BYTES as u64)
                .collect(),
            damaged_attic: self
                .damaged_attic
                .iter()
                .map(|page| damaged_attic(self.id, *page))
                .collect(),
            lost_rows: known_losses(self),
        }
    }
}
