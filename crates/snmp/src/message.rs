//! A whole message: version, community, PDU.
//!
//! ```text
//! 30 len
//!    02 01 version            0 is v1, 1 is v2c
//!    04 len community
//!    PDU
//! ```

use crate::error::{DecodeError, Found};
use crate::pdu::{Bindings, Operation, Pdu, PduView};
use crate::reader::{Reader, tag};
use crate::writer::Writer;
use std::fmt;
use std::sync::Arc;

/// A protocol version with communities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// SNMPv1 (RFC 1157): no 64-bit counters, no GETBULK.
    V1,
    /// SNMPv2c (RFC 1901).
    V2c,
}

/// The shared secret of v1 and v2c. It is sent in clear text, but must not appear in our logs:
/// neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Community(Arc<[u8]>);

/// An owned, valid message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// v1 or v2c.
    pub version: Version,
    /// The community.
    pub community: Community,
    /// The request or response.
    pub pdu: Pdu,
}

/// A message in a datagram: its head is validated, its bindings are parsed when they are read.
#[derive(Clone, Copy)]
pub struct MessageView<'a> {
    version: Version,
    community: &'a [u8],
    pdu: PduView<'a>,
}

impl Message {
    /// Parses and validates a datagram. Bytes after the message are ignored, because some agents
    /// pad.
    pub fn decode(datagram: &[u8]) -> Result<Message, DecodeError> {
        MessageView::parse(datagram)?.to_message()
    }

    /// The datagram in canonical form.
    pub fn encode(&self) -> Vec<u8> {
        // The binding of a counter takes about 20 bytes.
        let mut writer = Writer::with_capacity(64 + 24 * self.pdu.bindings.len());
        writer.nested(tag::SEQUENCE, |writer| {
            self.pdu.write(writer);
            writer.contents(tag::OCTET_STRING, self.community.as_bytes());
            writer.signed(tag::INTEGER, self.version.code());
        });
        writer.finish()
    }
}

impl<'a> MessageView<'a> {
    /// Validates the head of a datagram.
    pub fn parse(datagram: &'a [u8]) -> Result<MessageView<'a>, DecodeError> {
        let mut message = Reader::new(datagram).expect(tag::SEQUENCE, "an SNMP message")?;
        let version = Version::parse(&mut message)?;
        let community = message.expect(tag::OCTET_STRING, "the community")?.bytes();
        let pdu = PduView::parse(message.element("a PDU")?)?;
        message.end("the end of the message")?;
        Ok(MessageView { version, community, pdu })
    }

    /// v1 or v2c.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The community's bytes.
    pub fn community(&self) -> &'a [u8] {
        self.community
    }

    /// The request id.
    pub fn request_id(&self) -> i32 {
        self.pdu.request_id
    }

    /// The operation of the request or response.
    pub fn operation(&self) -> Operation {
        self.pdu.operation
    }

    /// The variable bindings, which are parsed one by one.
    pub fn bindings(&self) -> Bindings<'a> {
        self.pdu.bindings
    }

    pub(crate) fn pdu(&self) -> PduView<'a> {
        self.pdu
    }

    /// Copies the message out of the datagram, and validates every binding.
    pub fn to_message(&self) -> Result<Message, DecodeError> {
        let pdu = self.pdu.to_pdu()?;
        Ok(Message { version: self.version, community: Community::new(self.community), pdu })
    }
}

impl Version {
    fn parse(message: &mut Reader<'_>) -> Result<Version, DecodeError> {
        let offset_bytes = message.offset_bytes();
        match message.integer("the version")? {
            0 => Ok(Version::V1),
            1 => Ok(Version::V2c),
            other => Err(DecodeError {
                offset_bytes,
                expected: "version 0 (v1) or 1 (v2c)",
                found: Found::Number(i64::from(other)),
            }),
        }
    }

    fn code(self) -> i32 {
        match self {
            Version::V1 => 0,
            Version::V2c => 1,
        }
    }
}

impl Community {
    /// A community of these bytes.
    pub fn new(bytes: impl AsRef<[u8]>) -> Community {
        Community(bytes.as_ref().into())
    }

    /// The bytes, for a message.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Community {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Community(..)")
    }
}

impl fmt::Debug for MessageView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pdu = &self.pdu;
        write!(f, "MessageView({:?}, id {}, {:?})", self.version, pdu.request_id, pdu.operation)
    }
}
