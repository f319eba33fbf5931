//! Values of variable bindings: owned, and in a datagram.

use crate::error::{DecodeError, Found};
use crate::oid::{Oid, OidView};
use crate::reader::{Element, tag};
use crate::writer::{Writer, element_length, signed_length, unsigned_length};
use std::net::Ipv4Addr;

/// A value of an agent, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// INTEGER, 32 bits.
    Integer(i32),
    /// OCTET STRING.
    OctetString(Vec<u8>),
    /// NULL: in place of a value in a request.
    Null,
    /// OBJECT IDENTIFIER.
    Oid(Oid),
    /// IpAddress: IPv4.
    IpAddress(Ipv4Addr),
    /// Counter32: wraps at 2^32.
    Counter32(u32),
    /// Gauge32, also Unsigned32: latches at its maximum.
    Gauge32(u32),
    /// TimeTicks, hundredths of a second.
    TimeTicks(u32),
    /// Opaque: BER inside BER, kept as it is.
    Opaque(Vec<u8>),
    /// Counter64: v2c only.
    Counter64(u64),
    /// The agent does not know the object.
    NoSuchObject,
    /// The agent knows the object, but not this instance of it.
    NoSuchInstance,
    /// There is nothing after the requested name.
    EndOfMibView,
}

/// A value in a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each is the variant of [`Value`] of the same name.
pub enum ValueView<'a> {
    Integer(i32),
    OctetString(&'a [u8]),
    Null,
    Oid(OidView<'a>),
    IpAddress(Ipv4Addr),
    Counter32(u32),
    Gauge32(u32),
    TimeTicks(u32),
    Opaque(&'a [u8]),
    Counter64(u64),
    NoSuchObject,
    NoSuchInstance,
    EndOfMibView,
}

impl Value {
    /// The number in a counter, gauge, integer or time; `None` for every other type.
    pub fn as_number(&self) -> Option<i128> {
        match self {
            Value::Integer(number) => Some(i128::from(*number)),
            Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
                Some(i128::from(*number))
            }
            Value::Counter64(number) => Some(i128::from(*number)),
            _ => None,
        }
    }

    /// Whether this is an exception: no such object or instance, or the end of the view.
    pub fn is_exception(&self) -> bool {
        matches!(self, Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView)
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        match self {
            Value::Integer(number) => writer.signed(tag::INTEGER, *number),
            Value::OctetString(octets) => writer.contents(tag::OCTET_STRING, octets),
            Value::Null => writer.contents(tag::NULL, &[]),
            Value::Oid(oid) => writer.contents(tag::OID, oid.as_bytes()),
            Value::IpAddress(address) => writer.contents(tag::IP_ADDRESS, &address.octets()),
            Value::Counter32(number) => writer.unsigned(tag::COUNTER32, u64::from(*number)),
            Value::Gauge32(number) => writer.unsigned(tag::GAUGE32, u64::from(*number)),
            Value::TimeTicks(ticks) => writer.unsigned(tag::TIME_TICKS, u64::from(*ticks)),
            Value::Opaque(octets) => writer.contents(tag::OPAQUE, octets),
            Value::Counter64(number) => writer.unsigned(tag::COUNTER64, *number),
            Value::NoSuchObject => writer.contents(tag::NO_SUCH_OBJECT, &[]),
            Value::NoSuchInstance => writer.contents(tag::NO_SUCH_INSTANCE, &[]),
            Value::EndOfMibView => writer.contents(tag::END_OF_MIB_VIEW, &[]),
        }
    }

    /// The number of bytes that [`Value::write`] writes.
    pub(crate) fn encoded_length_bytes(&self) -> usize {
        element_length(match self {
            Value::Integer(number) => signed_length(*number),
            Value::OctetString(octets) | Value::Opaque(octets) => octets.len(),
            Value::Oid(oid) => oid.as_bytes().len(),
            Value::IpAddress(_) => 4,
            Value::Counter32(number) | Value::Gauge32(number) | Value::TimeTicks(number) => {
                unsigned_length(u64::from(*number))
            }
            Value::Counter64(number) => unsigned_length(*number),
            Value::Null | Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView => 0,
        })
    }
}

impl<'a> ValueView<'a> {
    pub(crate) fn parse(element: Element<'a>) -> Result<ValueView<'a>, DecodeError> {
        let contents = element.contents;
        Ok(match element.tag {
            tag::INTEGER => ValueView::Integer(contents.signed_contents()?),
            tag::OCTET_STRING => ValueView::OctetString(contents.bytes()),
            tag::OID => ValueView::Oid(OidView::parse(contents.bytes(), contents.offset_bytes())?),
            tag::COUNTER32 => ValueView::Counter32(contents.unsigned32_contents()?),
            tag::GAUGE32 => ValueView::Gauge32(contents.unsigned32_contents()?),
            tag::TIME_TICKS => ValueView::TimeTicks(contents.unsigned32_contents()?),
            tag::COUNTER64 => ValueView::Counter64(contents.unsigned64_contents()?),
            tag::OPAQUE => ValueView::Opaque(contents.bytes()),
            tag::IP_ADDRESS => ValueView::IpAddress(ip_address(element)?),
            _ => ValueView::parse_empty(element)?,
        })
    }

    fn parse_empty(element: Element<'a>) -> Result<ValueView<'a>, DecodeError> {
        let view = match element.tag {
            tag::NULL => ValueView::Null,
            tag::NO_SUCH_OBJECT => ValueView::NoSuchObject,
            tag::NO_SUCH_INSTANCE => ValueView::NoSuchInstance,
            tag::END_OF_MIB_VIEW => ValueView::EndOfMibView,
            unknown => {
                return Err(DecodeError {
                    offset_bytes: element.offset_bytes,
                    expected: "a value of an SNMP type",
                    found: Found::Tag(unknown),
                });
            }
        };
        element.contents.end("no contents")?;
        Ok(view)
    }

    /// Copied out of the datagram.
    pub fn to_value(&self) -> Value {
        match *self {
            ValueView::Integer(number) => Value::Integer(number),
            ValueView::OctetString(octets) => Value::OctetString(octets.to_vec()),
            ValueView::Null => Value::Null,
            ValueView::Oid(oid) => Value::Oid(oid.to_oid()),
            ValueView::IpAddress(address) => Value::IpAddress(address),
            ValueView::Counter32(number) => Value::Counter32(number),
            ValueView::Gauge32(number) => Value::Gauge32(number),
            ValueView::TimeTicks(ticks) => Value::TimeTicks(ticks),
            ValueView::Opaque(octets) => Value::Opaque(octets.to_vec()),
            ValueView::Counter64(number) => Value::Counter64(number),
            ValueView::NoSuchObject => Value::NoSuchObject,
            ValueView::NoSuchInstance => Value::NoSuchInstance,
            ValueView::EndOfMibView => Value::EndOfMibView,
        }
    }
}

fn ip_address(element: Element<'_>) -> Result<Ipv4Addr, DecodeError> {
    let contents = element.contents;
    match <[u8; 4]>::try_from(contents.bytes()) {
        Ok(octets) => Ok(octets.into()),
        Err(_) => {
            let found = Found::LengthBytes(contents.bytes().len());
            Err(contents.fail("an IPv4 address of 4 octets", found))
        }
    }
}
