//! Objects to poll: an object identifier (OID), perhaps with the index of an interface that is
//! still to be found.

use std::fmt;

use super::interface::{self, InterfaceReference};
use super::names::Names;
use super::scan::{Cursor, Misread, misread};

/// An object identifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectId(pub Vec<u32>);

impl ObjectId {
    /// Its numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, number) in self.0.iter().enumerate() {
            let dot = if nth == 0 { "" } else { "." };
            write!(f, "{dot}{number}")?;
        }
        Ok(())
    }
}

/// One value of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Object {
    /// How to get the value.
    pub method: Method,
    /// The numbers before the interface's index, or all of them.
    pub prefix: ObjectId,
    /// The interface whose index follows the prefix, if any.
    pub interface: Option<InterfaceReference>,
    /// The numbers after the index. Not empty only if `IndexPOS` was within the OID.
    pub suffix: ObjectId,
    /// `ifOperHack` and `ifAdminHack`: the value is 1 if the agent answers 1 (up), else 0.
    pub one_if_up: bool,
}

/// How to get a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// A GET.
    #[default]
    Get,
    /// `PseudoZero` and `PseudoOne`: a constant without a request.
    Constant(u8),
    /// `WaLK` or `WaLKn`: the n-th value (from 0) of a walk.
    Walk(u32),
    /// `GeTNEXT`: a GETNEXT.
    GetNext,
    /// `CnTWaLK`: the number of values that a walk finds.
    CountWalk,
}

/// The columns of ifXTable (1.3.6.1.2.1.31.1.1.1) with 64-bit counters, each with the column of
/// ifTable or ifXTable that has the same counter in 32 bits.
const NARROW_TWINS: [(u32, &[u32]); 8] = [
    (6, &[2, 2, 1, 10]),
    (7, &[2, 2, 1, 11]),
    (8, &[31, 1, 1, 1, 2]),
    (9, &[31, 1, 1, 1, 3]),
    (10, &[2, 2, 1, 16]),
    (11, &[2, 2, 1, 17]),
    (12, &[31, 1, 1, 1, 4]),
    (13, &[31, 1, 1, 1, 5]),
];

/// The columns of ifTable that are counters, all of 32 bits.
const IF_COUNTERS: [u32; 11] = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
/// Those of ifXTable that have 32 bits.
const IF_X_NARROW_COUNTERS: [u32; 4] = [2, 3, 4, 5];
const IF_ENTRY: [u32; 9] = [1, 3, 6, 1, 2, 1, 2, 2, 1];

const MIB_2: [u32; 6] = [1, 3, 6, 1, 2, 1];
const IF_X_ENTRY: [u32; 10] = [1, 3, 6, 1, 2, 1, 31, 1, 1, 1];

impl Object {
    /// The whole OID with the index of the interface, which is only needed with a reference. `None`
    /// if the index is missing.
    #[must_use]
    pub fn oid(&self, index: Option<u32>) -> Option<ObjectId> {
        self.complete(&self.prefix, index)
    }

    /// The 32-bit counter of the same quantity, for a device without the 64-bit one. MRTG does not
    /// fall back by itself (one sets `NoHC[]: yes`); gyre may.
    #[must_use]
    pub fn narrow_oid(&self, index: Option<u32>) -> Option<ObjectId> {
        let (&column, beyond) = self.prefix.0.strip_prefix(&IF_X_ENTRY)?.split_first()?;
        let (_, twin) = NARROW_TWINS.iter().find(|(wide, _)| *wide == column)?;
        let prefix = ObjectId([&MIB_2, *twin, beyond].concat());
        self.complete(&prefix, index)
    }

    /// Whether it is a counter of an interface that has 32 bits.
    #[must_use]
    pub fn is_narrow_counter(&self) -> bool {
        let has = |table: &[u32], columns: &[u32]| {
            let column = self.prefix.0.strip_prefix(table).and_then(<[u32]>::first);
            column.is_some_and(|column| columns.contains(column))
        };
        has(&IF_ENTRY, &IF_COUNTERS) || has(&IF_X_ENTRY, &IF_X_NARROW_COUNTERS)
    }

    /// The interface, if there is one, is the one with this alias.
    pub(super) fn name_by_alias(&mut self, alias: &[u8]) {
        if let Some(interface) = &mut self.interface {
            *interface = InterfaceReference::Alias(alias.into());
        }
    }

    fn complete(&self, prefix: &ObjectId, index: Option<u32>) -> Option<ObjectId> {
        let index = match &self.interface {
            None => return Some(prefix.clone()),
            Some(InterfaceReference::Index(index)) => *index,
            Some(_) => index?,
        };
        Some(ObjectId([&prefix.0, &[index][..], &self.suffix.0].concat()))
    }
}

/// Longer than any OID: without this limit, hostile text would take quadratic time.
const LONGEST_TOKEN_BYTES: usize = 1500;

/// A parsed object.
pub(super) struct Read<'t> {
    pub(super) object: Object,
    /// The rest of the text.
    pub(super) after: Cursor<'t>,
    /// Whether the name is unknown and would need a MIB file.
    pub(super) unknown_name: bool,
}

