//! Pages that cannot be read, made unknown.

use std::path::Path;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Damage;
use store::Error;

use super::super::loss::damage_of_marks;
use super::super::verify::places_of;
use super::super::{Cell, FileKind};
use super::{Salvaged, Salvager};
use crate::attic::{empty_page, entries_of, pages_of};
use crate::tile::{Page, TilePlace};

impl<M: Medium<File: 'static>> Salvager<'_, M> {
    /// Takes the marks of lost rows out of the attics: from here on the rows read as unknown, and
    /// no report names them.
    pub(super) fn give_up_lost_rows(&self, salvaged: &mut Salvaged) -> Result<(), Error> {
        for cell in self.registry.cells() {
            for damage in self.remove_marks(&cell)? {
                salvaged.give_up(&damage.file, damage.offset_bytes, damage.what);
            }
        }
        Ok(())
    }

    /// Writes the pages of an attic that have marks anew, without them. Returns what they said.
    fn remove_marks(&self, cell: &Cell) -> Result<Vec<Damage>, Error> {
        let extent = cell.group().attic;
        if extent.pages == 0 {
            return Ok(Vec::new());
        }
        let kind = FileKind::Attic(extent.epoch);
        let (name, file) = (kind.name(cell.id), self.files.open(kind, cell.id)?);
        let sources = cell.geometry.sources();
        let mut marks = Vec::new();
        let mut page = vec![0; PAGE_BYTES];
        for number in 0..extent.pages {
            let offset_bytes = u64::from(number) * PAGE_BYTES as u64;
            let read = file.read_at(&mut page, offset_bytes);
            let read = read.map_err(Error::io("reading", Path::new(&name)))?;
            let entries = entries_of(&page[..read], sources, cell.id, number).unwrap_or_default();
            let (lost, kept): (Vec<_>, Vec<_>) =
                entries.into_iter().partition(|entry| entry.lost.is_some());
            if lost.is_empty() {
                continue;
            }
            let bytes = match kept.is_empty() {
                true => empty_page(cell.id, number),
                false => pages_of(&kept, sources, cell.id, number).bytes,
            };
            file.write_at(&bytes, offset_bytes).map_err(Error::io("writing", Path::new(&name)))?;
            marks.extend(lost);
        }
        file.sync_data().map_err(Error::io("syncing", Path::new(&name)))?;
        cell.group().lost_rows.clear();
        Ok(damage_of_marks(self.registry, cell, &marks))
    }

    /// Gives up what a page holds that was found damaged. Damage of anything but a page is left to
    /// those whose file it is.
    pub(super) fn give_up_page(
        &self,
        damage: &Damage,
        salvaged: &mut Salvaged,
    ) -> Result<(), Error> {
        let Damage { file: name, offset_bytes: Some(offset_bytes), what } = damage else {
            return Ok(());
        };
        let group = FileKind::group_of(name);
        let Some(cell) = group.and_then(|group| self.registry.world().cell(group).cloned()) else {
            return Ok(());
        };
        let number = offset_bytes / PAGE_BYTES as u64;
        let bytes = if *name == FileKind::Tiles.name(cell.id) {
            let Some((place, tile)) = places_of(&cell).nth(number as usize) else { return Ok(()) };
            cell.group().damaged_pages.remove(&number);
            unknown_tile(&cell, place, tile)
                .map_or_else(|| vec![0; PAGE_BYTES], |page| page.bytes().to_vec())
        } else {
            empty_page(cell.id, number as u32)
        };
        let file = self.files.medium().open(name).map_err(Error::io("opening", Path::new(name)))?;
        file.write_at(&bytes, *offset_bytes).map_err(Error::io("writing", Path::new(name)))?;
        file.sync_data().map_err(Error::io("syncing", Path::new(name)))?;
        salvaged.give_up(name, Some(*offset_bytes), what.clone());
        Ok(())
    }
}

/// A tile without values of the block that should stand in a place of a ring; `None` if none was
/// written there yet.
pub(super) fn unknown_tile(cell: &Cell, place: TilePlace, tile: u64) -> Option<Page> {
    let nth = place.shape as usize;
    let ring_tiles = cell.geometry.shapes()[nth].ring_tiles as i64;
    let newest = cell.group().rows.shapes[nth].flushed_block;
    let block = newest.checked_sub((newest - tile as i64).rem_euclid(ring_tiles))?;
    let mut page = Page::unknown();
    page.seal(place, block);
    Some(page)
}
