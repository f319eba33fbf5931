//! Parses the subset of BER that SNMP uses: tag, length, contents.
//!
//! Real agents pad lengths (`82 00 2c`) and integers (`41 05 00 ff ff ff ff`); both are accepted.
//! Indefinite lengths are refused, because SNMP forbids them (RFC 3417, section 8).

use crate::error::{DecodeError, Found};

pub(crate) mod tag {
    pub(crate) const INTEGER: u8 = 0x02;
    pub(crate) const OCTET_STRING: u8 = 0x04;
    pub(crate) const NULL: u8 = 0x05;
    pub(crate) const OID: u8 = 0x06;
    pub(crate) const SEQUENCE: u8 = 0x30;
    pub(crate) const IP_ADDRESS: u8 = 0x40;
    pub(crate) const COUNTER32: u8 = 0x41;
    pub(crate) const GAUGE32: u8 = 0x42;
    pub(crate) const TIME_TICKS: u8 = 0x43;
    pub(crate) const OPAQUE: u8 = 0x44;
    pub(crate) const COUNTER64: u8 = 0x46;
    pub(crate) const NO_SUCH_OBJECT: u8 = 0x80;
    pub(crate) const NO_SUCH_INSTANCE: u8 = 0x81;
    pub(crate) const END_OF_MIB_VIEW: u8 = 0x82;
    pub(crate) const GET: u8 = 0xa0;
    pub(crate) const GET_NEXT: u8 = 0xa1;
    pub(crate) const RESPONSE: u8 = 0xa2;
    pub(crate) const SET: u8 = 0xa3;
    pub(crate) const GET_BULK: u8 = 0xa5;
    pub(crate) const REPORT: u8 = 0xa8;
}

/// The most octets of a length after its first one, including padding.
const LENGTH_OCTETS_MAX: usize = 8;

/// The remaining bytes, and their offset in the datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    offset_bytes: usize,
}

/// One element: its tag and its contents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    pub(crate) tag: u8,
    pub(crate) offset_bytes: usize,
    pub(crate) contents: Reader<'a>,
}

