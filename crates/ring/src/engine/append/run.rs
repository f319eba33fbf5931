//! A run of samples of one group, under one lock and into the log in one piece.

use std::sync::Arc;

use disk::Medium;
use journal::{Generation, Journal, JournalError, Records, RrdId};
use logform::update_bytes_max;
use rrd::update::UpdateError;
use rrd::{Reading, Sample, SampleReader, Timestamp};
use store::Watch;
use store::{Error, Refused, Taken, Update};
use tracing_mutex::stdsync::MutexGuard;

use super::Intake;
use crate::engine::due::Due;
use crate::engine::world::{group_of, member_of};
use crate::engine::{Cell, World};
use crate::group::{Applied, Group, Member, SampleDigest, Scratch};
use crate::record::{self, Event};

/// After so many bytes of records a group's lock is given up for a moment: others want to read.
/// What enters the log at once a kill leaves whole or takes whole: samples that came together are
/// only parted where they are very many.
const RUN_BYTES_MAX: usize = 16 << 10;
const ITEM_BYTES_MAX: usize = 1 << 20;

/// Samples that are being taken, of one group at a time.
pub(super) struct Run<'w, 'a, M: Medium> {
    journal: &'w Journal<Arc<M>>,
    due: &'w Due,
    late_rows_max: usize,
    world: &'w World,
    /// The group whose lock is held.
    open: Option<Open<'w>>,
    /// What was taken and is not in the log yet. It is there before the lock is given up, so that
    /// the log has the order in which samples were taken.
    records: Records,
    scratch: Scratch,
    sample: SampleRead<'a>,
}

/// The sample that is being taken, split into its readings.
#[derive(Default)]
struct SampleRead<'a> {
    readings: Vec<Reading<'a>>,
    /// Of samples that follow a template.
    own_reader: Option<SampleReader>,
}

impl<'a> SampleRead<'a> {
    /// Reads a sample of a database whose definition has this number. Returns its time.
    fn read(
        &mut self,
        world: &World,
        definition: u32,
        update: &Update<'a>,
        nth: usize,
    ) -> Result<Timestamp, Error> {
        let refused = |source| Error::Sample { path: update.name.into(), source };
        if nth == 0 {
            let own_reader = update.samples.own_reader(world.definition(definition));
            self.own_reader = own_reader.map_err(refused)?;
        }
        let reader = match &self.own_reader {
            Some(reader) => reader,
            None => world.reader(definition),
        };
        update.samples.read(nth, reader, &mut self.readings).map_err(refused)
    }
}

struct Open<'w> {
    cell: &'w Cell,
    group: MutexGuard<'w, Group>,
}

