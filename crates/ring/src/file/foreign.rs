//! What a file has that a snapshot has not.
//!
//! ```text
//!   1      form, 1
//!   8      when the file was changed last, nanoseconds since 1970; 0 if not known
//!   varint archives; for each of them
//!   varint   its turn: the slot of its newest row, less that row's number
//!   varint patches; for each of them
//!   varint   bytes since the end of the patch before
//!   varint   bytes of the patch, then these
//!          to the end: what follows the rows
//! ```
//!
//! A patch is a stretch of the header that gyre would write otherwise: the text of the version,
//! what stands behind the NUL of a name, fields of rrdtool's that it knows nothing of. No live
//! value is among them, so that they stay true whatever updates follow.

use varint::RecordError;
use varint::{Cursor, put_varint};

const FORM: u8 = 1;
/// Stretches so near each other are one patch: two numbers cost as much.
const GAP_BYTES: usize = 4;

/// What a file has that a snapshot has not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreign {
    /// When the file was changed last, in nanoseconds since 1970; 0 if not known.
    pub modified_nanos: i64,
    /// For each archive, how far the slot of a row is turned against the row's number.
    pub turns: Vec<u64>,
    /// Stretches of the header that gyre would write otherwise, in ascending order.
    pub patches: Vec<Patch>,
    /// What follows the rows.
    pub trailing: Vec<u8>,
}

/// A stretch of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Where it starts in the file.
    pub offset_bytes: u64,
    /// What stands there.
    pub bytes: Vec<u8>,
}

/// What was kept of a file does not fit the database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignFault {
    /// It cannot be read.
    #[error("what was kept of its file: {0}")]
    Record(RecordError),
    /// It is of another layout.
    #[error("what was kept of its file is of another layout")]
    Layout,
}

impl Foreign {
    /// The bytes that the catalogue keeps.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![FORM];
        out.extend_from_slice(&self.modified_nanos.to_le_bytes());
        put_varint(self.turns.len() as u64, &mut out);
        self.turns.iter().for_each(|turn| put_varint(*turn, &mut out));
        put_varint(self.patches.len() as u64, &mut out);
        let mut end = 0;
        for Patch { offset_bytes, bytes } in &self.patches {
            put_varint(offset_bytes - end, &mut out);
            put_varint(bytes.len() as u64, &mut out);
            out.extend_from_slice(bytes);
            end = offset_bytes + bytes.len() as u64;
        }
        out.extend_from_slice(&self.trailing);
        out
    }

    /// Reads them.
    ///
    /// # Errors
    /// They are something else.
    pub fn decode(bytes: &[u8]) -> Result<Self, ForeignFault> {
        decode(bytes).map_err(ForeignFault::Record)
    }

    /// When the file was changed last, without reading the rest; `None` if not known.
    #[must_use]
    pub fn modified_in(bytes: &[u8]) -> Option<i64> {
        let (FORM, rest) = bytes.split_first().map(|(form, rest)| (*form, rest))? else {
            return None;
        };
        Some(i64::from_le_bytes(*rest.first_chunk()?)).filter(|nanos| *nanos != 0)
    }

    /// Writes what is foreign over and behind the bytes of a file that gyre made, whose header
    /// takes `header_bytes`.
    ///
    /// # Errors
    /// It is of another layout.
    pub fn apply(&self, header_bytes: usize, file: &mut Vec<u8>) -> Result<(), ForeignFault> {
        let header = file.get_mut(..header_bytes).ok_or(ForeignFault::Layout)?;
        for patch in &self.patches {
            let start = usize::try_from(patch.offset_bytes).map_err(|_| ForeignFault::Layout)?;
            let end = start.checked_add(patch.bytes.len()).ok_or(ForeignFault::Layout)?;
            let room = header.get_mut(start..end).ok_or(ForeignFault::Layout)?;
            room.copy_from_slice(&patch.bytes);
        }
        file.extend_from_slice(&self.trailing);
        Ok(())
    }
}

/// The stretches where two headers of one size differ, with the bytes of `theirs`.
pub(super) fn patches(ours: &[u8], theirs: &[u8]) -> Vec<Patch> {
    assert!(ours.len() == theirs.len());
    let mut patches: Vec<Patch> = Vec::new();
    if ours == theirs {
        return patches; // as most are
    }
    for (at, byte) in theirs.iter().enumerate().filter(|(at, byte)| ours[*at] != **byte) {
        match patches.last_mut() {
            Some(last) if at <= last.end() + GAP_BYTES => {
                last.bytes.extend_from_slice(&theirs[last.end()..=at]);
            }
            _ => patches.push(Patch { offset_bytes: at as u64, bytes: vec![*byte] }),
        }
    }
    patches
}

