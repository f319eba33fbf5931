//! Errors in a datagram, with their place.

use std::fmt;

/// The bytes are not an SNMP message that we accept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset_bytes}: expected {expected}, found {found}")]
pub struct DecodeError {
    /// Position in the datagram, from 0.
    pub offset_bytes: usize,
    /// What the format requires there.
    pub expected: &'static str,
    /// What was found there.
    pub found: Found,
}

/// What was found. It needs no allocation, so that a flood of invalid datagrams is cheap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The bytes end here.
    End,
    /// A BER tag.
    Tag(u8),
    /// A length, in bytes.
    LengthBytes(usize),
    /// A length octet that starts an indefinite or an absurd form.
    LengthForm(u8),
    /// A number out of range.
    Number(i64),
    /// A number too long for its type, by its number of significant bytes.
    NumberOfBytes(usize),
    /// An invalid object identifier, by the octet with the error.
    Octet(u8),
    /// More elements than the limit.
    Count(usize),
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::End => write!(f, "the end"),
            Found::Tag(tag) => write!(f, "tag 0x{tag:02x}"),
            Found::LengthBytes(length) => write!(f, "a length of {length} bytes"),
            Found::LengthForm(octet) => write!(f, "length octet 0x{octet:02x}"),
            Found::Number(number) => write!(f, "the number {number}"),
            Found::NumberOfBytes(bytes) => write!(f, "a number of {bytes} bytes"),
            Found::Octet(octet) => write!(f, "octet 0x{octet:02x}"),
            Found::Count(count) => write!(f, "{count} elements"),
        }
    }
}
