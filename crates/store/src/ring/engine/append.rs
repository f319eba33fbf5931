//! The acknowledging path: samples to memory and to the log.

use disk::Medium;
use rrd::Sample;
use rrd::update::UpdateError;

use super::world::{group_of, member_of};
use super::{Cell, Engine, Sync, World};
use crate::journal::record::Event;
use crate::journal::{Record, RrdId};
use crate::ring::group::{Applied, Member, Scratch};
use crate::{Append, Error};

/// So many groups may wait for their flush before whoever appends helps.
const DUE_MAX: usize = 64;

/// When seasons are smoothed for which that falls due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Smoothing {
    /// After the last sample of each name, if none was refused.
    AfterLast,
    /// Whoever appends sees to it.
    Left,
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// Takes samples, in order for each name. Returns the failures with their positions in the
    /// batch; everything else is acknowledged as [`Sync`] says.
    ///
    /// Nothing is read from disk, and nothing but the log is written; but where very many groups wait
    /// for their flush, whoever appends flushes one, so that memory stays bounded.
    pub fn append(&self, batch: &[Append<'_>]) -> Vec<(usize, Error)> {
        self.append_all(batch, Smoothing::AfterLast)
    }

    /// As [`Engine::append`], of a part of what belongs together: seasons are not smoothed, even
    /// where that falls due. [`Engine::smooth`] does it.
    pub fn append_part(&self, batch: &[Append<'_>]) -> Vec<(usize, Error)> {
        self.append_all(batch, Smoothing::Left)
    }

    /// Smooths the rings of a database's seasons, as is due after samples of which one made it so.
    ///
    /// # Errors
    /// There is no such database; [`Error::Update`] if a season cannot be smoothed; those of the
    /// machine.
    pub fn smooth(&self, name: &str) -> Result<(), Error> {
        self.check_sound()?;
        let world = self.world();
        let rrd = world.find(name).ok_or_else(|| Error::missing(name))?;
        let cell = world.cell(group_of(rrd)).ok_or_else(|| Error::missing(name))?;
        let smoothed = self.smooth_member(cell, &world, rrd)?;
        drop(world);
        let mut failures = Vec::new();
        self.acknowledge(1, &mut failures);
        failures.pop().map_or(Ok(()), |(_, error)| Err(error))?;
        smoothed.map_err(|source| Error::Update { path: name.into(), source })
    }

    fn append_all(&self, batch: &[Append<'_>], smoothing: Smoothing) -> Vec<(usize, Error)> {
        if self.check_sound().is_err() {
            let all = (0..batch.len()).filter_map(|nth| Some((nth, self.check_sound().err()?)));
            return all.collect();
        }
        let mut scratch = Scratch::default();
        let mut failures = Vec::new();
        let world = self.world();
        for (nth, each) in batch.iter().enumerate() {
            let taken = self.append_one(&world, each, smoothing, &mut scratch);
            failures.extend(taken.err().map(|error| (nth, error)));
        }
        drop(world);
        self.acknowledge(batch.len(), &mut failures);
        self.keep_up();
        failures
    }

    /// Keeps memory and log within their bounds where updates come faster than flushes.
    fn keep_up(&self) {
        self.bound_log();
        if self.due_count() > DUE_MAX {
            // What fails is tried again with the group's next flush, and told by the report.
            let _ = self.work_once();
        }
    }

    /// Waits for the disk, or for the kernel. Where that fails, nothing of the batch is acknowledged.
    pub(super) fn acknowledge(&self, count: usize, failures: &mut Vec<(usize, Error)>) {
        let acknowledge = || match self.options.sync {
            Sync::Always => self.journal.commit(),
            Sync::Deferred => self.journal.write_pending(),
        };
        if acknowledge().is_ok() {
            return;
        }
        // The records stay pending; a later commit tries again.
        let Err(error) = acknowledge() else { return };
        let what = error.to_string();
        let failed: Vec<usize> = failures.iter().map(|(nth, _)| *nth).collect();
        let others = (0..count).filter(|nth| !failed.contains(nth));
        let unsaid = others.map(|nth| (nth, Error::Unacknowledged(what.clone())));
        failures.extend(unsaid.collect::<Vec<_>>());
        failures.sort_by_key(|(nth, _)| *nth);
    }

    fn append_one(
        &self,
        world: &World,
        each: &Append<'_>,
        smoothing: Smoothing,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let rrd = world.find(each.name).ok_or_else(|| Error::missing(each.name))?;
        let cell = world.cell(group_of(rrd)).ok_or_else(|| Error::missing(each.name))?;
        let refused = |source| Error::Update { path: each.name.into(), source };
        let mut smoothing_due = false;
        // What came before a refused sample is taken all the same, and nothing is smoothed.
        for sample in each.samples {
            self.take(world, cell, rrd, sample, scratch)?.map_err(refused)?;
            smoothing_due |= scratch.workspace.smoothing_due();
        }
        if smoothing_due && smoothing == Smoothing::AfterLast {
            self.smooth_member(cell, world, rrd)?.map_err(refused)?;
        }
        Ok(())
    }

    /// Smooths and logs it.
    fn smooth_member(
        &self,
        cell: &Cell,
        world: &World,
        rrd: RrdId,
    ) -> Result<Result<(), UpdateError>, Error> {
        let member = member_of(rrd);
        let mut group = cell.group();
        let Member { generation, definition, .. } = group.members[usize::from(member)];
        let record = Record { rrd, generation, event: Event::Smooth };
        group.last_record = self.journal.append(&record)?;
        Ok(group.smooth(member, world.definition(definition)))
    }

    /// Takes one sample into its group and the log.
    fn take(
        &self,
        world: &World,
        cell: &Cell,
        rrd: RrdId,
        sample: &Sample<'_>,
        scratch: &mut Scratch,
    ) -> Result<Result<(), UpdateError>, Error> {
        let member = member_of(rrd);
        let mut group = cell.group();
        let holder = group.members[usize::from(member)];
        let definition = world.definition(holder.definition);
        let applied = group.apply(member, definition, sample, scratch);
        if let Applied::Ignored(error) = applied {
            return Ok(Err(error));
        }
        // Under the group's lock, so that the log has the order in which samples were taken.
        group.last_record = self.journal.append_update(rrd, holder.generation, sample)?;
        let due = !group.queued
            && (group.clock.is_due() || group.patches.len() >= self.options.late_rows_max);
        group.queued |= due;
        drop(group);
        if due {
            self.push_due(cell.id);
        }
        match applied {
            Applied::Refused(error) => Ok(Err(error)),
            _ => Ok(Ok(())),
        }
    }
}
