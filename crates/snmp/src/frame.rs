//! Messages that follow one another on a connection (RFC 3430): the length of BER says where one
//! ends.

use crate::error::{DecodeError, Found};
use crate::reader::{Reader, tag};

/// The most bytes of a message that a connection may bring, as of a datagram.
pub const MESSAGE_BYTES_MAX: usize = 65_535;

/// The most bytes before the contents: the tag, and a length with padding.
const HEAD_BYTES_MAX: usize = 10;

/// The bytes of the message at the start of what a connection has brought; `None` if its head is
/// not there yet.
///
/// # Errors
///
/// No message begins so, or one longer than [`MESSAGE_BYTES_MAX`].
pub fn message_bytes(brought: &[u8]) -> Result<Option<usize>, DecodeError> {
    let head = brought.get(..HEAD_BYTES_MAX).unwrap_or(brought);
    let Some(first) = head.first() else { return Ok(None) };
    if *first != tag::SEQUENCE {
        let (expected, found) = ("an SNMP message", Found::Tag(*first));
        return Err(DecodeError { offset_bytes: 0, expected, found });
    }
    let length = match Reader::at(head.get(1..).unwrap_or_default(), 1).contents_bytes() {
        Ok(length) => length,
        Err(DecodeError { found: Found::End, .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let head_bytes = length.head_bytes + 1;
    match length.contents_bytes.checked_add(head_bytes) {
        Some(bytes) if bytes <= MESSAGE_BYTES_MAX => Ok(Some(bytes)),
        _ => Err(DecodeError {
            offset_bytes: 1,
            expected: "a message of at most 65535 bytes",
            found: Found::LengthBytes(length.contents_bytes),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(brought: &[u8]) -> String {
        message_bytes(brought).unwrap_err().to_string()
    }

    #[test]
    fn a_message_ends_where_its_length_says() {
        assert_eq!(message_bytes(&[0x30, 0x03, 1, 2]), Ok(Some(5)));
        assert_eq!(message_bytes(&[0x30, 0x82, 0x01, 0x00, 7]), Ok(Some(260)));
        // Padded by an agent.
        assert_eq!(message_bytes(&[0x30, 0x84, 0, 0, 0, 9]), Ok(Some(15)));
        let whole = [0x30, 0x82, 0xff, 0xfb];
        assert_eq!(message_bytes(&whole), Ok(Some(65_535)));
        for cut in 0..4 {
            assert_eq!(message_bytes(&whole[..cut]), Ok(None), "{cut}");
        }
    }

    #[test]
    fn what_is_no_message_is_named() {
        assert_eq!(words(b"GET /"), "at byte 0: expected an SNMP message, found tag 0x47");
        let endless = "at byte 2: expected a definite length, found length octet 0x80";
        assert_eq!(words(&[0x30, 0x80, 0, 0]), endless);
        let long = "at byte 1: expected a message of at most 65535 bytes, found a length of 65532 \
                    bytes";
        assert_eq!(words(&[0x30, 0x82, 0xff, 0xfc]), long);
        assert!(words(&[0x30, 0x88, 255, 255, 255, 255, 255, 255, 255, 255]).contains("65535"));
    }
}
