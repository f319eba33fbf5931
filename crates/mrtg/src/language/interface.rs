//! References to interfaces.

use std::net::Ipv4Addr;

use super::scan::{Cursor, Misread, misread};
use crate::text::is_space;

/// An interface of an agent, identified by one of its properties.
///
/// MRTG walks the tables named below once, remembers the index, and asks for the property again
/// with every poll: if it no longer matches, it walks the tables again. Trailing spaces and NULs
/// are removed on both sides before the comparison (a device that answers `eth0` and 27 spaces
/// matches `#eth0`), and a NUL within the device's text counts as a space. A property that several
/// interfaces share matches none of them: the value stays unknown.
///
/// `cfgmaker --ifref` writes `nr` as an index, `ip` as `/`, `eth` as `!`, `descr` as `\\`, `name`
/// as `#`, `type` as `%`, with a backslash before spaces, `:`, `&` and `@`. It comments out an
/// interface whose property is missing or not unique.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InterfaceReference {
    /// By ifIndex; nothing is looked up or checked.
    Index(u32),
    /// `#name`: by ifName (1.3.6.1.2.1.31.1.1.1.1). The bytes as the device sends them.
    Name(Vec<u8>),
    /// `\description`: by ifDescr (1.3.6.1.2.1.2.2.1.2), never ifAlias.
    Description(Vec<u8>),
    /// `/address`: by ipAdEntIfIndex (1.3.6.1.2.1.4.20.1.2).
    Address(Ipv4Addr),
    /// `!aa-bb-...`: by ifPhysAddress (1.3.6.1.2.1.2.2.1.6).
    Physical(Vec<u8>),
    /// `%type`: by ifType (1.3.6.1.2.1.2.2.1.3).
    Type(u32),
    /// `gyre*Alias[]`: by ifAlias (1.3.6.1.2.1.31.1.1.1.18), for which `Target[]` has no form.
    Alias(Vec<u8>),
}

/// An interface, and the rest of the text.
pub(super) type Reading<'t> = (InterfaceReference, Cursor<'t>);

/// The end of a name or description can be ambiguous; at most this many ends are tried.
const MOST_READINGS: usize = 4;

/// Parses a marker and its value. Without a marker there are no readings. The likeliest reading
/// comes first.
pub(super) fn read_marked(mut cursor: Cursor<'_>) -> Result<Vec<Reading<'_>>, Misread> {
    let marker = cursor.peek();
    cursor.advance(1);
    match marker {
        Some(b'/') => read_address(cursor),
        Some(b'\\') => read_text(cursor, InterfaceReference::Description),
        Some(b'#') => read_text(cursor, InterfaceReference::Name),
        Some(b'!') => read_physical(cursor),
        Some(b'%') => {
            let number = cursor.take_number().ok_or_else(|| misread(cursor, "an ifType number"))?;
            Ok(vec![(InterfaceReference::Type(number), cursor)])
        }
        _ => Ok(Vec::new()),
    }
}

fn read_address(mut cursor: Cursor<'_>) -> Result<Vec<Reading<'_>>, Misread> {
    let start = cursor;
    let text = cursor.take_while(|byte| byte.is_ascii_digit() || byte == b'.');
    let address = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    let address = address.ok_or_else(|| misread(start, "an IPv4 address"))?;
    Ok(vec![(InterfaceReference::Address(address), cursor)])
}

fn read_physical(mut cursor: Cursor<'_>) -> Result<Vec<Reading<'_>>, Misread> {
    let start = cursor;
    let text = cursor.take_while(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let octets: Option<Vec<u8>> = text
        .split(|byte| *byte == b'-')
        .map(|octet| u8::from_str_radix(std::str::from_utf8(octet).ok()?, 16).ok())
        .collect();
    match octets {
        Some(octets) if octets.len() > 1 => {
            Ok(vec![(InterfaceReference::Physical(octets), cursor)])
        }
        _ => Err(misread(start, "a physical address such as 00-1b-21-aa-bb-cc")),
    }
}

/// Parses a name or description: up to a space, `:`, `&` or `@` that is not escaped by a backslash.
/// If the text itself ends in a backslash, its end looks escaped: such ends are readings, too.
fn read_text(
    mut cursor: Cursor<'_>,
    reference: fn(Vec<u8>) -> InterfaceReference,
) -> Result<Vec<Reading<'_>>, Misread> {
    let mut text = Vec::new();
    // Possible ends: the length of the text, and whether it ends with a backslash.
    let mut ends = Vec::new();
    while let Some(byte) = cursor.peek() {
        let escaped = cursor.rest().get(1).copied();
        match (byte, escaped) {
            (b'\\', Some(special)) if is_special(special) => {
                cursor.advance(1);
                if matches!(special, b':' | b'&') {
                    ends.push((text.len(), true, cursor));
                }
                text.push(special);
            }
            (special, _) if is_special(special) => break,
            (plain, _) => text.push(plain),
        }
        cursor.advance(1);
    }
    if text.is_empty() {
        return Err(misread(cursor, "the name or description of an interface"));
    }
    ends.push((text.len(), false, cursor));
    let likeliest_first = ends.into_iter().rev().take(MOST_READINGS);
    Ok(likeliest_first
        .map(|(length, backslash, after)| {
            let text = text.get(..length).unwrap_or_default();
            let last: &[u8] = if backslash { b"\\" } else { b"" };
            let text = [text, last].concat();
            (reference(without_trailing_blanks(&text).to_vec()), after)
        })
        .collect())
}

const fn is_special(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b':' | b'&' | b'@')
}

/// All bytes up to the space count as blanks.
const fn is_blank(byte: u8) -> bool {
    byte <= b' '
}

/// Text without the blanks and NULs at its end.
pub(crate) fn without_trailing_blanks(bytes: &[u8]) -> &[u8] {
    let kept = bytes.iter().rposition(|byte| !is_blank(*byte));
    kept.and_then(|last| bytes.get(..=last)).unwrap_or_default()
}
