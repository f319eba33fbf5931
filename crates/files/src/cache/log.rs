//! The log of a file cache: what is acknowledged and not yet in its file for good.
//!
//! ```text
//!   base of 7 | 7: 300:1:2 | base of 8 | 8: 301:5 | 7: 600:3:4 | ... | written 7 ... | base of 7 |
//!   7: ... ^ pin of 7                ^ pin of 8                             ^ ends 7's pin ^ its
//!   next one
//! ```
//!
//! Files go by numbers. **A file's samples stand behind a base**: all that its file held before
//! them but for rows, so that a replay computes state and rows from the log alone, whatever a
//! write-back that was cut short left in the file. The rules for a thread that writes here:
//!
//! 1. The first sample of a file since its last write-back is preceded by its base, in the same
//!    [`Lines`]. It is so even where that write-back is not durable yet.
//! 2. Lines are appended under the lock under which the sample was applied: the log has the samples
//!    of a file in the order in which they were taken. A refused sample leaves neither a line nor a
//!    change of the state.
//! 3. A file is written only with what [`Log::commit`] has made durable before: else its head could
//!    be newer than the log, and would pass for one that another program wrote.
//! 4. When a write-back is durable ([`Log::written`]), what was logged of the file before it is no
//!    longer needed, nor is the base: the bases that are needed hold the segments from theirs on.
//! 5. [`Lines::forget`] takes back the samples since the last base, and stands only where there are
//!    some.
//!
//! The log grows by segments up to its bound as long as the disk has room, and shrinks again. Where
//! there is none, [`Log::admit`] refuses updates before they are applied. Updates that were under
//! way then are not acknowledged; they may have been taken all the same.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use disk::Medium;
use journal::{
    Journal, JournalError, JournalOptions, LogDamage, LogPosition, RawRecord, RrdId, Start,
};
use tracing_mutex::stdsync::Mutex;

use super::lines::Lines;
use super::log_pins::{LogPin, LogPins};
use super::log_start;
use super::replay::Replay;

/// When an update is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acknowledge {
    /// When it is durable: neither a power cut nor the end of the process loses it.
    #[default]
    Durable,
    /// When the kernel has it: the end of the process loses nothing, a power cut what came since
    /// the last [`Log::commit`].
    Written,
}

/// How a log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// When an update is acknowledged.
    pub acknowledge: Acknowledge,
    /// How its segments are laid out.
    pub journal: JournalOptions,
}

impl Default for LogOptions {
    fn default() -> Self {
        let journal = JournalOptions {
            segment_bytes: 8 << 20,
            first_segment_bytes: usize::MAX, // the bounds count segments, which are of one size
            segments: SPARE_SEGMENTS,
            intervals_kept: 0,
            ..JournalOptions::default()
        };
        Self { acknowledge: Acknowledge::default(), journal }
    }
}

impl LogOptions {
    fn layout(&self) -> JournalOptions {
        let zeros = self.acknowledge == Acknowledge::Durable;
        // A full disk is no reason not to start: segments are made later, or when there is room.
        JournalOptions { zeros, segments: 0, ..self.journal }
    }
}

/// Segments that wait for use, so that no update waits until one is made.
const SPARE_SEGMENTS: usize = 2;
/// Free segments that the disk does not get back, so that the log does not shrink and grow in turn.
const KEPT_SEGMENTS: usize = 8;

/// The log of a file cache; threads share it.
#[derive(Debug)]
pub struct Log<M: Medium> {
    medium: Arc<M>,
    journal: Journal<Arc<M>>,
    acknowledge: Acknowledge,
    log_pins: Mutex<LogPins>,
    /// Where the log would begin if it were opened now.
    start: Mutex<LogPosition>,
    has_room: AtomicBool,
    segment_bytes: u64,
    /// Bytes that segments in use may take.
    bytes_max: u64,
    /// What they take, as it was when they were looked after last.
    used_bytes: AtomicU64,
    /// The position at which the log would begin; as `start`, for threads that must not wait.
    begins_at: AtomicU64,
    opened_at: LogPosition,
    /// The segment's worth of the log, counted from its beginning, in which spare segments were
    /// looked after last.
    looked_after: AtomicU64,
}

