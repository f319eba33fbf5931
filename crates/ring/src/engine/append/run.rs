//! A run of samples of one group, under one lock and into the log in one piece.

use disk::Medium;
use journal::{Generation, JournalError, Records, RrdId};
use logform::update_bytes_max;
use rrd::update::UpdateError;
use rrd::{Reading, Sample, SampleReader};
use store::Watch;
use store::{Error, Refused, Taken, Update};
use tracing_mutex::stdsync::MutexGuard;

use crate::engine::world::{group_of, member_of};
use crate::engine::{Cell, Engine, World};
use crate::group::{Applied, Group, Member, SampleDigest, Scratch};
use crate::record::{self, Event};

/// After so many bytes of records a group's lock is given up for a moment: others want to read.
/// What enters the log at once a kill leaves whole or takes whole: samples that came together are
/// only parted where they are very many.
const RUN_BYTES_MAX: usize = 16 << 10;
const ITEM_BYTES_MAX: usize = 1 << 20;

/// Samples that are being taken, of one group at a time.
pub(super) struct Run<'w, 'a, M: Medium> {
    engine: &'w Engine<M>,
    world: &'w World,
    /// The group whose lock is held.
    open: Option<Open<'w>>,
    /// What was taken and is not in the log yet. It is there before the lock is given up, so that
    /// the log has the order in which samples were taken.
    records: Records,
    scratch: Scratch,
    readings: Vec<Reading<'a>>,
    /// Of samples that follow a template.
    own_reader: Option<SampleReader>,
}

struct Open<'w> {
    cell: &'w Cell,
    group: MutexGuard<'w, Group>,
}

impl<'w, 'a, M: Medium<File: 'static>> Run<'w, 'a, M> {
    pub(super) fn new(engine: &'w Engine<M>, world: &'w World) -> Self {
        Self {
            engine,
            world,
            open: None,
            records: Records::default(),
            scratch: Scratch::default(),
            readings: Vec::new(),
            own_reader: None,
        }
    }

    pub(super) fn world(&self) -> &'w World {
        self.world
    }

    /// The generation of a database. Its group's lock is held from then on.
    pub(super) fn generation(&mut self, rrd: RrdId) -> Option<Generation> {
        self.open(rrd, RUN_BYTES_MAX)?;
        let Open { group, .. } = self.open.as_ref()?;
        Some(group.members[usize::from(member_of(rrd))].generation)
    }

    /// Takes the samples of one place of a batch. Returns whether seasons are to be smoothed.
    ///
    /// # Errors
    /// One is refused; those before it are taken.
    pub(super) fn take_all(
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
    pub(super) fn smooth(&mut self, rrd: RrdId) -> Result<(), UpdateError> {
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
            return Err(self.world().unreachable(update.name, rrd));
        }
        let Open { group, .. } = self.open.as_mut().expect("it was just opened");
        let member = member_of(rrd);
        let holder = group.members[usize::from(member)];
        let definition = self.world.definition(holder.definition);
        let path = || update.name.into();
        let refused = |source| Error::Sample { path: path(), source };
        if nth == 0 {
            self.own_reader = update.samples.own_reader(definition).map_err(refused)?;
        }
        let reader = match &self.own_reader {
            Some(reader) => reader,
            None => self.world.reader(holder.definition),
        };
        let time = update.samples.read(nth, reader, &mut self.readings).map_err(refused)?;
        let last_update = || group.last_update(member);
        if update.samples.passes_over(time, last_update) {
            return Ok(false);
        }
        let before = watch.as_ref().map(|_| last_update());
        let sample = Sample { time, readings: &self.readings };
        check_size(&self.readings, self.engine.journal.record_bytes_max())?;
        let in_doubt = &mut group.in_doubt;
        if !in_doubt.is_empty() && in_doubt.repeats(member, SampleDigest::new(&sample)) {
            return Ok(false); // it was taken, and waits for the log
        }
        let applied = group.apply(member, definition, &sample, &mut self.scratch);
        if !matches!(applied, Applied::Ignored(_)) {
            record::push_update(&mut self.records, rrd, holder.generation, &sample);
        }
        match applied {
            Applied::Taken => {
                let workspace = &self.scratch.workspace;
                if let (Some(watch), Some(before)) = (watch, before) {
                    watch(&Taken::new(definition, (before, time), workspace));
                }
                Ok(workspace.smoothing_due())
            }
            Applied::Refused(source) | Applied::Ignored(source) => {
                Err(Error::Update { path: path(), source })
            }
        }
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
            let appended = self.engine.journal.append_together(&mut self.records);
            group.last_record = appended.expect("each record was found to fit");
        }
        let engine = self.engine;
        let due = !group.queued
            && (group.clock.is_due() || group.patches.len() >= engine.options.late_rows_max);
        group.queued |= due;
        drop(group);
        if due {
            engine.due.push(cell.id);
        }
    }
}

/// Refuses what no record can hold before anything has changed.
fn check_size(readings: &[Reading<'_>], bytes_max: usize) -> Result<(), JournalError> {
    let bytes = update_bytes_max(readings);
    let fits = bytes <= bytes_max;
    if fits { Ok(()) } else { Err(JournalError::RecordTooLarge { bytes, bytes_max }) }
}
