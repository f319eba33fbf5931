//! The acknowledging path: samples to memory and to the log.
//!
//! A batch is taken group by group: each name is looked up, the places of the batch are sorted by the
//! ids found, and every run of one group's members is applied under the group's lock and enters the
//! log in one piece. One wait for the disk then acknowledges all of it.

mod batch;
mod run;

use disk::Medium;
use rrd::Sample;
use rrd::update::UpdateError;

use self::batch::Item;
use self::run::Run;
use super::world::{group_of, member_of};
use super::{Cell, Engine, Sync, World};
use crate::journal::record::Event;
use crate::journal::{Generation, JournalError, Record, RrdId};
use crate::ring::group::{Member, SampleDigest};
use crate::{Append, AppendValues, Error, Refused};

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

/// A place of a batch, with the database that its name stands for.
#[derive(Clone, Copy, Debug)]
struct Found {
    rrd: RrdId,
    /// Of the database that took samples; 0 until then.
    generation: Generation,
    nth: usize,
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// Takes samples, in order for each name. Returns the failures with their positions in the
    /// batch; everything else is acknowledged as [`Sync`] says.
    ///
    /// Nothing is read from disk, and nothing but the log is written; but where very many groups wait
    /// for their flush, whoever appends flushes one, so that memory stays bounded.
    pub fn append(&self, batch: &[Append<'_>]) -> Vec<(usize, Error)> {
        without_counts(self.append_all(batch, Smoothing::AfterLast))
    }

    /// As [`Engine::append`], of a part of what belongs together: seasons are not smoothed, even
    /// where that falls due. [`Engine::smooth`] does it.
    pub fn append_part(&self, batch: &[Append<'_>]) -> Vec<(usize, Error)> {
        without_counts(self.append_all(batch, Smoothing::Left))
    }

    /// As [`Engine::append`], of values as rrdcached's protocol has them: the time is a number. Those
    /// before a refused one are taken.
    pub fn append_values(&self, batch: &[AppendValues<'_>]) -> Vec<(usize, Refused)> {
        self.append_all(batch, Smoothing::AfterLast)
    }

    /// Smooths the rings of a database's seasons, as is due after samples of which one made it so.
    ///
    /// # Errors
    /// There is no such database; [`Error::Update`] if a season cannot be smoothed; those of the
    /// machine.
    pub fn smooth(&self, name: &str) -> Result<(), Error> {
        self.check_sound()?;
        let world = self.world();
        let (rrd, cell) = world.place_of(name)?;
        let smoothed = self.smooth_member(cell, &world, rrd)?;
        drop(world);
        if let Err(error) = self.acknowledge() {
            // The samples that made it due were acknowledged before, and are not to be repeated. The log
            // has it with its next commit, before anything that comes later.
            self.note_trouble(&error.into());
        }
        smoothed.map_err(|source| Error::Update { path: name.into(), source })
    }

    fn append_all<'a>(
        &self,
        batch: &[impl Item<'a>],
        smoothing: Smoothing,
    ) -> Vec<(usize, Refused)> {
        if self.check_sound().is_err() {
            let stopped = |nth| Some((nth, Refused::first(self.check_sound().err()?)));
            return (0..batch.len()).filter_map(stopped).collect();
        }
        let mut failures = Vec::new();
        let world = self.world();
        let mut found = find_all(&world, batch, &mut failures);
        let mut run = Run::new(self, &world);
        for Found { rrd, generation, nth } in &mut found {
            *generation = run.generation(*rrd).unwrap_or(Generation(0));
            let taken = self.take_item(&mut run, *rrd, &batch[*nth], smoothing);
            failures.extend(taken.err().map(|refused| (*nth, refused)));
        }
        run.end();
        drop(run);
        drop(world);
        failures.sort_by_key(|(nth, _)| *nth);
        if let Err(error) = self.acknowledge() {
            self.doubt(batch, &found, &mut failures);
            unacknowledged(&error.to_string(), batch.len(), &mut failures, Refused::first);
        }
        self.keep_up();
        failures
    }

    /// After the log failed: remembers the samples that were taken, so that they may be repeated. Where
    /// some of a place were taken before one was refused, that they are in doubt is what is told of it.
    fn doubt<'a>(
        &self,
        batch: &[impl Item<'a>],
        found: &[Found],
        failures: &mut Vec<(usize, Refused)>,
    ) {
        let mut taken: Vec<usize> = batch.iter().map(Item::count).collect();
        failures.iter().for_each(|(nth, refused)| taken[*nth] = refused.taken);
        failures.retain(|(nth, _)| taken[*nth] == 0);
        let world = self.world();
        let mut readings = Vec::new();
        for Found { rrd, generation, nth } in found {
            let Some(cell) = world.cell(group_of(*rrd)) else { continue };
            let (mut group, member) = (cell.group(), member_of(*rrd));
            let Some(holder) = group.member(member, *generation) else { continue };
            let reader = world.reader(holder.definition);
            let mut digest = |sample| {
                let time = batch[*nth].read(sample, reader, &mut readings).ok()?;
                Some(SampleDigest::new(&Sample { time, readings: &readings }))
            };
            let samples: Vec<SampleDigest> = (0..taken[*nth]).filter_map(&mut digest).collect();
            if !samples.is_empty() {
                group.in_doubt.add(member, &samples);
            }
        }
    }

    /// Takes the samples of one place of a batch.
    fn take_item<'a>(
        &self,
        run: &mut Run<'_, 'a, M>,
        rrd: RrdId,
        item: &impl Item<'a>,
        smoothing: Smoothing,
    ) -> Result<(), Refused> {
        // What came before a refused sample is taken all the same, and nothing is smoothed.
        let smoothing_due = run.take_all(rrd, item)?;
        if smoothing_due && smoothing == Smoothing::AfterLast {
            run.end();
            let refused = |error| Refused { error, taken: item.count() };
            let missing = || refused(run.world().unreachable(item.name(), rrd));
            let cell = run.world().cell(group_of(rrd)).ok_or_else(missing)?;
            let smoothed = self.smooth_member(cell, run.world(), rrd).map_err(refused)?;
            let path = || item.name().into();
            smoothed.map_err(|source| refused(Error::Update { path: path(), source }))?;
        }
        Ok(())
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
    ///
    /// # Errors
    /// Those of the log.
    pub(super) fn acknowledge(&self) -> Result<(), JournalError> {
        let acknowledge = || match self.options.sync {
            Sync::Always => self.journal.commit(),
            Sync::Deferred => self.journal.write_pending(),
        };
        // The records stay pending, and the second try goes to a fresh segment; a later commit tries
        // again.
        acknowledge().or_else(|_| acknowledge()).map(drop)
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
}

/// Looks all names up and sorts what is found by group and member: so each group's lock is taken once
/// for a run of its members, and what lies side by side in memory is touched so. The samples of one
/// name keep their order.
fn find_all<'a>(
    world: &World,
    batch: &[impl Item<'a>],
    failures: &mut Vec<(usize, Refused)>,
) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::with_capacity(batch.len());
    for (nth, item) in batch.iter().enumerate() {
        match world.find_after(item.name(), found.last().map(|found| found.rrd)) {
            Some(rrd) => found.push(Found { rrd, generation: Generation(0), nth }),
            None => failures.push((nth, Refused::first(Error::missing(item.name())))),
        }
    }
    found.sort_by_key(|found| found.rrd);
    found
}

/// Adds those to the failures that are in doubt because the log failed.
pub(super) fn unacknowledged<T>(
    what: &str,
    count: usize,
    failures: &mut Vec<(usize, T)>,
    failure: impl Fn(Error) -> T,
) {
    let mut said = vec![false; count];
    failures.iter().for_each(|(nth, _)| said[*nth] = true);
    let unsaid = (0..count).filter(|nth| !said[*nth]);
    failures.extend(unsaid.map(|nth| (nth, failure(Error::Unacknowledged(what.into())))));
    failures.sort_by_key(|(nth, _)| *nth);
}

fn without_counts(refused: Vec<(usize, Refused)>) -> Vec<(usize, Error)> {
    refused.into_iter().map(|(nth, refused)| (nth, refused.error)).collect()
}