impl<M: Medium> Log<M> {
    /// Opens the log of a directory, makes it where there is none, and reads what it holds. No
    /// other file is touched.
    ///
    /// # Errors
    /// [`JournalError`]: it is damaged, or cannot be read.
    pub fn open(medium: M, options: LogOptions) -> Result<(Self, Replay), JournalError> {
        let medium = Arc::new(medium);
        let from = log_start::read(&*medium)?;
        let mut replay = Replay::new(from);
        let start = Start { from, keep_from: from };
        let journal = Journal::open(Arc::clone(&medium), options.layout(), start, |at, record| {
            replay.take(at, &record);
        })?;
        replay.end()?;
        Ok((Self::of(medium, journal, from, options, &replay), replay))
    }

    /// The same, but damaged records are given up, which the journal's damage names. The log is
    /// read from a position on; `see` is shown each record before it is taken.
    ///
    /// # Errors
    /// As [`Log::open`], but for damage.
    pub(super) fn salvage(
        medium: Arc<M>,
        options: LogOptions,
        from: LogPosition,
        mut see: impl FnMut(&Replay, LogPosition, &RawRecord<'_>),
    ) -> Result<(Self, Replay, Vec<LogDamage>), JournalError> {
        let mut replay = Replay::new(from);
        let start = Start { from, keep_from: from };
        let layout = options.layout();
        let journal = Journal::salvage(Arc::clone(&medium), layout, start, |at, record| {
            see(&replay, at, &record);
            replay.take(at, &record);
        })?;
        replay.end()?;
        let damage = journal.damage().to_vec();
        Ok((Self::of(medium, journal, from, options, &replay), replay, damage))
    }

    /// A log that was just read from a position on.
    fn of(
        medium: Arc<M>,
        journal: Journal<Arc<M>>,
        from: LogPosition,
        options: LogOptions,
        replay: &Replay,
    ) -> Self {
        assert!(options.journal.intervals_kept == 0, "what was written back is not needed again");
        let journal_end = journal.written();
        // On a full disk there is no room for it when it is needed; without one, it may wait.
        let has_start = log_start::ensure(&*medium, from).is_ok();
        let has_room = has_start && journal.ensure_free(options.journal.segments.max(1)).is_ok();
        let mut log_pins = LogPins::default();
        replay.files().for_each(|file| log_pins.add(file.log_pin));
        let log = Self {
            medium,
            journal,
            acknowledge: options.acknowledge,
            log_pins: Mutex::new(log_pins),
            start: Mutex::new(from),
            has_room: AtomicBool::new(has_room),
            segment_bytes: options.journal.segment_bytes as u64,
            bytes_max: u64::MAX,
            used_bytes: AtomicU64::new(0),
            begins_at: AtomicU64::new(from.0),
            opened_at: journal_end,
            looked_after: AtomicU64::new(0),
        };
        log.measure();
        log
    }

    /// The same log, which takes so many bytes at most, and four segments at least.
    #[must_use]
    pub fn limited(mut self, bytes_max: u64) -> Self {
        self.bytes_max = bytes_max.max(4 * self.segment_bytes);
        self
    }

    /// Bytes that it takes at most.
    pub fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    /// Bytes that what is needed of it takes.
    pub fn held_bytes(&self) -> u64 {
        let begin = self.begins_at.load(Ordering::Acquire);
        let records = self.journal.written().0.saturating_sub(begin);
        records.max(self.used_bytes.load(Ordering::Acquire))
    }

    /// Whether it takes all that it may take.
    pub fn is_full(&self) -> bool {
        self.held_bytes() >= self.bytes_max
    }

    /// Bytes of records that are written whole or not at all.
    pub fn record_bytes_max(&self) -> usize {
        self.journal.record_bytes_max()
    }

    /// The records of bases, by their pins; those that are not written yet are left out.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub(super) fn bases(
        &self,
        log_pins: &[LogPin],
    ) -> Result<BTreeMap<LogPin, Vec<u8>>, JournalError> {
        let found = self.journal.records_at(log_pins.iter().map(|log_pin| log_pin.0).collect())?;
        Ok(found.into_iter().map(|(position, record)| (LogPin(position), record)).collect())
    }

