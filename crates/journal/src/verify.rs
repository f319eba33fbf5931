//! The log on disk, read again and checked from its first record to its last.

use disk::Medium;

use super::chain::{Chain, Found};
use super::damage::Leniency;
use super::read_ahead::for_each_segment;
use super::told::Outlines;
use super::writer::Writer;
use super::{JournalError, JournalOptions};

impl<M: Medium> Writer<M> {
    /// Reads all that is kept of the log. Returns the bytes read.
    ///
    /// # Errors
    /// [`JournalError::Damaged`] for the first damage, and [`JournalError::Io`].
    #[expect(clippy::indexing_slicing, reason = "there is a segment, or it returned")]
    pub(super) fn verify(&self) -> Result<u64, JournalError> {
        let Some(oldest) = self.live.front() else { return Ok(0) };
        let found: Vec<Found> = self
            .live
            .iter()
            .map(|segment| {
                let offset_bytes = self.options.block_bytes;
                Found { segment: *segment, offset_bytes, frame_crc: 0 }
            })
            .collect();
        let block_bytes = self.options.block_bytes;
        let mut chain = Chain::new(&found[0], block_bytes, oldest.first, Leniency::Strict, |_| ());
        let options = JournalOptions { read_ahead: false, ..self.options };
        let mut bytes_read = 0;
        for_each_segment(&self.files, &found, (&options, &Outlines::new()), |each, bytes| {
            bytes_read += bytes.len() as u64;
            if options.check_format(bytes).is_err() {
                return Err(each.segment.slot.damaged(
                    0,
                    "the format of a journal",
                    "something else",
                ));
            }
            chain.follow(each, bytes)
        })?;
        if chain.end < self.durable {
            let (slot, offset_bytes) = chain.place();
            let (expected, found) = (self.durable, chain.end);
            let expected = format!("records up to position {expected}");
            return Err(slot.damaged(offset_bytes, expected, format!("an end at {found}")));
        }
        Ok(bytes_read)
    }
}
