//! Where the log has the records of a group: found at opening, read again when the group is needed.

use disk::Medium;
use journal::{
    JournalError, LogPosition, PieceReader, RawRecord, RecordPlace, piece_fault, split_record,
};
use varint::{Cursor, put_varint};

/// Bytes of a piece that are read at once: what a group gets with a few batches.
const READ_BYTES: usize = 256 << 10;
/// Bytes of others between two pieces that are read along rather than passed over.
const PASSED_BYTES_MAX: usize = 2 << 10;

/// Records of one group, in runs that lie side by side on disk.
///
/// A run takes about five bytes: how far it lies behind the one before, in its file and in the log,
/// and how long it is.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// Runs that are complete. Each begins with twice the distance from the end of the one before
    /// in the same file, or with twice the file's number and one, and the place there.
    told: Vec<u8>,
    /// How many of them there are.
    count: usize,
    /// Where the last of them ends.
    last: Option<RunEnd>,
    /// The run that grows.
    open: Option<Run>,
    /// Bytes of records.
    bytes: u64,
    digest: Digest,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    place: RecordPlace,
    at: LogPosition,
    bytes: u32,
}

#[derive(Clone, Copy, Debug)]
struct RunEnd {
    place: RecordPlace,
    at: LogPosition,
}

impl Run {
    fn end(&self) -> RunEnd {
        let RecordPlace { segment, offset_bytes } = self.place;
        let place = RecordPlace { segment, offset_bytes: offset_bytes + self.bytes };
        RunEnd { place, at: self.at.advance(self.bytes as usize) }
    }
}

impl Pieces {
    /// Adds a record that follows all others.
    pub(super) fn push(&mut self, at: LogPosition, place: RecordPlace, record: &RawRecord<'_>) {
        self.digest.add(record.bytes());
        let length = record.bytes().len();
        let bytes = (length + varint_bytes(length)) as u32;
        self.bytes += u64::from(bytes);
        match &mut self.open {
            Some(run) if run.end().place == place => run.bytes += bytes,
            _ => {
                self.close();
                self.open = Some(Run { place, at, bytes });
            }
        }
    }

    /// Bytes of records.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn close(&mut self) {
        let Some(run) = self.open.take() else { return };
        let last = self.last.unwrap_or(RunEnd { place: run.place, at: LogPosition(0) });
        let is_same_file = self.last.is_some() && last.place.segment == run.place.segment;
        if is_same_file {
            let distance = run.place.offset_bytes - last.place.offset_bytes;
            put_varint(u64::from(distance) << 1, &mut self.told);
        } else {
            put_varint(u64::from(run.place.segment) << 1 | 1, &mut self.told);
            put_varint(u64::from(run.place.offset_bytes), &mut self.told);
        }
        put_varint(run.at.0 - last.at.0, &mut self.told);
        put_varint(u64::from(run.bytes), &mut self.told);
        self.last = Some(run.end());
        self.count += 1;
    }

    /// Reads all records and hands them over in their order.
    ///
    /// # Errors
    /// [`JournalError::Damaged`]: they are not those that were read at opening;
    /// [`JournalError::Io`]; those of `take`.
    pub(super) fn read<M: Medium, E: From<JournalError>>(
        mut self,
        medium: &M,
        mut take: impl FnMut(LogPosition, RawRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.close();
        let runs = Runs::of(&self);
        let mut reader = PieceReader::new(medium);
        let mut digest = Digest::default();
        let mut buffer = Vec::new();
        let mut together: Vec<Run> = Vec::new();
        let mut read = |together: &mut Vec<Run>| -> Result<(), E> {
            let (Some(first), Some(last)) = (together.first(), together.last()) else {
                return Ok(());
            };
            let start = first.place.offset_bytes;
            buffer.resize((last.end().place.offset_bytes - start) as usize, 0);
            reader.read(first.place, &mut buffer)?;
            for run in together.drain(..) {
                let from = (run.place.offset_bytes - start) as usize;
                let mut rest = &buffer[from..from + run.bytes as usize];
                while let Some((record, behind)) = split_record(rest) {
                    let at = run.end().at.0 - rest.len() as u64;
                    digest.add(record);
                    let parsed = RawRecord::parse(record);
                    take(LogPosition(at), parsed.map_err(|_| piece_fault(run.place))?)?;
                    rest = behind;
                }
            }
            Ok(())
        };
        let mut place = RecordPlace { segment: 0, offset_bytes: 0 };
        for run in runs {
            if !together.last().is_none_or(|last| are_read_together(&together[0], last, &run)) {
                read(&mut together)?;
            }
            place = run.place;
            together.push(run);
        }
        read(&mut together)?;
        if digest == self.digest { Ok(()) } else { Err(piece_fault(place).into()) }
    }
}

fn are_read_together(first: &Run, last: &Run, next: &Run) -> bool {
    let (start, end) = (first.place, last.end().place);
    start.segment == next.place.segment
        && next.place.offset_bytes >= end.offset_bytes
        && (next.place.offset_bytes - end.offset_bytes) as usize <= PASSED_BYTES_MAX
        && (next.end().place.offset_bytes - start.offset_bytes) as usize <= READ_BYTES
}

/// Runs as they were told.
struct Runs<'a> {
    cursor: Cursor<'a>,
    left: usize,
    last: RunEnd,
}

impl<'a> Runs<'a> {
    fn of(pieces: &'a Pieces) -> Self {
        let place = RecordPlace { segment: 0, offset_bytes: 0 };
        let last = RunEnd { place, at: LogPosition(0) };
        Self { cursor: Cursor::new(&pieces.told), left: pieces.count, last }
    }

    fn number(&mut self) -> u64 {
        self.cursor.varint("a number").expect("it was put there")
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        self.left = self.left.checked_sub(1)?;
        let first = self.number();
        let place = match first & 1 {
            0 => {
                let offset_bytes = self.last.place.offset_bytes + (first >> 1) as u32;
                RecordPlace { offset_bytes, ..self.last.place }
            }
            _ => {
                let offset_bytes = self.number() as u32;
                RecordPlace { segment: (first >> 1) as u32, offset_bytes }
            }
        };
        let at = LogPosition(self.last.at.0 + self.number());
        let run = Run { place, at, bytes: self.number() as u32 };
        self.last = run.end();
        Some(run)
    }
}

fn varint_bytes(number: usize) -> usize {
    (usize::BITS - number.leading_zeros()).div_ceil(7).max(1) as usize
}

/// A number that follows from all bytes of records: they were found whole at opening, and are the
/// same when they are read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, record: &[u8]) {
        let (words, rest) = record.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        words.chain([u64::from_le_bytes(last)]).for_each(|word| self.mix(word));
        self.mix(record.len() as u64);
    }

    fn mix(&mut self, word: u64) {
        // An odd number of which half the bits are set; a power of two would lose the high ones.
        const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}