impl<'w, 'a, M: Medium<File: 'static>> Run<'w, 'a, M> {
    pub(super) fn new(intake: &'w Intake<'_, M>, world: &'w World) -> Self {
        Self {
            journal: &intake.log.journal,
            due: intake.due,
            late_rows_max: intake.late_rows_max,
            world,
            open: None,
            records: Records::default(),
            scratch: Scratch::default(),
            sample: SampleRead::default(),
        }
    }

    /// The generation of a database. Its group's lock is held from then on.
    pub(super) fn generation(&mut self, rrd: RrdId) -> Option<Generation> {
        self.open(rrd, RUN_BYTES_MAX)?;
        let Open { group, .. } = self.open.as_ref()?;
        Some(group.members[usize::from(member_of(rrd))].generation)
    }

    /// Takes the samples of one place of a batch.
    ///
    /// # Errors
    /// One is refused; those before it are taken.
    pub(super) fn take_update(
        &mut self,
        rrd: RrdId,
        update: &Update<'a>,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Refused> {
        // What came before a refused sample is taken all the same, and nothing is smoothed.
        let smoothing_due = self.take_all(rrd, update, watch)?;
        if smoothing_due {
            let refused = |source| Error::Update { path: update.name.into(), source };
            let refused =
                |source| Refused { error: refused(source), taken: update.samples.count() };
            self.smooth(rrd).map_err(refused)?;
        }
        Ok(())
    }

    /// Takes all samples up to the first that is refused. Returns whether seasons are to be
    /// smoothed.
    fn take_all(
        &mut self,
        rrd: RrdId,
        update: &Update<'a>,
        mut watch: Option<&mut Watch<'_>>,
    ) -> Result<bool, Refused> {
        let mut smoothing_due = false;
        for nth in 0..update.samples.count() {
            let taken = self.take(rrd, update, nth, watch.as_deref_mut());
            smoothing_due |= taken.map_err(|error| Refused { error, taken: nth })?;
        }
        Ok(smoothing_due)
    }

    /// Smooths the seasons of a database whose samples were just taken. It enters the log in one
    /// piece with the samples: a kill leaves neither without the other.
    ///
    /// # Errors
    /// A season cannot be smoothed; those before it are.
    fn smooth(&mut self, rrd: RrdId) -> Result<(), UpdateError> {
        let Open { group, .. } =
            self.open.as_mut().expect("its group is open since its samples came");
        let member = member_of(rrd);
        let Member { generation, definition, .. } = group.members[usize::from(member)];
        record::push(&mut self.records, rrd, generation, &Event::Smooth);
        group.smooth(member, self.world.definition(definition))
    }

    /// Takes a sample. Returns whether seasons are to be smoothed.
    fn take(
        &mut self,
        rrd: RrdId,
        update: &Update<'a>,
        nth: usize,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<bool, Error> {
        let bytes_max = if nth == 0 { RUN_BYTES_MAX } else { ITEM_BYTES_MAX };
        if self.open(rrd, bytes_max).is_none() {
            return Err(self.world.unreachable(update.name, rrd));
        }
        let Open { group, .. } = self.open.as_mut().expect("it was just opened");
        let member = member_of(rrd);
        let holder = group.members[usize::from(member)];
        let definition = self.world.definition(holder.definition);
        let time = self.sample.read(self.world, holder.definition, update, nth)?;
        let last_update = || group.last_update(member);
        if update.samples.passes_over(time, last_update) {
            return Ok(false);
        }
        let before = watch.as_ref().map(|_| last_update());
        let sample = Sample { time, readings: &self.sample.readings };
        check_size(sample.readings, self.journal.record_bytes_max())?;
        let in_doubt = &mut group.in_doubt;
        if !in_doubt.is_empty() && in_doubt.repeats(member, SampleDigest::new(&sample)) {
            return Ok(false); // it was taken, and waits for the log
        }
        let applied = group.apply(member, definition, &sample, &mut self.scratch);
        if !matches!(applied, Applied::Ignored(_)) {
            record::push_update(&mut self.records, rrd, holder.generation, &sample);
        }
        if let Applied::Refused(source) | Applied::Ignored(source) = applied {
            return Err(Error::Update { path: update.name.into(), source });
        }
        let workspace = &self.scratch.workspace;
        if let (Some(watch), Some(before)) = (watch, before) {
            watch(&Taken::new(definition, (before, time), workspace));
        }
        Ok(workspace.smoothing_due())
    }

    /// Takes the lock of a database's group, if it is not held already, or for too many bytes.
    fn open(&mut self, rrd: RrdId, bytes_max: usize) -> Option<()> {
        let is_open = |open: &Open<'_>| open.cell.id == group_of(rrd);
        if self.open.as_ref().is_some_and(is_open) && self.records.bytes_len() < bytes_max {
            return Some(());
        }
        self.end();
        let cell = self.world.cell(group_of(rrd))?;
        self.open = Some(Open { cell, group: cell.group() });
        Some(())
    }

    /// Gives up the lock, all that was taken being in the log.
    pub(super) fn end(&mut self) {
        let Some(Open { cell, mut group }) = self.open.take() else { return };
        if !self.records.is_empty() {
            let appended = self.journal.append_together(&mut self.records);
            group.last_record = appended.expect("each record was found to fit");
        }
        let due = !group.queued
            && (group.clock.is_due() || group.rows.patches.len() >= self.late_rows_max);
        group.queued |= due;
        drop(group);
        if due {
            self.due.push(cell.id);
        }
    }
}

/// Refuses what no record can hold before anything has changed.
fn check_size(readings: &[Reading<'_>], bytes_max: usize) -> Result<(), JournalError> {
    let bytes = update_bytes_max(readings);
    let fits = bytes <= bytes_max;
    if fits { Ok(()) } else { Err(JournalError::RecordTooLarge { bytes, bytes_max }) }
}
