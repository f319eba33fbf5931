//! Records of one file, copied from the log.

use journal::{JournalError, RawRecord, split_record};

use super::step::Step;

/// Records of one file, each after its length, as they stand in the log.
#[derive(Debug, Default)]
pub(super) struct KeptRecords {
    bytes: Vec<u8>,
    /// Whether the file counts as absent.
    pub(super) counts: bool,
}

impl KeptRecords {
    /// No records yet, of a file that counts as absent.
    pub(super) fn of_absent_file() -> Self {
        Self { bytes: Vec::new(), counts: true }
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// What the log has of the file, oldest first.
    ///
    /// # Errors
    /// A record is whole, but none that this version writes.
    pub(super) fn steps(&self) -> impl Iterator<Item = Result<Step<'_>, JournalError>> {
        self.records().map(step_of)
    }

    /// The records without their lengths.
    pub(super) fn records(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (record, behind) = split_record(rest)?;
            rest = behind;
            Some(record)
        })
    }
}

/// What a record of a file says.
fn step_of(record: &[u8]) -> Result<Step<'_>, JournalError> {
    let step = RawRecord::parse(record).and_then(|record| Step::of(&record));
    step.map_err(|error| JournalError::undecodable(Default::default(), error))
}
