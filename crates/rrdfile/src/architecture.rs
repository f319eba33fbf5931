//! A kind of machine, as far as the layout of its C structures tells it from others.

use std::fmt;

/// The order of a number's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

/// The properties of a machine that determine the layout of its C structures.
///
/// `Display` describes it for people: `32-bit little-endian (i386)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// The byte order of integers and floating point numbers.
    pub order: ByteOrder,
    /// Bytes of a `long`, the type of counts: 4 or 8.
    pub long_bytes: usize,
    /// Bytes of a `time_t`: 4 or 8.
    pub time_bytes: usize,
    /// The largest alignment of fields, in bytes: 2, 4 or 8.
    pub alignment_max: usize,
}

impl Architecture {
    /// 64-bit little-endian machines, whose files are read and updated without translation.
    pub const NATIVE: Self =
        Self { order: ByteOrder::Little, long_bytes: 8, time_bytes: 8, alignment_max: 8 };
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.order {
            ByteOrder::Little => "little-endian",
            ByteOrder::Big => "big-endian",
        };
        write!(f, "{}-bit {order}", self.long_bytes * 8)?;
        if self.long_bytes == 4 {
            write!(f, " of {}-bit times", self.time_bytes * 8)?;
            write!(f, " and fields aligned to {}", self.alignment_max)?;
        }
        Ok(())
    }
}
