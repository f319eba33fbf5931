//! Reading an attic: the pages of some members alone. A damaged page costs the rows that stood
//! there.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Error;

use crate::attic::{AtticEntry, AtticIndex, entries_of};
use crate::engine::group_files::GroupFiles;
use crate::engine::{Cell, FileKind};
use crate::group::{AtticPage, Group};

/// Pages that are read at once.
const READ_PAGES: usize = 256;

/// The attic of a group at one moment. Its file stays as long as tiles are locked for
/// reading.
#[derive(Clone, Debug)]
pub(in crate::engine) struct AtticView {
    epoch: u32,
    index: Arc<AtticIndex>,
}

impl AtticView {
    pub(in crate::engine) fn of(group: &Group) -> Self {
        Self { epoch: group.attic.epoch, index: Arc::clone(&group.attic_index) }
    }

    pub(super) fn index(&self) -> &AtticIndex {
        &self.index
    }
}

/// What an attic has of some members.
#[derive(Debug, Default)]
pub(in crate::engine) struct AtticRows {
    /// In the order in which they were appended.
    pub(in crate::engine) entries: Vec<AtticEntry>,
    /// Pages that are damaged and may have had rows of one of them.
    pub(super) damaged: Vec<u32>,
}

impl AtticRows {
    /// What is wrong with the rows of a member.
    pub(in crate::engine) fn fault(
        &self,
        cell: &Cell,
        attic: &AtticView,
        member: u16,
    ) -> Option<Error> {
        let mut damaged = self.damaged.iter();
        let page = damaged.find(|page| attic.index.may_have(**page, member))?;
        Some(Error::Damaged {
            file: FileKind::Attic(attic.epoch).name(cell.id),
            offset_bytes: u64::from(*page) * PAGE_BYTES as u64,
            what: FAULT.into(),
        })
    }
}

/// What is wrong with a page.
pub(in crate::engine) const FAULT: &str = "expected a page of the attic";

impl<M: Medium<File: 'static>> GroupFiles<M> {
    /// The entries that an attic has of some members, in ascending order. Damaged pages are noted,
    /// and told with the rows.
    pub(in crate::engine) fn read_attic(
        &self,
        cell: &Cell,
        attic: &AtticView,
        members: &[u16],
    ) -> Result<AtticRows, Error> {
        let pages = attic.index.pages_of(members);
        let mut rows = AtticRows::default();
        if pages.is_empty() {
            return Ok(rows);
        }
        let file = match self.open(FileKind::Attic(attic.epoch), cell.id) {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => None,
            opened => Some(opened?),
        };
        let mut bytes = Vec::new();
        for run in pages.chunk_by(|page, next| page + 1 == *next) {
            for run in run.chunks(READ_PAGES) {
                read_pages(cell, attic.epoch, (file.as_ref(), run[0], run.len()), &mut bytes)?;
                for (page, number) in bytes.chunks(PAGE_BYTES).zip(run) {
                    match entries_of(page, cell.geometry.sources(), cell.id, *number) {
                        Some(found) => rows.entries.extend(
                            found
                                .into_iter()
                                .filter(|it| members.binary_search(&it.member).is_ok()),
                        ),
                        None => rows.damaged.push(*number),
                    }
                }
            }
        }
        let noted = rows.damaged.iter().map(|page| AtticPage { epoch: attic.epoch, page: *page });
        cell.group().damaged_attic.extend(noted);
        Ok(rows)
    }
}

/// Reads pages that lie side by side. What the file does not have are zeros.
fn read_pages<F: MediumFile>(
    cell: &Cell,
    epoch: u32,
    (file, first, count): (Option<&F>, u32, usize),
    bytes: &mut Vec<u8>,
) -> Result<(), Error> {
    bytes.clear();
    bytes.resize(count * PAGE_BYTES, 0);
    let Some(file) = file else { return Ok(()) };
    let name = FileKind::Attic(epoch).name(cell.id);
    let read = file.read_at(bytes, u64::from(first) * PAGE_BYTES as u64);
    read.map(drop).map_err(Error::io("reading", Path::new(&name)))
}
