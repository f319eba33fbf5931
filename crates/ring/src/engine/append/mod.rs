//! The acknowledging path: samples to memory and to the log.
//!
//! A batch is taken group by group: each name is looked up, the places of the batch are sorted by
//! the ids found, and every run of one group's members is applied under the group's lock and enters
//! the log in one piece. One wait for the disk then acknowledges all of it.

mod run;

use std::sync::Arc;

use disk::Medium;
use journal::{Generation, RrdId};
use rrd::Sample;
use store::Watch;
use store::{Error, Refused, Update};

use tracing_mutex::stdsync::RwLockReadGuard;

use self::run::Run;
use super::due::Due;
use super::health::Health;
use super::log::Log;
use super::registry::Registry;
use super::world::{group_of, member_of};
use super::{Cell, World};
use crate::group::SampleDigest;

/// Takes samples: to memory and to the log.
pub(super) struct Intake<'e, M: Medium> {
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) health: &'e Health,
    pub(super) due: &'e Due,
    pub(super) late_rows_max: usize,
}

/// A place of a batch, with the database that its name stands for.
#[derive(Clone, Copy, Debug)]
struct Found {
    rrd: RrdId,
    /// Of the database that took samples; 0 until then.
    generation: Generation,
    nth: usize,
}

impl<M: Medium<File: 'static>> Intake<'_, M> {
    /// Refuses all of a batch where the store has stopped; `None` if samples can be taken.
    pub(super) fn refuse_where_stopped(
        &self,
        batch: &[Update<'_>],
    ) -> Option<Vec<(usize, Refused)>> {
        self.health.check().err()?;
        let stopped = |nth| Some((nth, Refused::first(self.health.check().err()?)));
        Some((0..batch.len()).filter_map(stopped).collect())
    }

    /// The positions of the updates whose groups can be had at once, or that no group has; and
    /// those of the others.
    pub(super) fn parted(&self, batch: &[Update<'_>]) -> (Vec<usize>, Vec<usize>) {
        let world = self.registry.world();
        let is_at_hand = |nth: &usize| {
            let found = batch[*nth].name.to_str().and_then(|name| world.find_after(name, None));
            let cell = found.and_then(|rrd| world.known_cell(group_of(rrd)));
            cell.is_none_or(|cell| cell.is_at_hand())
        };
        (0..batch.len()).partition(is_at_hand)
    }

    /// Takes samples, in order for each name, and acknowledges them. Returns the failures with
    /// their positions in the batch. Samples before a refused one are taken. `watch` sees each
    /// sample as it is taken.
    pub(super) fn take_batch(
        &self,
        batch: &[Update<'_>],
        mut watch: Option<&mut Watch<'_>>,
    ) -> Vec<(usize, Refused)> {
        let mut failures = Vec::new();
        let (world, mut found) = self.find_replayed(batch, &mut failures);
        let mut run = Run::new(self, &world);
        for Found { rrd, generation, nth } in &mut found {
            *generation = run.generation(*rrd).unwrap_or(Generation(0));
            let taken = run.take_update(*rrd, &batch[*nth], watch.as_deref_mut());
            failures.extend(taken.err().map(|refused| (*nth, refused)));
        }
        run.end();
        drop(run);
        drop(world);
        failures.sort_by_key(|(nth, _)| *nth);
        if let Err(error) = self.log.acknowledge(self.due) {
            self.doubt(batch, &found, &mut failures);
            unacknowledged(&error.to_string(), batch.len(), &mut failures, Refused::first);
        }
        failures
    }

    /// Looks all names up, in groups that are replayed. Those that wait for it are replayed first,
    /// while others can change the world.
    fn find_replayed(
        &self,
        batch: &[Update<'_>],
        failures: &mut Vec<(usize, Refused)>,
    ) -> (RwLockReadGuard<'_, World>, Vec<Found>) {
        loop {
            let world = self.registry.world();
            let found = find_all(&world, batch, failures);
            let waiting = waiting_cells(&world, &found);
            if waiting.is_empty() {
                return (world, found);
            }
            drop(world);
            failures.clear();
            waiting.iter().for_each(|cell| drop(cell.group()));
        }
    }

    /// After the log failed: remembers the samples that were taken, so that they may be repeated.
    /// Where some of a place were taken before one was refused, that they are in doubt is what is
    /// told of it.
    fn doubt(&self, batch: &[Update<'_>], found: &[Found], failures: &mut Vec<(usize, Refused)>) {
        let mut taken: Vec<usize> = batch.iter().map(|update| update.samples.count()).collect();
        failures.iter().for_each(|(nth, refused)| taken[*nth] = refused.taken);
        failures.retain(|(nth, _)| taken[*nth] == 0);
        let world = self.registry.world();
        let mut readings = Vec::new();
        for Found { rrd, generation, nth } in found {
            let Some(cell) = world.cell(group_of(*rrd)) else { continue };
            let (mut group, member) = (cell.group(), member_of(*rrd));
            let Some(holder) = group.member(member, *generation) else { continue };
            let samples = &batch[*nth].samples;
            let own_reader = samples.own_reader(world.definition(holder.definition));
            let own_reader = own_reader.ok().flatten();
            let reader = own_reader.as_ref().unwrap_or_else(|| world.reader(holder.definition));
            let mut digest = |sample| {
                let time = samples.read(sample, reader, &mut readings).ok()?;
                Some(SampleDigest::new(&Sample { time, readings: &readings }))
            };
            let samples: Vec<SampleDigest> = (0..taken[*nth]).filter_map(&mut digest).collect();
            if !samples.is_empty() {
                group.in_doubt.add(member, &samples);
            }
        }
    }
}

/// Looks all names up and sorts what is found by group and member: so each group's lock is taken
/// once for a run of its members, and what lies side by side in memory is touched so. The samples
/// of one name keep their order.
fn find_all(
    world: &World,
    batch: &[Update<'_>],
    failures: &mut Vec<(usize, Refused)>,
) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::with_capacity(batch.len());
    for (nth, update) in batch.iter().enumerate() {
        let before = found.last().map(|found| found.rrd);
        match update.name.to_str().and_then(|name| world.find_after(name, before)) {
            Some(rrd) => found.push(Found { rrd, generation: Generation(0), nth }),
            None => failures.push((nth, Refused::first(Error::missing(update.name)))),
        }
    }
    found.sort_by_key(|found| found.rrd);
    found
}

/// The groups that wait to be replayed, of databases in the order of their groups.
fn waiting_cells(world: &World, found: &[Found]) -> Vec<Arc<Cell>> {
    let groups = found.chunk_by(|one, other| group_of(one.rrd) == group_of(other.rrd));
    let cells = groups.filter_map(|of_group| world.known_cell(group_of(of_group[0].rrd)));
    cells.filter(|cell| cell.is_waiting()).cloned().collect()
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
