//! Groups that have lost all members give their files back.
//!
//! In this order, so that a crash leaves the group whole and empty, or gone:
//!
//! 1. The world forgets the group: no database gets a place in it any more.
//! 2. A flush of it that is under way ends.
//! 3. Other checkpoints name the log start that those of the group name: the log may have been
//!    freed for their sake, and an opening must know.
//! 4. One commit of the catalogue forgets it for good. A replay passes over records that name it.
//! 5. Its files are removed. What a crash leaves of them goes at the next opening, as the catalogue
//!    does not know the group.
//! 6. Its number is given to another group once the log is freed of all records that may name it.

use std::sync::Arc;

use disk::Medium;
use store::Error;

use super::committer::Committer;
use super::flush::Flusher;
use super::group_files::GroupFiles;
use super::log::Log;
use super::registry::Registry;
use super::{Cell, FileKind};
use crate::catalogue::GroupId;

/// Removes groups that have lost all members.
pub(super) struct Vanisher<'e, M: Medium> {
    pub(super) files: &'e GroupFiles<M>,
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) committer: Committer<'e, M>,
    pub(super) flusher: Flusher<'e, M>,
}

impl<M: Medium<File: 'static>> Vanisher<'_, M> {
    /// Takes groups out of the world that have lost all members.
    pub(super) fn find_empty_groups(&self, vanishing: &mut Vec<Arc<Cell>>) {
        self.registry.replay_all();
        let mut world = self.registry.world_mut();
        let is_empty = |cell: &&Arc<Cell>| cell.group().was_left();
        let mut empty: Vec<Arc<Cell>> = world.cells().filter(is_empty).cloned().collect();
        if empty.len() == world.cells().count() {
            empty.pop(); // some checkpoint has to tell how far the log was freed
        }
        empty.iter().for_each(|cell| world.remove_group(cell.id));
        vanishing.extend(empty);
    }

    /// Removes groups that the world has forgotten. Returns whether there was one.
    pub(super) fn remove_empty_groups(
        &self,
        vanishing: &mut Vec<Arc<Cell>>,
    ) -> Result<bool, Error> {
        if vanishing.is_empty() {
            return Ok(false);
        }
        vanishing.iter().for_each(|cell| cell.go());
        let places = vanishing.iter().flat_map(|cell| cell.group().places);
        let log_start = places.map(|place| place.log_start).max().unwrap_or_default();
        self.flusher.name_log_start(log_start)?;
        let mut catalogue_writer = self.committer.await_turn(self.registry.catalogue_writer());
        for cell in &*vanishing {
            // Where the commit fails it may come with a later one: no database gets a place there.
            catalogue_writer.changes.remove_group(GroupId(cell.id));
        }
        self.committer.commit(&mut catalogue_writer)?;
        drop(catalogue_writer);
        let gone = std::mem::take(vanishing);
        self.remove_files(&gone)?;
        let until = self.log.journal.next();
        let mut world = self.registry.world_mut();
        gone.iter().for_each(|cell| world.retire_number(cell.id, until));
        Ok(true)
    }

    /// Removes the files of groups that the catalogue has forgotten. Those that stay are removed at
    /// the next opening.
    fn remove_files(&self, gone: &[Arc<Cell>]) -> Result<(), Error> {
        // Readers that came before find their rows; later ones find no database and read nothing.
        gone.iter().for_each(|cell| drop(cell.writing_tiles()));
        let names = self.files.list()?;
        let of_gone = |name: &&String| {
            FileKind::group_of(name).is_some_and(|group| gone.iter().any(|cell| cell.id == group))
        };
        let (tiles, others): (Vec<&String>, Vec<&String>) =
            names.iter().filter(of_gone).partition(|name| name.ends_with(".tiles"));
        // A process that copies the store knows a group by its tiles.
        for name in tiles.into_iter().chain(others) {
            self.files.remove(name)?;
        }
        self.files.sync_directory()
    }
}
