//! Names whose databases are gone.

use disk::Medium;

use super::super::Engine;
use super::super::world::{group_of, member_of};
use super::Salvaged;
use crate::Error;
use crate::ring::catalogue::{FILE, Loaded};

impl<M: Medium<File: 'static>> Engine<M> {
    /// Takes names out of the catalogue that have no database: the record that made it is lost.
    pub(super) fn give_up_names(&self, salvaged: &mut Salvaged) -> Result<(), Error> {
        let mut life = self.life();
        self.commit_life(&mut life)?;
        let mut listed = Vec::new();
        life.look(&*self.medium, |catalogue| {
            catalogue.load(|loaded| {
                if let Loaded::Rrd(rrd, view) = loaded {
                    listed.push((rrd, view.generation, view.name.to_owned()));
                }
            })
        })?;
        let mut names = Vec::new();
        let mut world = self.world_mut();
        for (rrd, generation, name) in listed {
            let cell = world.cell(group_of(rrd)).cloned();
            let is_there =
                cell.is_some_and(|cell| cell.group().member(member_of(rrd), generation).is_some());
            if !is_there {
                world.take_name(rrd);
                life.changes.remove_rrd(rrd, generation);
                names.push(name);
            }
        }
        drop(world);
        if !names.is_empty() {
            self.commit_life(&mut life)?;
            let what = "the record that made them is lost, and no checkpoint has them".into();
            let given_up = salvaged.give_up(FILE, None, what);
            (given_up.databases, given_up.whole) = (names, true);
        }
        Ok(())
    }
}
