//! Which kind of machine wrote a file.

use super::shape::Shape;
use crate::architecture::{Architecture, ByteOrder};
use crate::bytes::{array, read_text};
use crate::error::FormatError;
use crate::layout::{FLOAT_COOKIE, VERSION_BYTES, VERSION_OFFSET};

/// The possible offsets of the float cookie, each with the alignment that it follows from.
const COOKIE_PLACES: [(usize, usize); 3] = [(16, 8), (12, 4), (10, 2)];
/// The shortest possible head of a file: that of a 32-bit machine with an alignment of 2 bytes.
pub(super) const HEAD_BYTES_MIN: usize = 110;

impl Architecture {
    /// The machine that wrote a file, given as a whole.
    ///
    /// # Errors
    ///
    /// It is not an `.rrd` file of a known version, or no known machine writes such a file.
    pub fn of(file: &[u8]) -> Result<Self, FormatError> {
        let (order, alignment_max) = check_head(file)?;
        let wide = Self { order, long_bytes: 8, time_bytes: 8, alignment_max };
        let narrow = Self { long_bytes: 4, time_bytes: 4, ..wide };
        let is_wide = alignment_max == 8 && !has_narrow_counts(file, order);
        // A damaged native file may seem to have narrow counts; but then they do not match the size
        // of the file.
        let is_damaged = wide == Self::NATIVE && !Shape::of(narrow).header_fits(file);
        if is_wide || is_damaged {
            return Ok(wide);
        }
        // 32-bit systems are changing to 64-bit times. A file shows which one it has only by its
        // size, and by whether the values after the time make sense.
        let late = Self { time_bytes: 8, ..narrow };
        let rank = |candidate: &Self| {
            let shape = Shape::of(*candidate);
            let is_exact = shape.file_bytes(file).is_ok_and(|bytes| bytes == file.len() as u64);
            (shape.live_state_makes_sense(file), is_exact)
        };
        Ok(if rank(&late) > rank(&narrow) { late } else { narrow })
    }

    /// Whether a file with these first bytes is certainly not native, but perhaps known to
    /// [`Architecture::of`]: a quick check for callers that have not read more of the file.
    #[must_use]
    pub fn is_foreign(prefix: &[u8]) -> bool {
        let Ok((order, alignment)) = check_head(prefix) else { return false };
        order != ByteOrder::Little || alignment != 8 || has_narrow_counts(prefix, order)
    }
}

/// Byte order and alignment, from the float cookie.
fn check_head(file: &[u8]) -> Result<(ByteOrder, usize), FormatError> {
    if file.len() < HEAD_BYTES_MIN {
        return Err(FormatError::HeaderEnds {
            part: "stat_head",
            offset_bytes: 0,
            expected_bytes: HEAD_BYTES_MIN as u64,
            found_bytes: file.len() as u64,
        });
    }
    if !file.starts_with(b"RRD\0") {
        return Err(FormatError::Magic(array(file, 0)));
    }
    let found = COOKIE_PLACES.iter().find_map(|(offset, alignment)| match array(file, *offset) {
        bytes if bytes == FLOAT_COOKIE.to_le_bytes() => Some((ByteOrder::Little, *alignment)),
        bytes if bytes == FLOAT_COOKIE.to_be_bytes() => Some((ByteOrder::Big, *alignment)),
        _ => None,
    });
    let found = found.ok_or_else(|| FormatError::Architecture(array(file, 16)))?;
    let version = read_text(file, VERSION_OFFSET, VERSION_BYTES);
    match version.parse() {
        Ok(1_u32..=5) if version.len() == 4 => Ok(found),
        _ => Err(FormatError::Version(version.into_owned())),
    }
}

/// Whether the counts after a cookie at byte 16 have 4 bytes. The upper half of a wide count is
/// zero; a narrow count in its place is not.
fn has_narrow_counts(file: &[u8], order: ByteOrder) -> bool {
    let upper_half: [u8; 4] = match order {
        ByteOrder::Little => array(file, 28),
        ByteOrder::Big => array(file, 24),
    };
    upper_half != [0; 4]
}
