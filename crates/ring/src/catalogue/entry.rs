//! What the catalogue holds of the store, its groups and its RRDs; the latter two as bytes.

use journal::{Generation, LogPosition, RrdId};
use varint::RecordError;
use varint::{Cursor, put_varint};

/// Which definition: definitions are numbered from zero as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(pub u32);

/// Which group: the upper 20 bits of the ids of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// What was chosen when the store was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Cycles between two flushes of a group (`C`).
    pub flush_cycles: u32,
    /// The most rows in a tile (`K`).
    pub tile_rows_max: u32,
    /// Bytes of a segment of the journal.
    pub segment_bytes: u64,
    /// Where the journal's frames start.
    pub block_bytes: u64,
    /// Segments of the journal that are made at once.
    pub segments: u32,
}

/// One group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupEntry {
    /// A definition with the group's layout: that of any member.
    pub layout: DefinitionId,
    /// How many RRDs it has room for.
    pub capacity: u32,
    /// How far, in PDPs, its blocks and its flush are shifted against other groups'.
    pub phase_pdps: u32,
    /// Whether archives of one PDP a row are stored once for all their functions.
    pub shared: bool,
    /// Where the log stood when it was made: records before are about an earlier group of its
    /// number.
    pub created: LogPosition,
}

/// One RRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RrdEntry {
    /// Which holder of its place.
    pub generation: Generation,
    /// What it holds.
    pub definition: DefinitionId,
    /// The step, counted from the epoch, in which it was made: older rows of its place are not
    /// its own.
    pub born_step: u64,
    /// Its name.
    pub name: String,
}

/// One RRD, borrowed from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RrdView<'a> {
    /// As [`RrdEntry::generation`].
    pub generation: Generation,
    /// As [`RrdEntry::definition`].
    pub definition: DefinitionId,
    /// As [`RrdEntry::born_step`].
    pub born_step: u64,
    /// As [`RrdEntry::name`].
    pub name: &'a str,
}

impl GroupId {
    /// The group of an RRD.
    #[must_use]
    pub const fn of(rrd: RrdId) -> Self {
        Self(rrd.0 >> 12)
    }
}

impl GroupEntry {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(self.layout.0.into(), &mut out);
        put_varint(self.capacity.into(), &mut out);
        put_varint(self.phase_pdps.into(), &mut out);
        put_varint(self.shared.into(), &mut out);
        put_varint(self.created.0, &mut out);
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        let cursor = &mut Cursor::new(bytes);
        let shared = "0 or 1";
        let entry = Self {
            layout: DefinitionId(cursor.varint_u32("a definition")?),
            capacity: cursor.varint_u32("a capacity")?,
            phase_pdps: cursor.varint_u32("a phase")?,
            shared: cursor.checked(shared, |at| at.varint(shared), |flag| *flag < 2)? == 1,
            created: LogPosition(cursor.varint("a log position")?),
        };
        if cursor.rest().is_empty() { Ok(entry) } else { Err(cursor.error("the end")) }
    }
}

impl RrdEntry {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.name.len() + 12);
        put_varint(self.generation.0.into(), &mut out);
        put_varint(self.definition.0.into(), &mut out);
        put_varint(self.born_step, &mut out);
        out.extend_from_slice(self.name.as_bytes());
        out
    }
}

impl<'a> RrdView<'a> {
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let cursor = &mut Cursor::new(bytes);
        Ok(Self {
            generation: Generation(cursor.varint_u32("a generation")?),
            definition: DefinitionId(cursor.varint_u32("a definition")?),
            born_step: cursor.varint("a step")?,
            name: cursor.text(cursor.rest().len() as u64, "a name")?,
        })
    }

    /// The entry with a name of its own.
    #[must_use]
    pub fn to_entry(&self) -> RrdEntry {
        let Self { generation, definition, born_step, name } = *self;
        RrdEntry { generation, definition, born_step, name: name.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> GroupEntry {
        GroupEntry {
            layout: DefinitionId(3),
            capacity: 252,
            phase_pdps: 17,
            shared: true,
            created: LogPosition(1 << 14),
        }
    }

    fn rrd() -> RrdEntry {
        RrdEntry {
            generation: Generation(2),
            definition: DefinitionId(300),
            born_step: 5,
            name: "a/ü".into(),
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        assert_eq!(group().encode(), [3, 0xfc, 1, 17, 1, 0x80, 0x80, 1]);
        assert_eq!(rrd().encode(), [2, 0xac, 2, 5, b'a', b'/', 0xc3, 0xbc]);
        assert_eq!(GroupEntry::decode(&group().encode()).unwrap(), group());
        assert_eq!(RrdView::decode(&rrd().encode()).unwrap().to_entry(), rrd());
    }

    #[test]
    fn other_bytes_are_an_error() {
        let bytes = group().encode();
        for count in 0..bytes.len() {
            GroupEntry::decode(&bytes[..count]).unwrap_err();
        }
        GroupEntry::decode(&[bytes.as_slice(), &[0]].concat()).unwrap_err();
        let error = GroupEntry::decode(&[3, 4, 5, 2, 0]).unwrap_err();
        assert_eq!((error.offset_bytes, error.expected), (3, "0 or 1"));
        for broken in [&[][..], &[1], &[1, 1], &[1, 1, 1, 0xff]] {
            RrdView::decode(broken).unwrap_err();
        }
    }
}