    /// All lines of some files from a base on, which is needed, and the position behind them. They
    /// are made durable first.
    ///
    /// # Errors
    /// [`JournalError`]: they cannot be made durable, or read.
    pub(super) fn lines_of(
        &self,
        files: &HashSet<RrdId>,
        from: LogPin,
    ) -> Result<(Replay, LogPosition), JournalError> {
        let mut lines = Replay::new(from.0);
        let through = self.further_lines_of(files, from.0, &mut lines)?;
        Ok((lines, through))
    }

    /// Takes the lines of these files that came from a position on. Returns the position behind
    /// them.
    ///
    /// # Errors
    /// As [`Log::lines_of`].
    pub(super) fn further_lines_of(
        &self,
        files: &HashSet<RrdId>,
        from: LogPosition,
        lines: &mut Replay,
    ) -> Result<LogPosition, JournalError> {
        let through = self.commit()?;
        self.journal.read_between(from, through, |at, record| {
            if files.contains(&record.rrd()) {
                lines.take(at, &record);
            }
        })?;
        lines.end()?;
        Ok(through)
    }

    /// Lets a base be needed once more.
    pub(super) fn hold(&self, log_pin: LogPin) {
        self.log_pins().add(log_pin);
    }

    /// Whether an update is acknowledged only once it is on disk.
    pub fn waits_for_disk(&self) -> bool {
        self.acknowledge == Acknowledge::Durable
    }

    /// Whether an update may be taken. Where the log had no room, it is asked for again.
    ///
    /// # Errors
    /// [`JournalError::Io`]: there is none; [`JournalError::Full`]: it takes all that it may.
    /// Nothing is to be applied, and the update is refused.
    pub fn admit(&self) -> Result<(), JournalError> {
        if self.is_full() {
            return Err(JournalError::Full { bytes_max: self.bytes_max });
        }
        if self.has_room.load(Ordering::Acquire) {
            return Ok(());
        }
        self.journal.ensure_free(1)?;
        self.write()?;
        self.has_room.store(true, Ordering::Release);
        Ok(())
    }

    /// Takes the lines of one file and leaves `lines` empty. Gives the pin of the base among
    /// them, which holds the log from there on until [`Log::written`] or [`Log::release`] is told.
    ///
    /// Nothing of it is acknowledged before [`Log::acknowledge`].
    ///
    /// # Errors
    /// [`JournalError::RecordTooLarge`]; then nothing is taken.
    pub fn append(&self, lines: &mut Lines) -> Result<Option<LogPin>, JournalError> {
        if !lines.has_base() {
            self.journal.append_records(lines.records())?;
            lines.clear();
            return Ok(None);
        }
        // Held meanwhile: else the log could be freed up to behind the base.
        let mut log_pins = self.log_pins();
        // A base without all of the samples behind it would hide those before it.
        let log_pin = LogPin(self.journal.append_together(lines.records())?);
        log_pins.add(log_pin);
        lines.clear();
        Ok(Some(log_pin))
    }