/// A length, and how many bytes say it.
pub(crate) struct Length {
    pub(crate) contents_bytes: usize,
    pub(crate) head_bytes: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(datagram: &'a [u8]) -> Reader<'a> {
        Reader { bytes: datagram, offset_bytes: 0 }
    }

    /// Bytes that were at this offset of a datagram before they were decrypted.
    pub(crate) fn at(bytes: &'a [u8], offset_bytes: usize) -> Reader<'a> {
        Reader { bytes, offset_bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn offset_bytes(&self) -> usize {
        self.offset_bytes
    }

    /// The next element, with any tag; `expected` names it in the error.
    #[inline]
    pub(crate) fn element(&mut self, expected: &'static str) -> Result<Element<'a>, DecodeError> {
        let offset_bytes = self.offset_bytes;
        let tag = self.octet(expected)?;
        let length = self.length()?;
        let Some((contents, rest)) = self.bytes.split_at_checked(length) else {
            let found = Found::LengthBytes(length);
            return Err(self.fail("contents within the datagram", found));
        };
        let contents = Reader { bytes: contents, offset_bytes: self.offset_bytes };
        self.bytes = rest;
        self.offset_bytes += length;
        Ok(Element { tag, offset_bytes, contents })
    }

    /// The length of contents, of which not all need be there.
    pub(crate) fn contents_bytes(&mut self) -> Result<Length, DecodeError> {
        let before = self.offset_bytes;
        let contents_bytes = self.length()?;
        Ok(Length { contents_bytes, head_bytes: self.offset_bytes - before })
    }

    /// The contents of the next element, which must have this tag.
    #[inline]
    pub(crate) fn expect(
        &mut self,
        tag: u8,
        expected: &'static str,
    ) -> Result<Reader<'a>, DecodeError> {
        let element = self.element(expected)?;
        if element.tag != tag {
            let found = Found::Tag(element.tag);
            return Err(DecodeError { offset_bytes: element.offset_bytes, expected, found });
        }
        Ok(element.contents)
    }

    /// The next element, an INTEGER of 32 bits.
    pub(crate) fn integer(&mut self, expected: &'static str) -> Result<i32, DecodeError> {
        self.expect(tag::INTEGER, expected)?.signed_contents()
    }

    /// The next element, an INTEGER from 0 to 2^31 - 1.
    pub(crate) fn natural(&mut self, expected: &'static str) -> Result<u32, DecodeError> {
        let contents = self.expect(tag::INTEGER, expected)?;
        let number = contents.signed_contents()?;
        u32::try_from(number).map_err(|_| contents.fail(expected, Found::Number(number.into())))
    }

    pub(crate) fn end(&self, expected: &'static str) -> Result<(), DecodeError> {
        match self.bytes.first() {
            None => Ok(()),
            Some(octet) => Err(self.fail(expected, Found::Octet(*octet))),
        }
    }

    /// The contents as a signed number of 32 bits. Empty contents mean 0, as some agents send it.
    pub(crate) fn signed_contents(&self) -> Result<i32, DecodeError> {
        const EXPECTED: &str = "an integer of 32 bits";
        let negative = self.bytes.first().is_some_and(|octet| octet & 0x80 != 0);
        let padding = if negative { 0xff } else { 0 };
        let significant = trim(self.bytes, padding);
        if significant.len() > 8 {
            return Err(self.fail(EXPECTED, Found::NumberOfBytes(significant.len())));
        }
        let start: i64 = if negative { -1 } else { 0 };
        let number = significant.iter().fold(start, |sum, octet| sum << 8 | i64::from(*octet));
        i32::try_from(number).map_err(|_| self.fail(EXPECTED, Found::Number(number)))
    }

    /// The contents as an unsigned number of 32 bits.
    pub(crate) fn unsigned32_contents(&self) -> Result<u32, DecodeError> {
        let number = self.unsigned_contents(4, "an unsigned number of 32 bits")?;
        Ok(number as u32)
    }

    /// The contents as an unsigned number of 64 bits.
    pub(crate) fn unsigned64_contents(&self) -> Result<u64, DecodeError> {
        self.unsigned_contents(8, "an unsigned number of 64 bits")
    }

    /// Some agents omit the leading zero octet, or encode the number as if it were signed (`41 01
    /// ff` for 4294967295). Such a number is extended by its sign and cut to the type.
    fn unsigned_contents(
        &self,
        width_bytes: usize,
        expected: &'static str,
    ) -> Result<u64, DecodeError> {
        let negative = self.bytes.first().is_some_and(|octet| octet & 0x80 != 0);
        let significant = if negative { self.bytes } else { trim(self.bytes, 0) };
        if significant.len() > width_bytes {
            return Err(self.fail(expected, Found::NumberOfBytes(significant.len())));
        }
        let mask = u64::MAX >> (64 - 8 * width_bytes);
        let start: u64 = if negative { mask } else { 0 };
        let number = significant.iter().fold(start, |sum, octet| sum << 8 | u64::from(*octet));
        Ok(number & mask)
    }

    #[cold]
    pub(crate) fn fail(&self, expected: &'static str, found: Found) -> DecodeError {
        DecodeError { offset_bytes: self.offset_bytes, expected, found }
    }

    #[inline]
    fn octet(&mut self, expected: &'static str) -> Result<u8, DecodeError> {
        let Some((octet, rest)) = self.bytes.split_first() else {
            return Err(self.fail(expected, Found::End));
        };
        self.bytes = rest;
        self.offset_bytes += 1;
        Ok(*octet)
    }

    #[inline]
    fn length(&mut self) -> Result<usize, DecodeError> {
        let first = self.octet("a length")?;
        if first < 0x80 { Ok(usize::from(first)) } else { self.long_length(first) }
    }

    fn long_length(&mut self, first: u8) -> Result<usize, DecodeError> {
        let octets = usize::from(first & 0x7f);
        if octets == 0 || octets > LENGTH_OCTETS_MAX {
            return Err(self.fail("a definite length", Found::LengthForm(first)));
        }
        let mut length: usize = 0;
        for _ in 0..octets {
            let octet = self.octet("the rest of a length")?;
            if length > usize::MAX >> 8 {
                return Err(self.fail("a length within the datagram", Found::LengthForm(first)));
            }
            length = length << 8 | usize::from(octet);
        }
        Ok(length)
    }
}

fn trim(mut bytes: &[u8], padding: u8) -> &[u8] {
    while let [first, rest @ ..] = bytes {
        if *first != padding {
            break;
        }
        bytes = rest;
    }
    bytes
}
