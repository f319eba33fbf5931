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
    let Parts { options, log, registry, health, .. } = parts;
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
        replaying: parts.replayer.watch().now(),
        log_damage: log.journal.damage().to_vec(),
        groups: world.cells().map(|cell| report_of(&cell.group_so_far())).collect(),
        damaged_groups: parts.damaged_groups(&world),
        trouble: health.trouble(),
        stopped: health.is_stopped(),
    }
}

/// What a group says of itself.
fn report_of(group: &Group) -> GroupReport {
    let with = |bit| group.present().filter(|(_, holder)| holder.status.has(bit)).count();
    GroupReport {
        group: group.id,
        capacity: group.geometry.capacity(),
        databases: group.present().count(),
        tick: group.geometry.tick(),
        step_seconds: group.geometry.step_seconds(),
        sources: group.geometry.sources(),
        shapes: group.geometry.shapes().to_vec(),
        geometry: group.geometry.clone(),
        tiles_bytes: group.geometry.file_bytes(),
        state_bytes: group.states.layout.bytes(),
        checkpoint_bytes_per_database: checkpoint::MEMBER_BYTES + group.states.layout.bytes(),
        states_aside: with(Status::ASIDE),
        open_tiles: group.rows.pages(),
        late_rows: group.rows.patches.len() + group.rows.settling.len(),
        attic_pages: group.attic.pages,
        attic_databases: with(Status::ATTIC),
        memory_bytes: group.memory_bytes(),
        checkpoint: group.places[0].sequence.max(group.places[1].sequence),
        damaged_offsets_bytes: group
            .damaged_pages
            .iter()
            .map(|page| page * PAGE_BYTES as u64)
            .collect(),
        damaged_attic: group
            .damaged_attic
            .iter()
            .map(|page| damaged_attic(group.id, *page))
            .collect(),
        lost_rows: known_losses(group),
    }
}
