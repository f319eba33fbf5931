//! The segments of a log, looked at before it is known from where on the log is needed.

use std::collections::BTreeMap;

use disk::{Medium, MediumFile};

use super::look::Looked;
use super::segment::{SegmentFile, Slot};
use super::writer::Writer;
use super::{JournalError, JournalOptions};

/// The files of segments.
pub(super) type Files<F> = BTreeMap<Slot, F>;

/// The segments of a log, open, and what each of them is. That does not depend on where the log is
/// read from, so that it can be found out while that is.
pub struct SeenSegments<F> {
    files: BTreeMap<Slot, SegmentFile<F>>,
    looked: Looked,
}

impl<F: MediumFile> SeenSegments<F> {
    /// Opens the file of every segment of a directory, and looks what it is. Nobody may write to
    /// them until the journal is opened.
    ///
    /// # Errors
    /// [`JournalError::Io`]; [`JournalError::Damaged`]: one is of another layout.
    pub fn of<M: Medium<File = F>>(
        medium: &M,
        options: &JournalOptions,
    ) -> Result<Self, JournalError> {
        options.assert_valid();
        Self::look_at(open_all(medium)?, options)
    }

    /// Looks what some segments are.
    #[expect(clippy::indexing_slicing, reason = "it was just looked at")]
    pub(super) fn look_at(files: Files<F>, options: &JournalOptions) -> Result<Self, JournalError> {
        let (mut looked, mut seen) = (Looked::default(), BTreeMap::new());
        let mut bytes = Vec::new();
        for (slot, file) in files {
            looked.look(&file, slot, options, &mut bytes)?;
            let bytes = looked.there[&slot];
            seen.insert(slot, SegmentFile { file, bytes });
        }
        looked.found.sort_by_key(|each| each.segment.sequence);
        Ok(Self { files: seen, looked })
    }
}

impl<M: Medium> Writer<M> {
    /// Takes over the files of segments that were looked at.
    pub(super) fn take_seen(&mut self, seen: SeenSegments<M::File>) -> Looked {
        self.files.extend(seen.files);
        seen.looked
    }
}

/// Opens the file of every segment.
pub(super) fn open_all<M: Medium>(medium: &M) -> Result<Files<M::File>, JournalError> {
    let directory = "the journal's directory";
    let names = medium.list().map_err(JournalError::io("listing", directory))?;
    let slots = names.iter().filter_map(|name| Slot::of(name));
    let open = |slot: Slot| {
        let file = medium.open(&slot.name()).map_err(slot.io("opening"))?;
        // Most of a segment is not looked at: the kernel shall not read it ahead.
        file.advise_random().map_err(slot.io("advising"))?;
        Ok((slot, file))
    };
    slots.map(open).collect()
}

impl<F> std::fmt::Debug for SeenSegments<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeenSegments").field("segments", &self.files.len()).finish_non_exhaustive()
    }
}
