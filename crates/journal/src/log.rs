//! The journal as its users see it: append, commit, free.
#![expect(
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "broken state of our own asserts"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use disk::Medium;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::chain::LogRead;
use super::damage::Leniency;
use super::outline::{self, LeftSegment};
use super::pieces::{LogPiece, RecordPlace};
use super::raw::{RawRecord, RecordHead};
use super::read_end::ReadEnd;
use super::records::Records;
use super::recover::{self, Recovered};
use super::seen::SeenSegments;
use super::tail::{Batch, Tail};
use super::writer::{SyncBeside, SyncWhen, Writer};
use super::{JournalError, JournalOptions, LogDamage, LogPosition, Start};

/// The journal. Threads may share it: the thread that commits writes for all that wait.
///
/// No clock decides about a sync: a record is durable when a commit has returned a position
/// beyond it.
#[derive(Debug)]
pub struct Journal<M: Medium> {
    // A thread that needs both takes the writer first.
    writer: Mutex<Writer<M>>,
    tail: Mutex<Tail>,
    record_bytes_max: usize,
    /// The writer's word that a segment was begun.
    has_begun: Arc<AtomicBool>,
    damage: Vec<LogDamage>,
    read: LogRead,
    /// Where it was opened to be read, and what lies before the position is not needed.
    read_end: Mutex<Option<(ReadEnd, LogPosition)>>,
}