    /// Takes a copy of a file's lines, in place of all that it has before here. Gives the pin of
    /// its first base.
    ///
    /// A crash leaves all of it or nothing: where one frame does not hold it, its lines are marked,
    /// and count once the last one, which says so, is there too.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub(super) fn append_copy(
        &self,
        number: RrdId,
        lines: &mut Lines,
    ) -> Result<LogPin, JournalError> {
        if lines.bytes() > self.journal.record_bytes_max() {
            *lines = lines.marked_as_copy(number, self.journal.next());
        }
        Ok(self.append(lines)?.expect("a copy begins with a base"))
    }

    /// Makes all that was appended before as safe as was promised.
    ///
    /// # Errors
    /// [`JournalError::Io`]: what was appended may be lost, or turn out to be taken. It is written
    /// again before anything else.
    pub fn acknowledge(&self) -> Result<(), JournalError> {
        let written = match self.acknowledge {
            Acknowledge::Durable => self.journal.commit().map(drop),
            Acknowledge::Written => self.write(),
        };
        self.note(written)
    }

    /// Makes all that was appended before durable. Returns the position up to which it is.
    ///
    /// # Errors
    /// As [`Log::acknowledge`].
    pub fn commit(&self) -> Result<LogPosition, JournalError> {
        let committed = match self.acknowledge {
            Acknowledge::Durable => self.journal.commit(),
            // No thread that updates is to wait for the disk.
            Acknowledge::Written => self.journal.commit_beside(),
        };
        let position = committed.as_ref().ok().copied();
        self.note(committed.map(drop))?;
        Ok(position.expect("it was committed"))
    }

    /// As [`Log::commit`], for what was appended before a position; most often that is durable.
    ///
    /// # Errors
    /// As [`Log::acknowledge`].
    pub fn commit_before(&self, position: LogPosition) -> Result<(), JournalError> {
        match self.journal.durable() >= position {
            true => Ok(()),
            false => self.commit().map(drop),
        }
    }

    /// The position of the next line. Under the lock of a file: that behind all of its lines.
    pub fn position(&self) -> LogPosition {
        self.journal.next()
    }

    /// Tells that all lines of files before a position are in them, durably. Each comes with
    /// its number, the pin of its base, and the position that the log had when it was written back.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub fn written(
        &self,
        files: impl IntoIterator<Item = (RrdId, LogPin, LogPosition)>,
    ) -> Result<(), JournalError> {
        let (mut lines, mut over) = (Lines::default(), Vec::new());
        for (number, log_pin, through) in files {
            lines.written(number, through);
            over.push(log_pin);
        }
        if over.is_empty() {
            return Ok(());
        }
        self.journal.append_records(lines.records())?;
        let mut log_pins = self.log_pins();
        over.into_iter().for_each(|log_pin| log_pins.remove(log_pin));
        Ok(())
    }

    /// Gives up the pin of a base of which nothing is left to be written.
    pub fn release(&self, log_pin: LogPin) {
        self.log_pins().remove(log_pin);
    }

    /// Frees what is not needed, and sees to spare segments: for a thread that does so now and
    /// then.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub fn tend(&self) -> Result<(), JournalError> {
        let tended = self.free_and_prepare();
        // Segments that failed writes used up count, whatever else could not be done.
        self.measure();
        tended
    }

    fn free_and_prepare(&self) -> Result<(), JournalError> {
        self.free()?;
        if self.is_full() {
            return Ok(());
        }
        let spare = self.journal.ensure_free(SPARE_SEGMENTS);
        self.note(spare.map(drop))?;
        self.journal.keep_free(KEPT_SEGMENTS)?;
        Ok(())
    }

    fn measure(&self) {
        let (all, free) = self.journal.segments();
        self.used_bytes.store((all - free) as u64 * self.segment_bytes, Ordering::Release);
    }

    /// Whether [`Log::tend`] has something to do before its time: a further segment is in use.
    pub fn is_due(&self) -> bool {
        let now = self.journal.written().0 / self.segment_bytes;
        self.looked_after.swap(now, Ordering::Relaxed) != now
    }

    /// Segments on disk, and how many of them are free.
    pub fn segments(&self) -> (usize, usize) {
        self.journal.segments()
    }

    /// Bytes of lines that were written since it was opened, and how many segments they filled.
    pub fn written_since_opening(&self) -> (u64, u64) {
        let bytes = self.journal.written().0 - self.opened_at.0;
        (bytes, bytes / self.segment_bytes)
    }

    fn free(&self) -> Result<(), JournalError> {
        let mut start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
        let durable = self.journal.durable();
        // Asked after that: a base appended meanwhile lies behind it.
        let needed = self.log_pins().lowest().map_or(durable, |log_pin| log_pin.min(durable));
        if needed <= *start || !self.journal.would_free(needed) {
            return Ok(());
        }
        // Before any segment is used again: opening must not look for what was there.
        log_start::write(&*self.medium, needed)?;
        *start = needed;
        self.begins_at.store(needed.0, Ordering::Release);
        self.journal.free_before(needed);
        self.measure();
        Ok(())
    }

    fn write(&self) -> Result<(), JournalError> {
        self.journal.write_pending().map(drop)
    }

    fn note(&self, written: Result<(), JournalError>) -> Result<(), JournalError> {
        if written.is_err() {
            self.has_room.store(false, Ordering::Release);
        }
        written
    }

    fn log_pins(&self) -> tracing_mutex::stdsync::MutexGuard<'_, LogPins> {
        self.log_pins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
