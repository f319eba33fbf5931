//! Translates files of other machines.

use std::borrow::Cow;

use super::fields::{Field, Kind, each};
use super::shape::{Shape, has_micros};
use crate::architecture::{Architecture, ByteOrder};
use crate::bytes::{array, write, write_count};
use crate::layout::VERSION_OFFSET;
use crate::{FormatError, Header};

/// A file as this machine would have written it.
#[derive(Clone, Debug)]
pub struct Native<'a> {
    /// The bytes; those of the file itself if no translation is needed.
    pub bytes: Cow<'a, [u8]>,
    /// The machine that wrote the file.
    pub architecture: Architecture,
    file: &'a [u8],
    keeps_version: bool,
}

/// Translates a file of any architecture to a native one of the same version.
///
/// # Errors
///
/// [`FormatError`]: it is not an `.rrd` file, or is incomplete.
pub fn to_native(file: &[u8]) -> Result<Native<'_>, FormatError> {
    native(file, true)
}

/// Translates a file of any architecture to a native one of version 0003 or later. rrdtool does the
/// same with older files when it rewrites them.
///
/// # Errors
///
/// [`FormatError`]: it is not an `.rrd` file, or is incomplete.
pub fn to_current(file: &[u8]) -> Result<Native<'_>, FormatError> {
    native(file, false)
}

fn native(file: &[u8], keeps_version: bool) -> Result<Native<'_>, FormatError> {
    let architecture = Architecture::of(file)?;
    let is_same = architecture == Architecture::NATIVE && (keeps_version || has_micros(file));
    let bytes = match is_same {
        true => Cow::Borrowed(file),
        false => Cow::Owned(translate(file, Shape::of(architecture), keeps_version)?),
    };
    Ok(Native { bytes, architecture, file, keeps_version })
}

impl Native<'_> {
    /// Decodes the header.
    ///
    /// # Errors
    ///
    /// [`FormatError`], with the offset in the original file.
    pub fn header(&self) -> Result<Header, FormatError> {
        Header::decode(&self.bytes, self.bytes.len() as u64).map_err(|mut error| {
            if let (Some(offset_bytes), Cow::Owned(_)) = (error.offset_bytes_mut(), &self.bytes) {
                *offset_bytes = self.offset_in_file(*offset_bytes);
            }
            error
        })
    }

    /// The offset in the original file of a field of the native header.
    fn offset_in_file(&self, offset_bytes: u64) -> u64 {
        let mut found = offset_bytes;
        let (from, to) = (Shape::of(self.architecture), Shape::of(Architecture::NATIVE));
        each(self.file, from, to, self.keeps_version, |field| {
            if field.to as u64 <= offset_bytes {
                // For an offset within a text: the same distance from its start.
                found = field.from as u64
                    + match field.kind {
                        Kind::Bytes(_) => offset_bytes - field.to as u64,
                        _ => 0,
                    };
            }
        });
        found
    }
}

#[expect(clippy::indexing_slicing, reason = "its size was checked")]
fn translate(file: &[u8], from: Shape, keeps_version: bool) -> Result<Vec<u8>, FormatError> {
    let to = Shape::of(Architecture::NATIVE);
    let header_bytes = from.header_bytes(file)? as usize;
    let file_bytes = from.file_bytes(file)? as usize;
    let has_micros = has_micros(file) || !keeps_version;
    let size = to.header_bytes_of(from.counts(file), has_micros) as usize;
    let mut bytes = Vec::with_capacity(size + file.len() - header_bytes);
    bytes.resize(size, 0);
    each(file, from, to, keeps_version, |field| copy(file, &from, &mut bytes, field));
    if !self::has_micros(file) && !keeps_version {
        write(&mut bytes, VERSION_OFFSET, b"0003");
    }
    let (rows, trailing) = file[header_bytes..].split_at(file_bytes - header_bytes);
    match from.architecture.order {
        ByteOrder::Little => bytes.extend_from_slice(rows),
        ByteOrder::Big => {
            for value in rows.as_chunks().0 {
                bytes.extend_from_slice(&u64::from_be_bytes(*value).to_le_bytes());
            }
        }
    }
    bytes.extend_from_slice(trailing);
    Ok(bytes)
}

/// Copies a field of `file` to its place in `bytes`, a native header.
#[expect(clippy::indexing_slicing, reason = "the header that the field lies in was checked")]
fn copy(file: &[u8], shape: &Shape, bytes: &mut [u8], Field { kind, from, to }: Field) {
    match kind {
        Kind::Bytes(count) => write(bytes, to, &file[from..from + count]),
        Kind::Long | Kind::Count => write_count(bytes, to, shape.read_long(file, from)),
        Kind::Time => write_count(bytes, to, shape.read_time(file, from)),
        Kind::Value => write_count(bytes, to, shape.read_word(file, from)),
        Kind::Steps => {
            let mut steps: [u8; 8] = array(file, from);
            if shape.architecture.order == ByteOrder::Big {
                steps[2..4].reverse();
                steps[6..8].reverse();
            }
            write(bytes, to, &steps);
        }
    }
}