impl Patch {
    fn end(&self) -> usize {
        self.offset_bytes as usize + self.bytes.len()
    }
}

fn decode(bytes: &[u8]) -> Result<Foreign, RecordError> {
    let cursor = &mut Cursor::new(bytes);
    let form = "the form 1";
    cursor.checked(form, |cursor| cursor.byte(form), |found| *found == FORM)?;
    let stamp = cursor.take(8, "the time of a file")?;
    let modified_nanos = i64::from_le_bytes(stamp.as_chunks().0[0]);
    let archives = count(cursor, "the number of archives")?;
    let turns = (0..archives).map(|_| cursor.varint("the turn of an archive"));
    let turns = turns.collect::<Result<_, _>>()?;
    let mut end = 0_u64;
    let patches = (0..count(cursor, "the number of patches")?).map(|_| {
        let expected = "a patch within a file";
        let gap =
            cursor.checked(expected, |cursor| cursor.varint(expected), |gap| *gap < 1 << 40)?;
        let size = count(cursor, "the size of a patch")?;
        let bytes = cursor.take(size as usize, "the bytes of a patch")?.to_vec();
        let offset_bytes = end.saturating_add(gap);
        end = offset_bytes.saturating_add(size);
        Ok(Patch { offset_bytes, bytes })
    });
    let patches = patches.collect::<Result<_, RecordError>>()?;
    Ok(Foreign { modified_nanos, turns, patches, trailing: cursor.rest().to_vec() })
}

/// A count of things of at least a byte each, so that what follows has room for them.
fn count(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<u64, RecordError> {
    let left = cursor.rest().len() as u64;
    cursor.checked(expected, |cursor| cursor.varint(expected), |count| *count <= left)
}

#[cfg(test)]
mod tests {
    use super::{Foreign, Patch, patches};

    fn foreign() -> Foreign {
        Foreign {
            modified_nanos: 0x0102_0304,
            turns: vec![5, 300],
            patches: vec![
                Patch { offset_bytes: 4, bytes: b"0004".into() },
                Patch { offset_bytes: 200, bytes: vec![7] },
            ],
            trailing: b"end".into(),
        }
    }

    #[test]
    fn the_diagram_holds() {
        let expected = [
            &[1, 4, 3, 2, 1, 0, 0, 0, 0, 2, 5, 0xac, 2, 2, 4, 4][..],
            b"0004",
            &[0xc0, 1, 1, 7],
            b"end",
        ];
        assert_eq!(foreign().encode(), expected.concat());
        assert_eq!(Foreign::decode(&foreign().encode()).unwrap(), foreign());
        assert_eq!(Foreign::modified_in(&foreign().encode()), Some(0x0102_0304));
        assert_eq!(Foreign::modified_in(&Foreign::default().encode()), None);
    }

    #[test]
    fn hostile_bytes_are_an_error_and_reach_no_other_place() {
        let good = foreign().encode();
        for at in 0..good.len() {
            let _ = Foreign::decode(&good[..at]);
            for value in 0..=255 {
                let mut bad = good.clone();
                bad[at] = value;
                if let Ok(read) = Foreign::decode(&bad) {
                    let mut file = vec![0; 300];
                    let _ = read.apply(250, &mut file);
                    assert_eq!(file[250..300], [0; 50]);
                }
            }
        }
        Foreign::decode(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f]).unwrap_err();
        foreign().apply(200, &mut vec![0; 300]).unwrap_err();
    }

    #[test]
    fn patches_make_one_header_of_the_other() {
        let ours = [0; 100];
        let mut theirs = ours;
        for at in [0, 3, 20, 21, 99] {
            theirs[at] = 1;
        }
        let found = patches(&ours, &theirs);
        assert_eq!(found.iter().map(|patch| patch.bytes.len()).collect::<Vec<_>>(), [4, 2, 1]);
        let mut file = ours.to_vec();
        Foreign { patches: found, ..Foreign::default() }.apply(100, &mut file).unwrap();
        assert_eq!(file, theirs);
    }
}
