//! The sizes of a file's structures on a machine, and the offsets of their fields.

use crate::FormatError;
use crate::architecture::{Architecture, ByteOrder};
use crate::bytes::array;
use crate::layout::{NAME_FIELD_BYTES, VERSION_OFFSET};

/// Bytes of a union of a count and a value; most structures have ten of them.
pub(super) const WORD_BYTES: usize = 8;
const WORDS: usize = 10;
/// Bytes of a reading's text.
pub(super) const READING_BYTES: usize = 30;

/// The sizes of a file's structures on a machine, and the offsets of their fields, as a C compiler
/// determines them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) architecture: Architecture,
    pub(super) cookie_at: usize,
    pub(super) counts_at: usize,
    pub(super) head_words_at: usize,
    pub(super) head_bytes: usize,
    pub(super) rows_at: usize,
    pub(super) archive_words_at: usize,
    pub(super) archive_bytes: usize,
    pub(super) micros_at: usize,
    live_head_bytes: usize,
    pub(super) scratch_at: usize,
    pub(super) pdp_prep_bytes: usize,
}

/// Numbers of sources and archives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub(super) sources: u64,
    pub(super) archives: u64,
}

pub(super) const SOURCE_BYTES: usize = 2 * NAME_FIELD_BYTES + WORDS * WORD_BYTES;
pub(super) const CDP_PREP_BYTES: usize = WORDS * WORD_BYTES;

impl Shape {
    pub(super) fn of(architecture: Architecture) -> Self {
        let Architecture { long_bytes, time_bytes, alignment_max, .. } = architecture;
        let aligned = |offset: usize, size: usize| offset.next_multiple_of(size.min(alignment_max));
        // Magic and version come first, then the cookie.
        let cookie_at = aligned(9, WORD_BYTES);
        let counts_at = aligned(cookie_at + WORD_BYTES, long_bytes);
        let head_words_at = aligned(counts_at + 3 * long_bytes, WORD_BYTES);
        let rows_at = aligned(NAME_FIELD_BYTES, long_bytes);
        let archive_words_at = aligned(rows_at + 2 * long_bytes, WORD_BYTES);
        let micros_at = aligned(time_bytes, long_bytes);
        let scratch_at = aligned(READING_BYTES, WORD_BYTES);
        Self {
            architecture,
            cookie_at,
            counts_at,
            head_words_at,
            head_bytes: head_words_at + WORDS * WORD_BYTES,
            rows_at,
            archive_words_at,
            archive_bytes: archive_words_at + WORDS * WORD_BYTES,
            micros_at,
            live_head_bytes: aligned(micros_at + long_bytes, time_bytes.max(long_bytes)),
            scratch_at,
            pdp_prep_bytes: scratch_at + WORDS * WORD_BYTES,
        }
    }

    /// Versions before 0003 have no microseconds.
    pub(super) fn live_head_bytes(&self, has_micros: bool) -> usize {
        if has_micros { self.live_head_bytes } else { self.architecture.time_bytes }
    }

    /// The head of `file` must have been checked.
    pub(super) fn counts(&self, file: &[u8]) -> Counts {
        let long_bytes = self.architecture.long_bytes;
        Counts {
            sources: self.read_long(file, self.counts_at),
            archives: self.read_long(file, self.counts_at + long_bytes),
        }
    }

