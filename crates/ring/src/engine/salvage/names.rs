//! Names whose databases are gone.

use disk::Medium;
use journal::{Generation, RrdId};
use store::Error;

use super::super::world::{group_of, member_of};
use super::super::{CatalogueWriter, Cell, FileKind};
use super::{Salvaged, Salvager};
use crate::catalogue::{FILE, GroupId, Loaded};

/// A database as the catalogue lists it.
struct Listed {
    rrd: RrdId,
    generation: Generation,
    name: String,
}

impl<M: Medium<File: 'static>> Salvager<'_, M> {
    /// Takes groups out of the catalogue that cannot be opened, with their names.
    pub(super) fn give_up_groups(&self, salvaged: &mut Salvaged) -> Result<(), Error> {
        for lost in &self.found.damaged {
            let mut catalogue_writer = self.registry.catalogue_writer();
            let of_group = |listed: &Listed| group_of(listed.rrd) == lost.group;
            let gone = self.listed(&mut catalogue_writer, of_group)?;
            let names = self.take_names(&mut catalogue_writer, gone);
            catalogue_writer.changes.remove_group(GroupId(lost.group));
            self.committer.commit(&mut catalogue_writer)?;
            let file = FileKind::Checkpoint(0).name(lost.group);
            let what = format!("group {}: it cannot be opened ({})", lost.group, lost.what);
            let given_up = salvaged.give_up(&file, None, what);
            (given_up.databases, given_up.whole) = (names, true);
        }
        Ok(())
    }

    /// Takes names out of the catalogue that have no database: the record that made it is lost.
    pub(super) fn give_up_names(&self, salvaged: &mut Salvaged) -> Result<(), Error> {
        let mut catalogue_writer = self.registry.catalogue_writer();
        let gone = self.listed(&mut catalogue_writer, |listed| {
            let cell = self.registry.world().cell(group_of(listed.rrd)).cloned();
            let is_member = |group: &Cell| {
                group.group().member(member_of(listed.rrd), listed.generation).is_some()
            };
            !cell.is_some_and(|cell| is_member(&cell))
        })?;
        if gone.is_empty() {
            return Ok(());
        }
        let names = self.take_names(&mut catalogue_writer, gone);
        self.committer.commit(&mut catalogue_writer)?;
        let what = "the record that made them is lost, and no checkpoint has them".into();
        let given_up = salvaged.give_up(FILE, None, what);
        (given_up.databases, given_up.whole) = (names, true);
        Ok(())
    }

    /// The databases of the catalogue that are asked for.
    fn listed(
        &self,
        catalogue_writer: &mut CatalogueWriter,
        is_wanted: impl Fn(&Listed) -> bool,
    ) -> Result<Vec<Listed>, Error> {
        self.committer.commit(catalogue_writer)?;
        let mut listed = Vec::new();
        catalogue_writer.look(self.registry.medium(), |catalogue| {
            catalogue.load(|loaded| {
                if let Loaded::Rrd(rrd, view) = loaded {
                    let (generation, name) = (view.generation, view.name.to_owned());
                    listed.push(Listed { rrd, generation, name });
                }
            })
        })?;
        listed.retain(is_wanted);
        Ok(listed)
    }

    /// Takes databases out of the catalogue with its next commit. Returns their names.
    fn take_names(&self, catalogue_writer: &mut CatalogueWriter, gone: Vec<Listed>) -> Vec<String> {
        let mut world = self.registry.world_mut();
        let take = |Listed { rrd, generation, name }| {
            world.take_name(rrd);
            catalogue_writer.changes.remove_rrd(rrd, generation);
            name
        };
        gone.into_iter().map(take).collect()
    }
}
