//! What a message says of itself: the header data and the security parameters.

use crate::error::{DecodeError, Found};
use crate::reader::{Reader, tag};
use crate::usm::SecurityLevel;
use crate::writer::Writer;

/// The largest message that we take: what fits in a datagram.
pub const SIZE_MAX: i32 = 65_507;

const SECURITY_MODEL_USM: i32 = 3;
const FLAG_AUTHENTICATED: u8 = 1;
const FLAG_ENCRYPTED: u8 = 2;
const FLAG_REPORTABLE: u8 = 4;

/// What a message says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// Chosen by the requester, repeated in the response.
    pub message_id: i32,
    /// The largest message that the sender takes, in bytes.
    pub size_max: i32,
    /// What protects the message.
    pub level: SecurityLevel,
    /// Whether the receiver may send a report of what is wrong with it.
    pub is_reportable: bool,
    /// The agent's engine; empty in a request that asks for it.
    pub engine_id: &'a [u8],
    /// How often the engine has started.
    pub boots: u32,
    /// Seconds since then.
    pub time: u32,
    /// The user's name.
    pub user: &'a [u8],
}

/// Header and the two parameters that depend on the rest of the message.
pub(super) struct Parsed<'a> {
    pub(super) header: Header<'a>,
    pub(super) mac: Reader<'a>,
    pub(super) salt: Reader<'a>,
}

impl<'a> Parsed<'a> {
    /// From a message behind its version.
    pub(super) fn parse(message: &mut Reader<'a>) -> Result<Parsed<'a>, DecodeError> {
        let Global { message_id, size_max, level, is_reportable } = Global::parse(message)?;
        let octets = message.expect(tag::OCTET_STRING, "the security parameters")?;
        let mut parameters = { octets }.expect(tag::SEQUENCE, "the parameters of a user")?;
        let engine_id = parameters.expect(tag::OCTET_STRING, "the id of an engine")?.bytes();
        let boots = parameters.natural("the boots of an engine")?;
        let time = parameters.natural("the time of an engine")?;
        let user = parameters.expect(tag::OCTET_STRING, "the name of a user")?.bytes();
        let mac = parameters.expect(tag::OCTET_STRING, "the authentication of a message")?;
        let salt = parameters.expect(tag::OCTET_STRING, "the salt of a message")?;
        parameters.end("the end of the security parameters")?;
        let header =
            Header { message_id, size_max, level, is_reportable, engine_id, boots, time, user };
        Ok(Parsed { header, mac, salt })
    }
}

/// The header data.
struct Global {
    message_id: i32,
    size_max: i32,
    level: SecurityLevel,
    is_reportable: bool,
}

impl Global {
    fn parse(message: &mut Reader<'_>) -> Result<Global, DecodeError> {
        let mut data = message.expect(tag::SEQUENCE, "the header data")?;
        let message_id = data.integer("the message id")?;
        let size_max = data.integer("the largest size")?;
        let octet = data.expect(tag::OCTET_STRING, "the flags")?;
        let flags = match octet.bytes() {
            [flags] => *flags,
            other => return Err(octet.fail("one octet of flags", Found::LengthBytes(other.len()))),
        };
        let level = match (flags & FLAG_AUTHENTICATED != 0, flags & FLAG_ENCRYPTED != 0) {
            (false, false) => SecurityLevel::Plain,
            (true, false) => SecurityLevel::Authenticated,
            (true, true) => SecurityLevel::Encrypted,
            (false, true) => {
                let expected = "authentication of what is encrypted";
                return Err(octet.fail(expected, Found::Octet(flags)));
            }
        };
        let offset_bytes = data.offset_bytes();
        let model = data.integer("the security model")?;
        if model != SECURITY_MODEL_USM {
            let found = Found::Number(i64::from(model));
            let expected = "the user-based security model (3)";
            return Err(DecodeError { offset_bytes, expected, found });
        }
        data.end("the end of the header data")?;
        let is_reportable = flags & FLAG_REPORTABLE != 0;
        Ok(Global { message_id, size_max, level, is_reportable })
    }
}

impl Header<'_> {
    pub(super) fn write_global(&self, writer: &mut Writer) {
        let mut flags = match self.level {
            SecurityLevel::Plain => 0,
            SecurityLevel::Authenticated => FLAG_AUTHENTICATED,
            SecurityLevel::Encrypted => FLAG_AUTHENTICATED | FLAG_ENCRYPTED,
        };
        if self.is_reportable {
            flags |= FLAG_REPORTABLE;
        }
        writer.nested(tag::SEQUENCE, |writer| {
            writer.signed(tag::INTEGER, SECURITY_MODEL_USM);
            writer.contents(tag::OCTET_STRING, &[flags]);
            writer.signed(tag::INTEGER, self.size_max);
            writer.signed(tag::INTEGER, self.message_id);
        });
    }

    /// Writes the security parameters. Returns how many bytes from the end of the message the MAC,
    /// which is zeros yet, ends.
    pub(super) fn write_parameters(&self, writer: &mut Writer, mac: &[u8], salt: &[u8]) -> usize {
        let mut behind_mac = 0;
        writer.nested(tag::OCTET_STRING, |writer| {
            writer.nested(tag::SEQUENCE, |writer| {
                writer.contents(tag::OCTET_STRING, salt);
                behind_mac = writer.length();
                writer.contents(tag::OCTET_STRING, mac);
                writer.contents(tag::OCTET_STRING, self.user);
                writer.unsigned(tag::INTEGER, u64::from(self.time));
                writer.unsigned(tag::INTEGER, u64::from(self.boots));
                writer.contents(tag::OCTET_STRING, self.engine_id);
            });
        });
        behind_mac
    }
}
