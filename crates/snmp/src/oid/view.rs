//! A view of an object identifier in a datagram.

use super::{ARCS_MAX, Oid};
use crate::error::{DecodeError, Found};
use std::cmp::Ordering;

/// The meaning of an empty identifier, which some agents send as a value.
const ZERO_DOT_ZERO: &[u8] = &[0];

/// An object identifier in a datagram: validated, not copied.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct OidView<'a>(pub(super) &'a [u8]);

impl<'a> OidView<'a> {
    /// Validates encoded contents. `offset_bytes` is their offset, for the error.
    pub fn parse(contents: &'a [u8], offset_bytes: usize) -> Result<OidView<'a>, DecodeError> {
        let Some(last) = contents.last() else {
            return Ok(OidView(ZERO_DOT_ZERO));
        };
        // Nearly all names have only small arcs of one octet: only their number needs a check.
        if contents.len() < ARCS_MAX && contents.is_ascii() {
            return Ok(OidView(contents));
        }
        let fail = |at: usize, expected, found| {
            Err(DecodeError { offset_bytes: offset_bytes + at, expected, found })
        };
        if last & 0x80 != 0 {
            let at = contents.len() - 1;
            return fail(at, "the end of the last arc", Found::Octet(*last));
        }
        // The first number encodes two arcs.
        let mut arcs = 1;
        let mut arc: u64 = 0;
        for (at, octet) in contents.iter().enumerate() {
            if arc == 0 && *octet == 0x80 {
                return fail(at, "an arc without padding", Found::Octet(*octet));
            }
            arc = arc << 7 | u64::from(octet & 0x7f);
            if arc > u64::from(u32::MAX) {
                return fail(at, "an arc of 32 bits", Found::Octet(*octet));
            }
            if octet & 0x80 == 0 {
                arc = 0;
                arcs += 1;
            }
        }
        if arcs > ARCS_MAX {
            return fail(0, "at most 128 arcs", Found::Count(arcs));
        }
        Ok(OidView(contents))
    }

    /// The arcs in order.
    pub fn arcs(&self) -> Arcs<'a> {
        Arcs { bytes: self.0, pending: None, at_start: true }
    }

    /// The encoded contents, without tag and length.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Copied out of the datagram.
    pub fn to_oid(&self) -> Oid {
        Oid::from_canonical(self.0)
    }
}

impl PartialOrd for OidView<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OidView<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let (ours, theirs) = (self.0, other.0);
        let mut arc_start = 0;
        for (at, (left, right)) in ours.iter().zip(theirs).enumerate() {
            if left != right {
                let rest = |bytes: &[u8]| Arcs::rest(bytes.get(arc_start..).unwrap_or(&[])).next();
                return rest(ours).cmp(&rest(theirs));
            }
            if left & 0x80 == 0 {
                arc_start = at + 1;
            }
        }
        ours.len().cmp(&theirs.len())
    }
}

/// The arcs of an identifier, in order.
#[derive(Clone)]
pub struct Arcs<'a> {
    bytes: &'a [u8],
    pending: Option<u32>,
    at_start: bool,
}

impl<'a> Arcs<'a> {
    pub(super) fn rest(bytes: &'a [u8]) -> Arcs<'a> {
        Arcs { bytes, pending: None, at_start: false }
    }

    fn subidentifier(&mut self) -> Option<u32> {
        let mut arc: u32 = 0;
        while let [octet, rest @ ..] = self.bytes {
            self.bytes = rest;
            arc = arc << 7 | u32::from(octet & 0x7f);
            if octet & 0x80 == 0 {
                return Some(arc);
            }
        }
        None
    }
}

impl Iterator for Arcs<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if let Some(second) = self.pending.take() {
            return Some(second);
        }
        let arc = self.subidentifier()?;
        if !std::mem::take(&mut self.at_start) {
            return Some(arc);
        }
        let first = (arc / 40).min(2);
        self.pending = Some(arc - first * 40);
        Some(first)
    }
}
