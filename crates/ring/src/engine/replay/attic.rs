//! Pages of an attic that no checkpoint counts and the log does.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Error;

use crate::attic::{AtticGrowth, AtticIndex, entries_of};
use crate::engine::FileKind;
use crate::group::{AtticExtent, AtticPage, Group, SavedRows, Status};
use crate::tile::{TilePlace, block_in};

/// Counts pages that a flush had synced before it wrote over tiles. Opening has found those that
/// follow whole behind what the checkpoint counts. Others are read here. What cannot be read is
/// damaged, if the flush came to write over tiles: until then their rows stand in the tiles too,
/// and the next flush saves them again. The latter is so in a copy of a store, whose log is of a
/// later moment than the group's files.
pub(super) fn count_growth<M: Medium>(
    medium: &M,
    group: &mut Group,
    growth: &AtticGrowth,
) -> Result<(), Error> {
    let known = group.attic;
    if (growth.epoch, growth.end()) <= (known.epoch, known.pages) {
        return Ok(());
    }
    // A later attic has all that is needed of the earlier one.
    let is_later = growth.epoch > known.epoch;
    let first = if is_later { 0 } else { known.pages };
    let found = read_pages(medium, group, growth.epoch, first..growth.end())?;
    if found.iter().any(Option::is_none) && !has_begun_to_write(medium, group, growth)? {
        return Ok(());
    }
    if is_later {
        let (epoch, pages_kept) = (growth.epoch, growth.first_page);
        group.attic = AtticExtent { epoch, pages: 0, pages_kept };
        group.attic_index = Arc::default();
    }
    for (page, saved) in (first..).zip(found) {
        if saved.is_none() {
            group.damaged_attic.insert(AtticPage { epoch: growth.epoch, page });
        }
        let nth = page.checked_sub(growth.first_page);
        let logged = || {
            let members = growth.index.on_page(nth?).iter();
            Some(members.map(|member| SavedRows::unreadable(*member)).collect())
        };
        count_page(group, saved.or_else(logged));
    }
    Ok(())
}

/// The rows on each of these pages; `None` for one that cannot be read.
fn read_pages<M: Medium>(
    medium: &M,
    group: &Group,
    epoch: u32,
    pages: Range<u32>,
) -> Result<Vec<Option<Vec<SavedRows>>>, Error> {
    let name = FileKind::Attic(epoch).name(group.id);
    let file = match medium.open(&name) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(vec![None; pages.len()]),
        opened => opened.map_err(Error::io("opening", Path::new(&name)))?,
    };
    let mut bytes = vec![0; PAGE_BYTES];
    let sources = group.geometry.sources();
    let read = |page: u32| {
        let read = file.read_at(&mut bytes, u64::from(page) * PAGE_BYTES as u64);
        let read = read.map_err(Error::io("reading", Path::new(&name)))?;
        let entries = entries_of(&bytes[..read], sources, group.id, page);
        let saved =
            |entries: Vec<_>| entries.iter().map(|entry| SavedRows::of(entry, sources)).collect();
        Ok(entries.map(saved))
    };
    pages.map(read).collect()
}

/// Whether some tile has a block that the flush wrote, or is torn.
fn has_begun_to_write<M: Medium>(
    medium: &M,
    group: &Group,
    growth: &AtticGrowth,
) -> Result<bool, Error> {
    let Some(last_member) = group.members.len().checked_sub(1) else { return Ok(false) };
    let name = FileKind::Tiles.name(group.id);
    let io = || Error::io("reading", Path::new(&name));
    let tiles = medium.open(&name).map_err(io())?;
    let mut page = vec![0; PAGE_BYTES];
    for (nth, (shape, blocks)) in group.geometry.shapes().iter().zip(&growth.blocks).enumerate() {
        let last = blocks.start.max(blocks.end - shape.ring_tiles as i64)..blocks.end;
        for column in 0..=shape.column_of(last_member as u16) {
            let place = TilePlace { group: group.id, shape: nth as u32, column };
            for block in last.clone() {
                let offset_bytes = shape.page_of(column, block) * PAGE_BYTES as u64;
                let read = tiles.read_at(&mut page, offset_bytes).map_err(io())?;
                page[read..].fill(0); // a sparse file ends where nothing was written
                match block_in(&page, place) {
                    Ok(Some(found)) if found >= blocks.start => return Ok(true),
                    Ok(_) => {}
                    Err(_) => return Ok(true),
                }
            }
        }
    }
    Ok(false)
}

/// Counts one more page of the attic, with these rows; if none are given, it is not known which
/// they are.
fn count_page(group: &mut Group, saved: Option<Vec<SavedRows>>) {
    let index: &mut AtticIndex = Arc::make_mut(&mut group.attic_index);
    group.attic.pages += 1;
    let Some(saved) = saved else { return index.push_unreadable() };
    for rows in &saved {
        if let Some(holder) = group.members.get_mut(usize::from(rows.member())) {
            holder.status.set(Status::ATTIC, true);
        }
    }
    index.push(saved.iter().map(SavedRows::member));
    group.saved_uncounted.extend(saved);
}
