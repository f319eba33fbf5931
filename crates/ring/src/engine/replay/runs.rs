//! Runs of records that lie side by side, told in few bytes.

use journal::{LogPosition, RecordPlace};
use varint::{Cursor, RecordError, put_varint};

/// Records of one group that lie side by side on disk and in the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) place: RecordPlace,
    pub(super) at: LogPosition,
    pub(super) bytes: u32,
    /// Of its records.
    pub(super) digest: Digest,
}

impl Run {
    /// Where the record behind it would stand.
    pub(super) fn end_place(&self) -> RecordPlace {
        let RecordPlace { segment, offset_bytes } = self.place;
        RecordPlace { segment, offset_bytes: offset_bytes + self.bytes }
    }

    pub(super) fn end(&self) -> LogPosition {
        self.at.advance(self.bytes as usize)
    }
}

/// Runs, one behind the other.
///
/// Each is told in about nine bytes. First comes, as a varint, twice the distance from the end of
/// the one before in the same file; or twice the number of another file and one, and the place
/// there. Then varints: how far it lies behind the one before in the log, and its bytes. Last, its
/// digest.
#[derive(Debug, Default)]
pub(super) struct TellRuns {
    bytes: Vec<u8>,
    last: Option<Run>,
}

impl TellRuns {
    pub(super) fn push(&mut self, run: Run) {
        let last = self.last.filter(|last| last.place.segment == run.place.segment);
        match last {
            Some(last) => {
                let distance = run.place.offset_bytes - last.end_place().offset_bytes;
                put_varint(u64::from(distance) << 1, &mut self.bytes);
            }
            None => {
                put_varint(u64::from(run.place.segment) << 1 | 1, &mut self.bytes);
                put_varint(u64::from(run.place.offset_bytes), &mut self.bytes);
            }
        }
        let before = self.last.map_or(LogPosition(0), |last| last.end());
        put_varint(run.at.0 - before.0, &mut self.bytes);
        put_varint(u64::from(run.bytes), &mut self.bytes);
        self.bytes.extend_from_slice(&run.digest.told().to_le_bytes());
        self.last = Some(run);
    }

    /// All that was told.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Runs as they were told.
pub(super) struct Runs<'a> {
    cursor: Cursor<'a>,
    last: Option<Run>,
}

impl<'a> Runs<'a> {
    pub(super) fn of(told: &'a TellRuns) -> impl Iterator<Item = Run> + 'a {
        let mut runs = Self::from_bytes(&told.bytes);
        std::iter::from_fn(move || runs.next_run().expect("it was told here"))
    }

    pub(super) fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { cursor: Cursor::new(bytes), last: None }
    }

    /// The next one.
    ///
    /// # Errors
    /// What stands there is none.
    pub(super) fn next_run(&mut self) -> Result<Option<Run>, RecordError> {
        if self.cursor.rest().is_empty() {
            return Ok(None);
        }
        let first = self.cursor.varint("a distance or a file")?;
        let place = match (first & 1, self.last) {
            (0, Some(last)) => {
                let RecordPlace { segment, offset_bytes } = last.end_place();
                RecordPlace {
                    segment,
                    offset_bytes: offset_bytes.wrapping_add((first >> 1) as u32),
                }
            }
            (0, None) => return Err(self.cursor.error("a file before a distance")),
            _ => {
                let offset_bytes = self.cursor.varint_u32("a place")?;
                RecordPlace { segment: (first >> 1) as u32, offset_bytes }
            }
        };
        let before = self.last.map_or(LogPosition(0), |last| last.end());
        let at = LogPosition(before.0.wrapping_add(self.cursor.varint("a position")?));
        let bytes = self.cursor.varint_u32("bytes")?;
        let digest = *self.cursor.take(4, "a digest")?.first_chunk().expect("it has four bytes");
        let digest = Digest::of_told(u32::from_le_bytes(digest));
        let run = Run { place, at, bytes, digest };
        self.last = Some(run);
        Ok(Some(run))
    }
}

/// A number that follows from all bytes of records. They were whole when the log was read, or when
/// a segment was left, and are the same when they are read again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Digest(u64);

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.told() == other.told()
    }
}

impl Digest {
    /// One that was told. Nothing is added to it.
    fn of_told(told: u32) -> Self {
        Self(u64::from(told) << 32)
    }

    fn told(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn with(mut self, record: &[u8]) -> Self {
        self.add(record);
        self
    }

    pub(super) fn add(&mut self, record: &[u8]) {
        let (words, rest) = record.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        words.chain([u64::from_le_bytes(last)]).for_each(|word| self.mix(word));
        self.mix(record.len() as u64);
    }

    fn mix(&mut self, word: u64) {
        // Half of its bits are set, and it is odd: every bit of a word reaches the high half.
        const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(segment: u32, offset_bytes: u32, at: u64, bytes: u32) -> Run {
        let digest = Digest::default().with(&at.to_le_bytes());
        let place = RecordPlace { segment, offset_bytes };
        Run { place, at: LogPosition(at), bytes, digest }
    }

    #[test]
    fn runs_are_told_and_read_again() {
        let runs = [run(3, 4124, 77, 20), run(3, 5000, 200, 1), run(0, 4124, 201, 9_000_000)];
        let mut told = TellRuns::default();
        runs.iter().for_each(|run| told.push(*run));
        let read: Vec<Run> = Runs::of(&told).collect();
        assert_eq!(
            format!("{:?}", read.iter().map(|run| run.place).collect::<Vec<_>>()),
            format!("{:?}", runs.iter().map(|run| run.place).collect::<Vec<_>>())
        );
        for (read, run) in read.iter().zip(&runs) {
            assert_eq!((read.at, read.bytes), (run.at, run.bytes));
            assert_eq!(read.digest, run.digest);
        }
        assert!(Runs::from_bytes(&told.bytes()[1..]).next_run().is_err());
    }

    #[test]
    fn each_bit_of_a_record_counts() {
        let record: Vec<u8> = (0..29).collect();
        let digest = Digest::default().with(&record);
        for bit in 0..8 * record.len() {
            let mut other = record.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Digest::default().with(&other), digest, "bit {bit}");
        }
    }
}