impl<M: Medium> Journal<M> {
    /// Opens the journal of a directory, makes it where there is none, and hands every record
    /// from `start.from` on to `visit`, in order. All of them are durable once this returns. One
    /// that does not decode is for the caller to report ([`JournalError::undecodable`]).
    ///
    /// # Errors
    /// [`JournalError::Damaged`] where acknowledged records from `start.from` on are damaged;
    /// [`JournalError::Missing`]; [`JournalError::Io`]. What `visit` was given is then to be
    /// forgotten.
    pub fn open(
        medium: M,
        options: JournalOptions,
        start: Start,
        visit: impl FnMut(LogPosition, RawRecord<'_>),
    ) -> Result<Self, JournalError> {
        Self::open_placed(medium, options, start, Leniency::Strict, without_place(visit))
    }

    /// As [`Journal::open`], but acknowledged records that are damaged are given up;
    /// [`Journal::damage`] names them.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub fn salvage(
        medium: M,
        options: JournalOptions,
        start: Start,
        visit: impl FnMut(LogPosition, RawRecord<'_>),
    ) -> Result<Self, JournalError> {
        Self::open_placed(medium, options, start, Leniency::GiveUp, without_place(visit))
    }

    /// As [`Journal::open`] or, with [`Leniency::GiveUp`], [`Journal::salvage`]. `visit` is told
    /// where each record stands, so that it can be read again as long as it is not freed
    /// ([`PieceReader`](super::PieceReader)).
    ///
    /// # Errors
    /// As [`Journal::open`] and [`Journal::salvage`].
    pub fn open_placed(
        medium: M,
        options: JournalOptions,
        start: Start,
        leniency: Leniency,
        visit: impl FnMut(LogPiece<'_>),
    ) -> Result<Self, JournalError> {
        let seen = SeenSegments::of(&medium, &options)?;
        Self::open_seen(medium, options, start, (leniency, seen), visit)
    }

    /// The same where the segments were looked at before.
    ///
    /// # Errors
    /// As [`Journal::open_placed`].
    pub fn open_seen(
        medium: M,
        options: JournalOptions,
        start: Start,
        (leniency, seen): (Leniency, SeenSegments<M::File>),
        visit: impl FnMut(LogPiece<'_>),
    ) -> Result<Self, JournalError> {
        options.assert_valid();
        assert!(start.keep_from <= start.from, "the fallback lies before the checkpoint");
        let recovered = recover::open(medium, options, start, (leniency, seen), visit)?;
        Ok(Self::of(recovered, start, options))
    }

    /// As [`Journal::open_placed`], to read the records alone: nothing is mended, and of segments that
    /// hold none of them little is read. Before what is returned is written to, it is to [go
    /// on](Self::go_on).
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn read(
        medium: M,
        options: JournalOptions,
        start: Start,
        visit: impl FnMut(LogPiece<'_>),
    ) -> Result<Self, JournalError> {
        options.assert_valid();
        Ok(Self::of(recover::read(medium, options, start, visit)?, start, options))
    }

    fn of(recovered: Recovered<M>, start: Start, options: JournalOptions) -> Self {
        let Recovered { writer, end, damage, read, read_end } = recovered;
        let record_bytes_max = options.payload_bytes_max();
        let tail = Tail::new(end, record_bytes_max);
        let has_begun = Arc::clone(&writer.has_begun);
        let (writer, tail) = (Mutex::new(writer), Mutex::new(tail));
        let read_end = Mutex::new(read_end.map(|end| (end, start.keep_from)));
        Self { writer, tail, record_bytes_max, has_begun, damage, read, read_end }
    }

    /// Has a log that was opened to be read go on: makes its end durable, so that it can be written
    /// to. Returns whether it can be; else it has to be opened, which mends it.
    ///
    /// # Errors
    /// [`JournalError::Io`]. The log must not be written to.
    pub fn go_on(&self) -> Result<bool, JournalError> {
        let end = self.read_end.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((end, keep_from)) = end else { return Ok(false) };
        self.writer().go_on(end, keep_from).map(|()| true)
    }

    /// How much of the log was read at opening.
    #[must_use]
    pub fn read_at_opening(&self) -> LogRead {
        self.read
    }

    /// Damage that was met at opening and passed over.
    #[must_use]
    pub fn damage(&self) -> &[LogDamage] {
        &self.damage
    }

    /// Makes everything durable and notes that the log ends here, in order, and that nothing of it
    /// is needed: damage of any of it is no loss then. A later commit takes the note back.
    ///
    /// # Errors
    /// As [`Journal::commit`].
    pub fn end(&self) -> Result<(), JournalError> {
        self.commit()?;
        self.writer().note_end()
    }

    /// Bytes of the largest record that is taken, with its length.
    #[must_use]
    pub fn record_bytes_max(&self) -> usize {
        self.record_bytes_max
    }

    /// Takes a record, its head and what `put_body` appends, which is durable after the next
    /// successful commit. Returns its position.
    ///
    /// # Errors
    /// [`JournalError::RecordTooLarge`].
    pub fn append(
        &self,
        head: RecordHead,
        put_body: impl FnOnce(&mut Vec<u8>),
    ) -> Result<LogPosition, JournalError> {
        self.tail().push(|out| {
            head.put(out);
            put_body(out);
        })
    }

    /// Takes records that lie encoded, all of them under one lock, and leaves `records` empty.
    /// Returns the position of the first.
    ///
    /// # Errors
    /// [`JournalError::RecordTooLarge`]; then none is taken.
    pub fn append_records(&self, records: &mut Records) -> Result<LogPosition, JournalError> {
        let position = self.tail().extend(records)?;
        records.clear();
        Ok(position)
    }

    /// As [`Journal::append_records`]; a crash leaves all of these records or none, where they fit
    /// a segment together.
    ///
    /// # Errors
    /// As [`Journal::append_records`].
    pub fn append_together(&self, records: &mut Records) -> Result<LogPosition, JournalError> {
        let position = self.tail().extend_together(records)?;
        records.clear();
        Ok(position)
    }

    /// Reads the records that stand at some positions; those that are not written yet, or that were
    /// freed, are left out. Others append and commit meanwhile.
    ///
    /// # Errors
    /// [`JournalError::Io`].
    pub fn records_at(
        &self,
        mut positions: Vec<LogPosition>,
    ) -> Result<BTreeMap<LogPosition, Vec<u8>>, JournalError> {
        positions.sort_unstable();
        let mut found = BTreeMap::new();
        while let Some(first) = positions.first().copied() {
            let Some(page) = self.writer().used_segment(first)? else {
                positions.remove(0);
                continue;
            };
            let of_segment = positions.partition_point(|position| page.holds(*position));
            page.read(&positions[..of_segment], &mut found)?;
            positions.drain(..of_segment.max(1));
        }
        Ok(found)
    }

    /// Reads the records from one position up to another, which is durable. None of them was freed.
    /// Others append and commit meanwhile.
    ///
    /// # Errors
    /// [`JournalError::Io`]; [`JournalError::Damaged`], [`JournalError::Missing`]: some of them are
    /// not there.
    pub fn read_between(
        &self,
        from: LogPosition,
        through: LogPosition,
        mut visit: impl FnMut(LogPosition, RawRecord<'_>),
    ) -> Result<(), JournalError> {
        assert!(through <= self.durable(), "what is not durable may not be written");
        let mut reached = from;
        while reached < through {
            let writer = self.writer();
            let segment = writer.used_segment(reached)?.ok_or_else(|| writer.missing(reached))?;
            drop(writer);
            let end = segment.read_between(reached, through, &mut visit)?;
            if end <= reached {
                return Err(segment.cut_at(reached));
            }
            reached = end;
        }
        Ok(())
    }

    /// The segments in use that were left, oldest first.
    #[must_use]
    pub fn left_segments(&self) -> Vec<LeftSegment> {
        self.writer().left_segments()
    }

    /// Puts down what `tell` tells of a segment that was left, once it was handed all its records,
    /// so that the next opening need not read them. Nothing is put down where it tells nothing, or
    /// the segment was used again meanwhile. Others append and commit meanwhile.
    ///
    /// # Errors
    /// [`JournalError::Io`]. The segment is read by the next opening.
    pub fn put_outline<T: Default>(
        &self,
        left: &LeftSegment,
        mut see: impl FnMut(&mut T, LogPosition, RecordPlace, RawRecord<'_>),
        tell: impl FnOnce(T) -> Option<Vec<u8>>,
    ) -> Result<(), JournalError> {
        let (medium, segment) = {
            let writer = self.writer();
            (Arc::clone(&writer.medium), writer.used_segment(left.first)?)
        };
        let mut seen = T::default();
        let Some(segment) = segment else { return Ok(()) };
        let whole =
            segment.read_left(left, |at, place, record| see(&mut seen, at, place, record))?;
        match (whole, tell(seen)) {
            (Some(frame_crc), Some(told)) => outline::put(&*medium, left, frame_crc, &told),
            _ => Ok(()),
        }
    }

    /// Makes everything durable that was appended before, with one write and one sync. Returns the
    /// position up to which all is durable.
    ///
    /// # Errors
    /// [`JournalError::Io`]. The records stay pending, and the next commit writes them into a fresh
    /// segment. They may turn out to be durable nevertheless.
    pub fn commit(&self) -> Result<LogPosition, JournalError> {
        let wanted = self.tail().next();
        self.commit_up_to(wanted)
    }

    /// As [`Journal::commit`], for what lies before `wanted` at least.
    ///
    /// # Errors
    /// As [`Journal::commit`].
    pub fn commit_up_to(&self, wanted: LogPosition) -> Result<LogPosition, JournalError> {
        self.write_until(wanted, SyncWhen::Now, Tail::durable)
    }

    /// Hands everything to the kernel that was appended before, and does not wait for the disk.
    /// Returns the position up to which all is written.
    ///
    /// What is written survives the end of the process. In a power cut what lies between
    /// [`Journal::durable`] and here is lost, or any end of it. About a segment's worth waits so at
    /// most: leaving a segment syncs it.
    ///
    /// # Errors
    /// As [`Journal::commit`]; then all that was not durable is written again.
    pub fn write_pending(&self) -> Result<LogPosition, JournalError> {
        let wanted = self.tail().next();
        self.write_until(wanted, SyncWhen::Later, Tail::written)
    }

    /// As [`Journal::commit`], but others write meanwhile ([`Journal::write_pending`]) and do not
    /// wait for the disk. Worth it where few ask for it: each call syncs.
    ///
    /// # Errors
    /// As [`Journal::commit`].
    pub fn commit_beside(&self) -> Result<LogPosition, JournalError> {
        let wanted = self.next();
        if self.durable() >= wanted {
            return Ok(wanted);
        }
        self.write_pending()?;
        let begun = self.writer().begin_sync()?;
        if let Some(sync) = begun {
            self.end_sync(&sync, sync.wait())?;
        }
        // Nothing is left to do, unless the segment was left meanwhile and that failed.
        self.commit_up_to(wanted)
    }

    fn end_sync(
        &self,
        sync: &SyncBeside<M>,
        synced: Result<(), JournalError>,
    ) -> Result<(), JournalError> {
        let mut writer = self.writer();
        match synced {
            Ok(()) => {
                writer.end_sync(sync);
                self.tail().durable_up_to(writer.durable);
                Ok(())
            }
            Err(error) => {
                let Some(batch) = writer.fail_sync(sync) else { return Ok(()) };
                let promised = self.written();
                self.tail().put_back(batch);
                self.write_promised_again(&mut writer, promised);
                Err(error)
            }
        }
    }

    fn write_until(
        &self,
        wanted: LogPosition,
        sync: SyncWhen,
        reached: impl Fn(&Tail) -> LogPosition,
    ) -> Result<LogPosition, JournalError> {
        assert!(wanted <= self.next(), "nothing was appended there yet");
        let mut writer = self.writer();
        loop {
            let (position, promised) = {
                let tail = self.tail();
                (reached(&tail), tail.written())
            };
            // The thread that had the writer before may have written for this one, too.
            if position >= wanted {
                return Ok(position);
            }
            let written = self.write_some(&mut writer, |writer, batch| writer.write(batch, sync));
            if let Err(error) = written {
                self.write_promised_again(&mut writer, promised);
                let position = reached(&self.tail());
                return if position >= wanted { Ok(position) } else { Err(error) };
            }
        }
    }

    /// After a sync that failed: hands to the kernel again what was written up to `promised`, which
    /// it may have dropped. Else the end of the process would take it, although it was promised to
    /// survive that. Where this fails too, only memory has it until the next write.
    fn write_promised_again(&self, writer: &mut Writer<M>, promised: LogPosition) {
        if self.written() < promised {
            // The caller is told of the failure before this one, and the next write tells of
            // this.
            let _ = self.write_some(writer, Writer::write_insistently);
        }
    }

    /// Writes what one frame holds of what waits. What could not be written waits again.
    fn write_some(
        &self,
        writer: &mut Writer<M>,
        write: impl FnOnce(&mut Writer<M>, &mut Batch) -> Result<(), JournalError>,
    ) -> Result<(), JournalError> {
        let mut batch = self.tail().take(std::mem::take(&mut writer.room));
        // Others append meanwhile.
        let written = write(writer, &mut batch);
        let mut tail = self.tail();
        match written {
            Ok(()) => {
                tail.written_up_to(batch.end(), writer.durable);
                writer.room = batch.bytes;
            }
            Err(_) => tail.put_back(batch),
        }
        written
    }

    /// Frees what lies before the checkpoint at `position`, but for the intervals that the options
    /// keep. Returns how many segments became free. A position before that of an earlier call
    /// frees nothing.
    pub fn free_before(&self, position: LogPosition) -> usize {
        assert!(position <= self.durable(), "a checkpoint covers only what is durable");
        self.writer().free_before(position)
    }

    /// Whether [`Journal::free_before`] would free a segment, if no interval is kept.
    pub fn would_free(&self, position: LogPosition) -> bool {
        self.writer().would_free(position)
    }

    /// Gives the disk back what free segments take, but for so many of them. Returns how many were
    /// removed.
    ///
    /// # Errors
    /// [`JournalError::Io`]. The segment that could not be removed is free as before.
    pub fn keep_free(&self, segments: usize) -> Result<usize, JournalError> {
        self.writer().keep_free(segments)
    }

    /// Makes segments until so many are free, so that no commit has to make one. Returns how many
    /// it made.
    ///
    /// Others append and commit meanwhile: a segment is made beside the log and then joins it.
    ///
    /// # Errors
    /// [`JournalError::Io`]. The log is as it was.
    pub fn ensure_free(&self, segments: usize) -> Result<usize, JournalError> {
        let mut made = 0;
        loop {
            let Some(site) = self.writer().begin_segment(segments) else { return Ok(made) };
            let file = site.build();
            self.writer().join_segment(site.slot, file)?;
            made += 1;
        }
    }

    /// Whether a segment was begun since this was asked last: [`Journal::ensure_free`] may have
    /// work.
    pub fn take_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed) && self.has_begun.swap(false, Ordering::Relaxed)
    }

    /// Reads all that is kept of the log again and checks it. Nothing is written meanwhile. Returns
    /// the bytes read.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] for the first damage, and [`JournalError::Io`].
    pub fn verify(&self) -> Result<u64, JournalError> {
        self.writer().verify()
    }

    /// The position up to which all is durable.
    #[must_use]
    pub fn durable(&self) -> LogPosition {
        self.tail().durable()
    }

    /// The position up to which all is written, durable or not.
    #[must_use]
    pub fn written(&self) -> LogPosition {
        self.tail().written()
    }

    /// The position of the next record.
    #[must_use]
    pub fn next(&self) -> LogPosition {
        let tail = self.tail();
        // What a commit is writing right now lies before the tail's first record.
        tail.next()
    }

    /// Bytes of records that wait for a commit.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.tail().pending_bytes()
    }

    /// Segments on disk, and how many of them are free.
    #[must_use]
    pub fn segments(&self) -> (usize, usize) {
        self.writer().segments()
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().expect("a thread panicked and left the tail in doubt")
    }

    fn writer(&self) -> MutexGuard<'_, Writer<M>> {
        self.writer.lock().expect("a thread panicked and left the segments in doubt")
    }
}

fn without_place(mut visit: impl FnMut(LogPosition, RawRecord<'_>)) -> impl FnMut(LogPiece<'_>) {
    move |piece| match piece {
        LogPiece::Record(at, _, record) => visit(at, record),
        LogPiece::Outline(_, _, is_enough) => *is_enough = false,
    }
}
