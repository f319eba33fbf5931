//! An entry of an index: one file, directory or link.
//!
//! ```text
//!   0      1   kind      0 directory, 1 file, 2 symbolic link
//!   1      1   flags     1 changed while it was copied, 2 progress: not of the snapshot itself,
//!                        4 of a ring store (their sum)
//!   2      4   permissions
//!   6      4   user
//!   10     4   group
//!   14     8   bytes
//!   22     8   bytes allocated
//!   30     8   device
//!   38     8   inode
//!   46    12   modified: 8 seconds, 4 nanoseconds
//!   58    12   changed
//!   70     +   path      2 bytes of length, then the path below the source
//!   +      +   link      where it leads, likewise
//!   +     32   file      table: 4 pack (0: none, the file is empty), 8 offset, 4 bytes, 8 hash,
//!                        4 oldest pack that it names, 4 zeros
//! ```

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use disk::{FileFacts, FileKind, Identity, Moment};

use crate::cursor::Cursor;

/// The file changed while it was copied, in every attempt.
pub(crate) const UNSETTLED: u8 = 1;
/// An entry of progress: after a kill it tells the next run which pages are on disk already.
pub(crate) const PROGRESS: u8 = 2;
/// The file belongs to the ring store in the last directory before it.
pub(crate) const OF_STORE: u8 = 4;

/// The position of a file's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableRef {
    pub(crate) pack: u32,
    pub(crate) offset_bytes: u64,
    pub(crate) bytes: u32,
    pub(crate) hash: u64,
    /// The oldest pack that has the table or a page of the file.
    pub(crate) oldest_pack: u32,
}

/// The part of an entry that depends on its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Directory,
    /// `None` if the file is empty.
    File(Option<TableRef>),
    Link(OsString),
}

/// One file, directory or link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The path below the source; empty for the source itself.
    pub(crate) path: OsString,
    pub(crate) flags: u8,
    pub(crate) facts: FileFacts,
    pub(crate) content: Content,
}

impl Entry {
    pub(crate) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The table of a file with pages.
    pub(crate) fn table(&self) -> Option<&TableRef> {
        match &self.content {
            Content::File(table) => table.as_ref(),
            _ => None,
        }
    }

    /// Whether the file is unchanged since this entry was made, so that its content need not be
    /// read.
    pub(crate) fn is_current(&self, now: &FileFacts) -> bool {
        let then = &self.facts;
        let same_state =
            (then.bytes, then.modified, then.changed) == (now.bytes, now.modified, now.changed);
        then.kind == now.kind && then.identity == now.identity && same_state && !self.is(UNSETTLED)
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let kind = match self.content {
            Content::Directory => 0,
            Content::File(_) => 1,
            Content::Link(_) => 2,
        };
        let facts = &self.facts;
        out.extend_from_slice(&[kind, self.flags]);
        for number in [facts.permissions, facts.user, facts.group] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let (device, inode) = (facts.identity.device(), facts.identity.inode());
        for number in [facts.bytes, facts.allocated_bytes, device, inode] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for moment in [facts.modified, facts.changed] {
            out.extend_from_slice(&moment.seconds.to_le_bytes());
            out.extend_from_slice(&moment.nanoseconds.to_le_bytes());
        }
        put_counted(&self.path, out);
        match &self.content {
            Content::Directory => {}
            Content::Link(target) => put_counted(target, out),
            Content::File(table) => put_table(table.as_ref(), out),
        }
    }

    /// The next entry; `None` if there is none.
    pub(crate) fn decode(cursor: &mut Cursor<'_>) -> Option<Self> {
        let (kind, flags) = (cursor.byte()?, cursor.byte()?);
        let (permissions, user, group) = (cursor.word()?, cursor.word()?, cursor.word()?);
        let (bytes, allocated_bytes) = (cursor.long()?, cursor.long()?);
        let identity = Identity::new(cursor.long()?, cursor.long()?);
        let (modified, changed) = (moment(cursor)?, moment(cursor)?);
        let path = OsString::from_vec(cursor.counted()?.to_vec());
        let (kind, content) = match kind {
            0 => (FileKind::Directory, Content::Directory),
            1 => (FileKind::Regular, Content::File(table(cursor)?)),
            2 => (FileKind::Link, Content::Link(OsStr::from_bytes(cursor.counted()?).to_owned())),
            _ => return None,
        };
        let facts = FileFacts {
            kind,
            permissions,
            user,
            group,
            bytes,
            allocated_bytes,
            identity,
            modified,
            changed,
        };
        Some(Self { path, flags, facts, content })
    }
}

