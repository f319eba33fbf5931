//! Where the log has the records of a group: found at opening, read again when the group is needed.

use disk::Medium;
use journal::{
    JournalError, LogPosition, PieceReader, RawRecord, RecordPlace, after_length, piece_fault,
    split_record,
};

use super::runs::{Digest, Run, Runs, TellRuns};

/// Bytes of a piece that are read at once: what a group gets with a few batches.
const READ_BYTES: usize = 256 << 10;
/// Bytes of others between two pieces that are read along rather than passed over.
const PASSED_BYTES_MAX: usize = 2 << 10;

/// Records of one group, in runs that lie side by side on disk.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    told: TellRuns,
    /// The run that grows.
    open: Option<Run>,
    /// Bytes of records.
    bytes: u64,
}

impl Pieces {
    /// Adds a record that follows all others.
    pub(super) fn push(&mut self, at: LogPosition, place: RecordPlace, record: &RawRecord<'_>) {
        let bytes = after_length(record.bytes().len()) as u32;
        self.bytes += u64::from(bytes);
        let run = match &mut self.open {
            Some(run) if run.end_place() == place => run,
            open => {
                if let Some(run) = open.take() {
                    self.told.push(run);
                }
                open.insert(Run { place, at, bytes: 0, digest: Digest::default() })
            }
        };
        run.bytes += bytes;
        run.digest.add(record.bytes());
    }

    /// Adds a run that follows all others.
    pub(super) fn push_run(&mut self, run: Run) {
        let told = self.complete();
        told.push(run);
        self.bytes += u64::from(run.bytes);
    }

    /// Bytes of records.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All runs.
    pub(super) fn complete(&mut self) -> &mut TellRuns {
        if let Some(run) = self.open.take() {
            self.told.push(run);
        }
        &mut self.told
    }

    /// Reads all records and hands those from a position on over, in their order.
    ///
    /// # Errors
    /// [`JournalError::Damaged`]: they are not those that were read at opening;
    /// [`JournalError::Io`]; those of `take`.
    pub(super) fn read<M: Medium, E: From<JournalError>>(
        mut self,
        medium: &M,
        from: LogPosition,
        mut take: impl FnMut(LogPosition, RawRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut reading = Reading { reader: PieceReader::new(medium), from, buffer: Vec::new() };
        let mut together: Vec<Run> = Vec::new();
        for run in Runs::of(self.complete()) {
            if !together.last().is_none_or(|last| are_read_together(&together[0], last, &run)) {
                reading.read(&together, &mut take)?;
                together.clear();
            }
            together.push(run);
        }
        reading.read(&together, &mut take)
    }
}

fn are_read_together(first: &Run, last: &Run, next: &Run) -> bool {
    let (start, end) = (first.place, last.end_place());
    start.segment == next.place.segment
        && next.place.offset_bytes >= end.offset_bytes
        && (next.place.offset_bytes - end.offset_bytes) as usize <= PASSED_BYTES_MAX
        && (next.end_place().offset_bytes - start.offset_bytes) as usize <= READ_BYTES
}

/// Runs that are being read.
struct Reading<'m, M: Medium> {
    reader: PieceReader<'m, M>,
    from: LogPosition,
    buffer: Vec<u8>,
}

impl<M: Medium> Reading<'_, M> {
    /// Reads runs that lie near one another.
    fn read<E: From<JournalError>>(
        &mut self,
        together: &[Run],
        take: &mut impl FnMut(LogPosition, RawRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (Some(first), Some(last)) = (together.first(), together.last()) else { return Ok(()) };
        let start = first.place.offset_bytes;
        self.buffer.resize((last.end_place().offset_bytes - start) as usize, 0);
        self.reader.read(first.place, &mut self.buffer)?;
        for run in together {
            let from = (run.place.offset_bytes - start) as usize;
            let bytes = &self.buffer[from..from + run.bytes as usize];
            if records_of(bytes).fold(Digest::default(), Digest::with) != run.digest {
                return Err(piece_fault(run.place).into());
            }
            let mut at = run.at;
            for record in records_of(bytes) {
                let parsed = RawRecord::parse(record).map_err(|_| piece_fault(run.place))?;
                if at >= self.from {
                    take(at, parsed)?;
                }
                at = at.advance(after_length(record.len()));
            }
        }
        Ok(())
    }
}

fn records_of(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (record, rest) = split_record(bytes)?;
        bytes = rest;
        Some(record)
    })
}
