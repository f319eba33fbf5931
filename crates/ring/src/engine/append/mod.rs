//! The acknowledging path: samples to memory and to the log.
//!
//! A batch is taken group by group: each name is looked up, the places of the batch are sorted by
//! the ids found, and every run of one group's members is applied under the group's lock and enters
//! the log in one piece. One wait for the disk then acknowledges all of it.

mod run;

use disk::Medium;
use journal::{Generation, JournalError, RrdId};
use rrd::Sample;
use store::Watch;
use store::{Error, Refused, Update};

use self::run::Run;
use super::world::{group_of, member_of};
use super::{Engine, Sync, World};
use crate::group::SampleDigest;

/// So many groups may wait for their flush before a thread that appends helps with one.
const DUE_MAX: usize = 64;

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
    /// batch; everything else is acknowledged as [`Sync`] says. Samples before a refused one are
    /// taken.
    ///
    /// Nothing is read from disk, and nothing but the log is written; but where very many groups
    /// wait for their flush, a thread that updates flushes one, so that memory stays bounded.
    pub fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        self.take_batch(batch, None)
    }

    /// Takes samples of one database; `watch` sees each as it is taken, which may still turn out
    /// not to be acknowledged.
    ///
    /// # Errors
    /// As of [`Engine::update`].
    pub fn update_watched(
        &self,
        update: &Update<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<(), Refused> {
        let mut refused = self.take_batch(std::slice::from_ref(update), Some(watch));
        refused.pop().map_or(Ok(()), |(_, refused)| Err(refused))
    }

    fn take_batch(
        &self,
        batch: &[Update<'_>],
        mut watch: Option<&mut Watch<'_>>,
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
            let taken = self.take_update(&mut run, *rrd, &batch[*nth], watch.as_deref_mut());
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

    /// After the log failed: remembers the samples that were taken, so that they may be repeated.
    /// Where some of a place were taken before one was refused, that they are in doubt is what is
    /// told of it.
    fn doubt(&self, batch: &[Update<'_>], found: &[Found], failures: &mut Vec<(usize, Refused)>) {
        let mut taken: Vec<usize> = batch.iter().map(|update| update.samples.count()).collect();
        failures.iter().for_each(|(nth, refused)| taken[*nth] = refused.taken);
        failures.retain(|(nth, _)| taken[*nth] == 0);
        let world = self.world();
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

    /// Takes the samples of one place of a batch.
    fn take_update<'a>(
        &self,
        run: &mut Run<'_, 'a, M>,
        rrd: RrdId,
        update: &Update<'a>,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Refused> {
        // What came before a refused sample is taken all the same, and nothing is smoothed.
        let smoothing_due = run.take_all(rrd, update, watch)?;
        if smoothing_due {
            let refused = |source| Error::Update { path: update.name.into(), source };
            let refused =
                |source| Refused { error: refused(source), taken: update.samples.count() };
            run.smooth(rrd).map_err(refused)?;
        }
        Ok(())
    }

    /// Keeps memory and log within their bounds where updates come faster than flushes.
    fn keep_up(&self) {
        self.bound_log();
        if self.due.count() > DUE_MAX {
            // What fails is tried again with the group's next flush, and told by the report.
            let _ = self.work_once();
        }
    }

    /// Waits for the disk, or for the kernel. Where that fails, nothing of the batch is
    /// acknowledged.
    ///
    /// # Errors
    /// Those of the log.
    pub(super) fn acknowledge(&self) -> Result<(), JournalError> {
        self.due.stir();
        let acknowledge = || match self.options.sync {
            Sync::Always => self.journal.commit(),
            Sync::Deferred => self.journal.write_pending(),
        };
        // The records stay pending, and the second try goes to a fresh segment; a later commit
        // tries again.
        let acknowledged = acknowledge().or_else(|_| acknowledge()).map(drop);
        if self.journal.take_begun() {
            // The next segment is made before it is missed.
            self.due.wake();
        }
        acknowledged
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