fn put_counted(text: &OsStr, out: &mut Vec<u8>) {
    // The kernel accepts no path of more than 4,096 bytes.
    let count = u16::try_from(text.len()).expect("paths are short");
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn put_table(table: Option<&TableRef>, out: &mut Vec<u8>) {
    let none = TableRef { pack: 0, offset_bytes: 0, bytes: 0, hash: 0, oldest_pack: 0 };
    let table = table.unwrap_or(&none);
    out.extend_from_slice(&table.pack.to_le_bytes());
    out.extend_from_slice(&table.offset_bytes.to_le_bytes());
    out.extend_from_slice(&table.bytes.to_le_bytes());
    out.extend_from_slice(&table.hash.to_le_bytes());
    out.extend_from_slice(&table.oldest_pack.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
}

fn table(cursor: &mut Cursor<'_>) -> Option<Option<TableRef>> {
    let table = TableRef {
        pack: cursor.word()?,
        offset_bytes: cursor.long()?,
        bytes: cursor.word()?,
        hash: cursor.long()?,
        oldest_pack: cursor.word()?,
    };
    cursor.bytes(4)?;
    Some((table.pack != 0).then_some(table))
}

fn moment(cursor: &mut Cursor<'_>) -> Option<Moment> {
    let seconds = cursor.long()?.cast_signed();
    Some(Moment { seconds, nanoseconds: cursor.word()? })
}

/// The order of paths in an index: a directory, everything below it, then the next name.
pub(crate) fn compare(a: &OsStr, b: &OsStr) -> std::cmp::Ordering {
    let key = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    a.as_bytes().iter().map(key).cmp(b.as_bytes().iter().map(key))
}

/// Whether a path is a directory or below it.
pub(crate) fn is_below(path: &OsStr, directory: &OsStr) -> bool {
    let Some(rest) = path.as_bytes().strip_prefix(directory.as_bytes()) else { return false };
    directory.is_empty() || rest.is_empty() || rest[0] == b'/'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> FileFacts {
        FileFacts {
            kind: FileKind::Regular,
            permissions: 0o644,
            user: 1,
            group: 2,
            bytes: 3,
            allocated_bytes: 4,
            identity: Identity::new(5, 6),
            modified: Moment { seconds: 7, nanoseconds: 8 },
            changed: Moment { seconds: 9, nanoseconds: 10 },
        }
    }

    #[test]
    fn the_picture_is_true() {
        let table = TableRef { pack: 11, offset_bytes: 12, bytes: 13, hash: 14, oldest_pack: 15 };
        let path = OsString::from_vec(b"a/\xff".to_vec());
        let content = Content::File(Some(table));
        let entry = Entry { path, flags: UNSETTLED, facts: facts(), content };
        let mut bytes = Vec::new();
        entry.encode(&mut bytes);
        assert_eq!(bytes[..2], [1, 1]);
        let numbers = [(2, 0o644), (6, 1), (10, 2), (14, 3), (22, 4), (30, 5), (38, 6)];
        for (at, number) in numbers.into_iter().chain([(46, 7), (54, 8), (58, 9), (66, 10)]) {
            assert_eq!(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()), number);
        }
        assert_eq!(bytes[70..75], *b"\x03\0a/\xff");
        assert_eq!(bytes[75..].len(), 32);
        assert_eq!(Entry::decode(&mut Cursor(&bytes)).unwrap(), entry);
        assert!((0..bytes.len()).all(|end| Entry::decode(&mut Cursor(&bytes[..end])).is_none()));
    }

    #[test]
    fn what_lies_below_comes_before_what_follows() {
        let mut paths = ["", "a", "a/b", "a/b/c", "a b", "a.rrd", "ab"].map(OsStr::new);
        let sorted = paths;
        paths.reverse();
        paths.sort_by(|a, b| compare(a, b));
        assert_eq!(paths, sorted);
        assert!(is_below(OsStr::new("a/b"), OsStr::new("a")));
        assert!(!is_below(OsStr::new("ab"), OsStr::new("a")));
        assert!(is_below(OsStr::new("ab"), OsStr::new("")));
    }
}