    /// The parts of a header: name, number and size of its structures.
    fn parts(&self, counts: Counts, has_micros: bool) -> [(&'static str, u64, usize); 7] {
        let Counts { sources, archives } = counts;
        [
            ("stat_head", 1, self.head_bytes),
            ("ds_def", sources, SOURCE_BYTES),
            ("rra_def", archives, self.archive_bytes),
            ("live_head", 1, self.live_head_bytes(has_micros)),
            ("pdp_prep", sources, self.pdp_prep_bytes),
            ("cdp_prep", sources.saturating_mul(archives), CDP_PREP_BYTES),
            ("rra_ptr", archives, self.architecture.long_bytes),
        ]
    }

    /// Bytes of a header.
    pub(super) fn header_bytes_of(&self, counts: Counts, has_micros: bool) -> u64 {
        let parts = self.parts(counts, has_micros).into_iter();
        parts
            .map(|(_, count, bytes)| count.saturating_mul(bytes as u64))
            .fold(0, u64::saturating_add)
    }

    /// Bytes of a file's header.
    ///
    /// # Errors
    /// The file ends within it.
    pub(super) fn header_bytes(&self, file: &[u8]) -> Result<u64, FormatError> {
        let (mut offset_bytes, found_bytes) = (0_u64, file.len() as u64);
        for (part, count, bytes) in self.parts(self.counts(file), has_micros(file)) {
            let expected_bytes = offset_bytes.saturating_add(count.saturating_mul(bytes as u64));
            if expected_bytes > found_bytes {
                return Err(FormatError::HeaderEnds {
                    part,
                    offset_bytes,
                    expected_bytes,
                    found_bytes,
                });
            }
            offset_bytes = expected_bytes;
        }
        Ok(offset_bytes)
    }

    pub(super) fn header_fits(&self, file: &[u8]) -> bool {
        let Counts { sources, archives } = self.counts(file);
        sources > 0 && archives > 0 && self.header_bytes(file).is_ok()
    }

    /// Bytes of the header and the rows.
    ///
    /// # Errors
    /// The file ends before.
    pub(super) fn file_bytes(&self, file: &[u8]) -> Result<u64, FormatError> {
        let header_bytes = self.header_bytes(file)?;
        let Counts { sources, archives } = self.counts(file);
        let first = self.head_bytes + sources as usize * SOURCE_BYTES + self.rows_at;
        let rows = (0..archives as usize)
            .map(|archive| self.read_long(file, first + archive * self.archive_bytes))
            .fold(0, u64::saturating_add);
        let values = rows.saturating_mul(sources).saturating_mul(WORD_BYTES as u64);
        let (expected_bytes, found_bytes) =
            (header_bytes.saturating_add(values), file.len() as u64);
        match expected_bytes <= found_bytes {
            true => Ok(expected_bytes),
            false => Err(FormatError::RowsEnd { expected_bytes, found_bytes }),
        }
    }

    /// Whether the live state, read in this shape, is valid: microseconds, texts of readings, and
    /// rows within their archives.
    #[expect(clippy::indexing_slicing, reason = "the header fits the file")]
    pub(super) fn live_state_makes_sense(&self, file: &[u8]) -> bool {
        if !self.header_fits(file) {
            return false;
        }
        let Counts { sources, archives } = self.counts(file);
        let (sources, archives) = (sources as usize, archives as usize);
        let has_micros = has_micros(file);
        let archives_at = self.head_bytes + sources * SOURCE_BYTES;
        let live_at = archives_at + archives * self.archive_bytes;
        let readings_at = live_at + self.live_head_bytes(has_micros);
        let cells_at = readings_at + sources * self.pdp_prep_bytes;
        let pointers_at = cells_at + sources * archives * CDP_PREP_BYTES;
        let micros_fit = !has_micros || self.read_long(file, live_at + self.micros_at) < 1_000_000;
        let is_text = |source: usize| {
            let text = &file[readings_at + source * self.pdp_prep_bytes..][..READING_BYTES];
            let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
            !text.is_empty() && text.iter().all(u8::is_ascii_graphic)
        };
        let is_row = |archive: usize| {
            let rows_at = archives_at + archive * self.archive_bytes + self.rows_at;
            let pointer_at = pointers_at + archive * self.architecture.long_bytes;
            self.read_long(file, pointer_at) < self.read_long(file, rows_at)
        };
        micros_fit && (0..sources).all(is_text) && (0..archives).all(is_row)
    }

    pub(super) fn read_long(&self, file: &[u8], offset: usize) -> u64 {
        match self.architecture.long_bytes {
            4 => u64::from(self.read_half(file, offset)),
            _ => self.read_word(file, offset),
        }
    }

    /// Seconds since 1970.
    pub(super) fn read_time(&self, file: &[u8], offset: usize) -> u64 {
        match self.architecture.time_bytes {
            4 => i64::from(self.read_half(file, offset).cast_signed()).cast_unsigned(),
            _ => self.read_word(file, offset),
        }
    }

    pub(super) fn read_word(&self, file: &[u8], offset: usize) -> u64 {
        match self.architecture.order {
            ByteOrder::Little => u64::from_le_bytes(array(file, offset)),
            ByteOrder::Big => u64::from_be_bytes(array(file, offset)),
        }
    }

    fn read_half(&self, file: &[u8], offset: usize) -> u32 {
        match self.architecture.order {
            ByteOrder::Little => u32::from_le_bytes(array(file, offset)),
            ByteOrder::Big => u32::from_be_bytes(array(file, offset)),
        }
    }
}

/// Whether a file's version has microseconds. Its head must have been checked.
pub(super) fn has_micros(file: &[u8]) -> bool {
    file.get(VERSION_OFFSET + 3).is_some_and(|version| *version >= b'3')
}
