//! A message in a datagram.

use super::header::{Header, Parsed};
use super::scoped::ScopedView;
use crate::error::{DecodeError, Found};
use crate::reader::{Reader, tag};
use crate::usm::{LocalKeys, MAC_BYTES_MAX, Nonce, SALT_BYTES, SecurityLevel};
use std::borrow::Cow;
use std::fmt;

const VERSION: i32 = 3;

/// A message in a datagram: its structure is validated, what is encrypted is not.
#[derive(Clone, Copy)]
pub struct View<'a> {
    header: Header<'a>,
    mac: Reader<'a>,
    salt: Reader<'a>,
    body: Body<'a>,
    /// The message without what may follow it in the datagram.
    whole: &'a [u8],
}

#[derive(Clone, Copy)]
enum Body<'a> {
    Plain(Reader<'a>),
    Encrypted(Reader<'a>),
}

/// A scoped PDU in the clear, and where it was in the datagram.
pub struct Text<'a> {
    bytes: Cow<'a, [u8]>,
    offset_bytes: usize,
}

impl<'a> View<'a> {
    /// Validates the structure of a datagram, up to what is encrypted.
    pub fn parse(datagram: &'a [u8]) -> Result<View<'a>, DecodeError> {
        let (mut message, whole) = body(datagram)?;
        let Parsed { header, mac, salt } = Parsed::parse(&mut message)?;
        let inside = message;
        let element = message.element("a scoped PDU")?;
        let is_encrypted = header.level == SecurityLevel::Encrypted;
        let body = match (element.tag, is_encrypted) {
            (tag::SEQUENCE, false) => Body::Plain(inside),
            (tag::OCTET_STRING, true) => Body::Encrypted(element.contents),
            (other, _) => {
                let (offset_bytes, found) = (element.offset_bytes, Found::Tag(other));
                let expected =
                    if is_encrypted { "an encrypted PDU" } else { "a scoped PDU in the clear" };
                return Err(DecodeError { offset_bytes, expected, found });
            }
        };
        message.end("the end of the message")?;
        Ok(View { header, mac, salt, body, whole })
    }

    /// What the message says of itself; true only if it is authentic.
    pub fn header(&self) -> Header<'a> {
        self.header
    }

    /// Whether the message was made by someone who has these keys, and is as it was made. The time
    /// that this takes does not tell how far a forged MAC is right.
    pub fn is_authentic(&self, keys: &LocalKeys) -> bool {
        const ZEROS: [u8; MAC_BYTES_MAX] = [0; MAC_BYTES_MAX];
        let (Some(authenticator), mac) = (&keys.authenticator, self.mac.bytes()) else {
            return false;
        };
        let start = self.mac.offset_bytes();
        let before = self.whole.get(..start);
        let behind = self.whole.get(start + mac.len()..);
        match (before, ZEROS.get(..mac.len()), behind) {
            (Some(before), Some(zeros), Some(behind)) => {
                authenticator.verify(&[before, zeros, behind], mac)
            }
            _ => false,
        }
    }

    /// The scoped PDU in the clear. What a forger encrypted decrypts to anything: check
    /// [`Self::is_authentic`] first.
    pub fn open(&self, keys: &LocalKeys) -> Result<Text<'a>, DecodeError> {
        let encrypted = match self.body {
            Body::Plain(text) => {
                let offset_bytes = text.offset_bytes();
                return Ok(Text { bytes: text.bytes().into(), offset_bytes });
            }
            Body::Encrypted(encrypted) => encrypted,
        };
        let length = Found::LengthBytes(encrypted.bytes().len());
        let Some(cipher) = &keys.cipher else {
            return Err(encrypted.fail("a PDU that is not encrypted", length));
        };
        if !encrypted.bytes().len().is_multiple_of(cipher.block_bytes()) {
            return Err(encrypted.fail("whole encrypted blocks", length));
        }
        let Ok(salt) = <[u8; SALT_BYTES]>::try_from(self.salt.bytes()) else {
            let found = Found::LengthBytes(self.salt.bytes().len());
            return Err(self.salt.fail("a salt of 8 octets", found));
        };
        let mut bytes = encrypted.bytes().to_vec();
        let Header { boots, time, .. } = self.header;
        cipher.decrypt(Nonce { boots, time, salt }, &mut bytes);
        let offset_bytes = encrypted.offset_bytes();
        Ok(Text { bytes: bytes.into(), offset_bytes })
    }

    /// The salt, for a test that seals the message again.
    pub fn salt(&self) -> &'a [u8] {
        self.salt.bytes()
    }
}

impl Text<'_> {
    /// The PDU and its context. Offsets in errors are those of the datagram.
    pub fn scoped(&self) -> Result<ScopedView<'_>, DecodeError> {
        ScopedView::parse(Reader::at(&self.bytes, self.offset_bytes))
    }
}

/// The message id of a datagram, for an event loop that must find its session. The rest of the
/// datagram is not validated.
pub fn peek_message_id(datagram: &[u8]) -> Result<i32, DecodeError> {
    let (mut message, _) = body(datagram)?;
    message.expect(tag::SEQUENCE, "the header data")?.integer("the message id")
}

/// The message behind its version, and all of its bytes.
fn body(datagram: &[u8]) -> Result<(Reader<'_>, &[u8]), DecodeError> {
    let mut rest = Reader::new(datagram);
    let mut message = rest.expect(tag::SEQUENCE, "an SNMP message")?;
    let whole = datagram.get(..rest.offset_bytes()).unwrap_or(datagram);
    let offset_bytes = message.offset_bytes();
    let version = message.integer("the version")?;
    if version != VERSION {
        let found = Found::Number(version.into());
        return Err(DecodeError { offset_bytes, expected: "version 3", found });
    }
    Ok((message, whole))
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({:?})", self.header)
    }
}
