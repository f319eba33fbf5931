//! The memory's part of a flush: what is to be written, and what was.

use std::collections::BTreeSet;

use journal::LogPosition;

use super::{ClosedPage, Group, Place, Status};
use crate::group::{Laggard, TileKey};
use crate::patch::Patches;

/// What a flush is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlushKind {
    /// Complete tiles are written, so that they take no memory; nothing waits for the disk.
    Tiles,
    /// Tiles and a checkpoint, synced.
    Checkpoint,
}

/// What a flush writes.
#[derive(Debug)]
pub(crate) struct Captured {
    /// Pages for tiles; what stands there already is no longer needed.
    pub(crate) pages: Vec<ClosedPage>,
    /// Late rows.
    pub(crate) patches: Patches,
    /// For each shape, how far old rows were saved before.
    pub(crate) settled: Vec<i64>,
    /// For each shape, how far it is now.
    pub(crate) flushed: Vec<i64>,
    /// Members whose rows the ring would lose: member, generation, last PDP.
    pub(crate) laggards: Vec<Laggard>,
    /// The checkpoint, to be stamped.
    pub(crate) checkpoint: Vec<u8>,
    /// Records before it are in the checkpoint.
    pub(crate) position: LogPosition,
    /// How many of the vacated places it knows to be so.
    pub(crate) vacating: usize,
}

impl Group {
    /// Notes, after the log was replayed, what a flush that was cut short may have been writing: it
    /// went no further than the most advanced of the members updated since the checkpoint.
    pub(crate) fn note_doubtful(&mut self) {
        let stirred = self.present().filter(|(_, holder)| holder.status.has(Status::STIRRED));
        let stirred = stirred.map(|(member, _)| self.last_pdp(member));
        let gone = self.vacating.iter().map(|(_, last_pdp)| *last_pdp);
        let Some(reached) = stirred.chain(gone).max() else { return };
        let boundary_pdp = self.grid().floor(reached);
        for (open, shape) in self.rows.shapes.iter_mut().zip(self.geometry.shapes()) {
            let last = shape.last_block_by(boundary_pdp, self.phase_pdps);
            open.doubtful = open.flushed_block + 1..last + 1;
        }
    }

    /// What kind of flush is due, now that the group goes over its boundary.
    pub(crate) fn due_kind(&self) -> FlushKind {
        let cycles = i64::from(self.geometry.flush_cycles());
        let at = self.clock.boundary_pdp + i64::from(self.phase_pdps);
        if at.rem_euclid(cycles) == 0 { FlushKind::Checkpoint } else { FlushKind::Tiles }
    }

    /// Closes what is complete and captures what a flush is to write. The records before `position`
    /// are all that the group has seen. `encode` makes the bytes of a checkpoint.
    pub(crate) fn capture(
        &mut self,
        kind: FlushKind,
        position: LogPosition,
        encode: impl FnOnce(&Self) -> Vec<u8>,
    ) -> Captured {
        self.queued = false;
        let pdps: Vec<i64> = self.present().map(|(member, _)| self.last_pdp(member)).collect();
        let mut stirred: Vec<i64> = self
            .present()
            .zip(&pdps)
            .filter(|((_, holder), _)| holder.status.has(Status::STIRRED))
            .map(|(_, pdp)| *pdp)
            .collect();
        let grid = self.grid();
        let reached = self.clock.advance(&mut stirred, &pdps, grid);
        self.members.iter_mut().for_each(|member| member.status.set(Status::STIRRED, false));
        if let Some(reached) = reached {
            self.rehome_patches();
            self.rows.close_up_to(&self.geometry, self.phase_pdps, reached);
        }
        let checkpoint = match kind {
            FlushKind::Checkpoint => {
                self.rows.settle_patches(self.geometry.sources());
                encode(self)
            }
            FlushKind::Tiles => Vec::new(),
        };
        Captured {
            pages: self.rows.closing.clone(),
            patches: match kind {
                FlushKind::Checkpoint => self.rows.settling.clone(),
                FlushKind::Tiles => Patches::default(),
            },
            settled: self.rows.shapes.iter().map(|shape| shape.settled_block).collect(),
            flushed: self.rows.shapes.iter().map(|shape| shape.flushed_block).collect(),
            laggards: laggards(self),
            checkpoint,
            position,
            vacating: self.vacating.len(),
        }
    }

    /// Rows that were far ahead of the old boundary may have open rows now.
    fn rehome_patches(&mut self) {
        let waiting = std::mem::take(&mut self.rows.patches);
        let sources = self.geometry.sources();
        for patch in waiting.rows() {
            let values = waiting.values(patch, sources);
            self.take_row(patch.member, patch.shape as usize, patch.row, values);
        }
    }

    /// Pages stand in their tiles, unsynced.
    pub(crate) fn wrote_tiles(&mut self, written: &BTreeSet<TileKey>) {
        self.unsynced_tiles |= !written.is_empty();
        self.rows.wrote(written);
    }

    /// Pages are durable in their tiles, and with them every tile that was written before and the
    /// late rows. They are not written again, even if the checkpoint fails: it may have reached the
    /// disk all the same, and relies on them.
    pub(crate) fn synced_tiles(&mut self, written: &BTreeSet<TileKey>) {
        self.rows.wrote(written);
        self.rows.settling = Patches::default();
        self.unsynced_tiles = false;
    }

    /// A checkpoint is durable.
    pub(crate) fn checkpointed(&mut self, nth: usize, written: Place, vacating: usize) {
        self.places[nth] = written;
        self.fresh = false;
        self.rows.shapes.iter_mut().for_each(|shape| shape.doubtful = 0..0);
        self.saved_uncounted.clear();
        self.gone.clear();
        // Those that went while the checkpoint was written wait for the next one.
        self.vacant.extend(self.vacating.drain(..vacating));
    }

    /// The oldest record that the group may ask for after a restart: that of its older checkpoint,
    /// unless both have everything.
    pub(crate) fn pin(&self) -> Option<LogPosition> {
        let [a, b] = self.places;
        let older = a.position.min(b.position);
        (self.last_record >= older).then_some(older)
    }
}

/// The members of which the ring of some shape loses rows that they show.
fn laggards(group: &Group) -> Vec<Laggard> {
    let loses = |last_pdp: i64| {
        group.rows.shapes.iter().zip(group.geometry.shapes()).any(|(open, shape)| {
            let newest = last_pdp.div_euclid(shape.pdp_per_row as i64);
            let oldest_block = shape.block_of(newest - shape.rows as i64 + 1, group.phase_pdps);
            oldest_block <= open.flushed_block - shape.ring_tiles as i64
        })
    };
    let members = group.present().map(|(member, holder)| Laggard {
        member,
        generation: holder.generation.0,
        last_pdp: group.last_pdp(member),
    });
    members.filter(|member| loses(member.last_pdp)).collect()
}