/// Parses an OID or name and a reference to an interface. Returns every possible reading, the
/// likeliest first.
pub(super) fn read<'t>(mut cursor: Cursor<'t>, names: &Names) -> Result<Vec<Read<'t>>, Misread> {
    let start = cursor;
    let token = cursor.take_at_most(LONGEST_TOKEN_BYTES, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
    });
    let (object, unknown_name) = from_token(token, names)
        .ok_or_else(|| misread(start, "an OID, the name of an object, or an interface"))?;
    let references = interface::read_marked(cursor)?;
    if references.is_empty() {
        return Ok(vec![Read { object, after: cursor, unknown_name }]);
    }
    Ok(references
        .into_iter()
        .map(|(reference, after)| Read {
            object: Object { interface: Some(reference), ..object.clone() },
            after,
            unknown_name,
        })
        .collect())
}

/// The object without a reference, and whether its name is unknown.
fn from_token(token: &[u8], names: &Names) -> Option<(Object, bool)> {
    let (method, token) = split_method(token.strip_prefix(b".").unwrap_or(token))?;
    let mut parts = token.split(|byte| *byte == b'.').peekable();
    let mut object = Object { method, ..Object::default() };
    let mut unknown_name = false;
    if let Some(name) = parts.next_if(|part| part.first().is_some_and(u8::is_ascii_alphabetic)) {
        object.one_if_up = matches!(name, b"ifOperHack" | b"ifAdminHack");
        match names.lookup(name) {
            Some(oid) => object.prefix.0.extend(oid),
            None => unknown_name = true,
        }
        // The name already includes the instance; a repeated one is dropped.
        if object.prefix.0.last() == Some(&0) {
            parts.next_if(|part| *part == b"0");
        }
    }
    if !matches!(method, Method::Constant(_)) {
        append(&mut object, parts)?;
    }
    Some((object, unknown_name))
}

/// Appends numbers; those after `IndexPOS` come after the index. If the interface is not given
/// otherwise, the last number is its index.
fn append<'t>(object: &mut Object, parts: impl Iterator<Item = &'t [u8]>) -> Option<()> {
    let mut index_stands_here = false;
    for part in parts {
        if part == b"IndexPOS" && !index_stands_here {
            index_stands_here = true;
            continue;
        }
        let number = std::str::from_utf8(part).ok()?.parse().ok()?;
        let half = if index_stands_here { &mut object.suffix } else { &mut object.prefix };
        half.0.push(number);
    }
    Some(())
}

fn split_method(token: &[u8]) -> Option<(Method, &[u8])> {
    if let Some(rest) = token.strip_prefix(b"WaLK") {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (nth, rest) = rest.split_at_checked(digits)?;
        let nth = std::str::from_utf8(nth).ok()?.parse().unwrap_or(0);
        return Some((Method::Walk(nth), rest.strip_prefix(b".").unwrap_or(rest)));
    }
    let words: [(&[u8], Method); 2] =
        [(b"GeTNEXT", Method::GetNext), (b"CnTWaLK", Method::CountWalk)];
    for (word, method) in words {
        if let Some(rest) = token.strip_prefix(word) {
            return Some((method, rest.strip_prefix(b".").unwrap_or(rest)));
        }
    }
    match token {
        b"PseudoZero" => Some((Method::Constant(0), b"")),
        b"PseudoOne" => Some((Method::Constant(1), b"")),
        other => Some((Method::Get, other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octets(interface: Option<InterfaceReference>) -> Object {
        Object {
            method: Method::Get,
            prefix: ObjectId([&IF_X_ENTRY[..], &[6]].concat()),
            interface,
            suffix: ObjectId::default(),
            one_if_up: false,
        }
    }

    #[test]
    fn a_wide_counter_has_a_narrow_twin() {
        let object = octets(Some(InterfaceReference::Index(3)));
        let text = |oid: Option<ObjectId>| oid.unwrap().to_string();
        assert_eq!(text(object.oid(None)), "1.3.6.1.2.1.31.1.1.1.6.3");
        assert_eq!(text(object.narrow_oid(None)), "1.3.6.1.2.1.2.2.1.10.3");
    }

    #[test]
    fn all_counters_of_if_table_are_narrow() {
        let column = |column| Object {
            prefix: ObjectId([&IF_ENTRY[..], &[column]].concat()),
            ..octets(Some(InterfaceReference::Index(3)))
        };
        // ifInOctets to ifOutErrors; ifLastChange before them and ifOutQLen behind are none.
        let narrow = (9..=21).filter(|it| column(*it).is_narrow_counter());
        assert_eq!(narrow.collect::<Vec<_>>(), (10..=20).collect::<Vec<_>>());
    }

    #[test]
    fn an_unresolved_reference_has_no_oid() {
        let object = octets(Some(InterfaceReference::Name(b"eth0".to_vec())));
        assert_eq!(object.oid(None), None);
        assert_eq!(object.oid(Some(7)).unwrap().0.last(), Some(&7));
    }
}
