//! Names what the pages of a ring store's files hold, whether or not a process has the store open.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use disk::{File, Mode};
use pagecache::peek;
use ring::{CheckpointHead, PAGE_BYTES, RingStore, StoreFile, StorePages, TilePage};
use rrd::Tick;
use serde_json::json;

use super::{Pages, Part, times_text};
use crate::seconds_json::seconds_json;
use figures::step;

/// The catalogues of the stores whose files were seen, each read once.
#[derive(Default)]
pub(super) struct Stores(Mutex<HashMap<PathBuf, Arc<Known>>>);

/// The content of a catalogue; `None` if it cannot be read.
type Known = OnceLock<Option<StorePages>>;

impl Stores {
    /// The pages of a file; `None` if the file does not belong to a ring store.
    pub(super) fn pages_of(&self, path: &Path) -> Option<StoreFilePages> {
        let file = StoreFile::of_name(path.file_name()?.to_str()?)?;
        let root = path.parent().filter(|root| !root.as_os_str().is_empty());
        let root = root.unwrap_or(Path::new("."));
        if !RingStore::is_at(root) {
            return None;
        }
        let store = self.store(root);
        let of_group = match file {
            StoreFile::Tiles(group) | StoreFile::Checkpoint(group, _) => heads(root, group),
            _ => [None, None],
        };
        Some(StoreFilePages { file, store, heads: of_group })
    }

    fn store(&self, root: &Path) -> Arc<Known> {
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let store = Arc::clone(known.entry(root.to_path_buf()).or_default());
        drop(known);
        store.get_or_init(|| {
            let bytes = read_past_the_cache(&root.join("catalogue"), usize::MAX).ok()?;
            StorePages::of_catalogue(&bytes).ok()
        });
        store
    }
}

/// The heads of a group's two checkpoints, where they can be read.
fn heads(root: &Path, group: u32) -> [Option<CheckpointHead>; 2] {
    StoreFile::checkpoints_of(group).map(|name| {
        let bytes = read_past_the_cache(&root.join(name), CheckpointHead::bytes_max()).ok()?;
        CheckpointHead::of(&bytes, group)
    })
}

fn read_past_the_cache(path: &Path, bytes_max: usize) -> io::Result<Vec<u8>> {
    let file = File::open(path, Mode::Read)?;
    let file_bytes = file.len_bytes()?;
    let mut bytes = vec![0; file_bytes.min(bytes_max as u64) as usize];
    let read = peek(&file, file_bytes, &mut bytes)?.ok_or(io::ErrorKind::PermissionDenied)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The pages of one file of a store.
pub(super) struct StoreFilePages {
    file: StoreFile,
    store: Arc<Known>,
    heads: [Option<CheckpointHead>; 2],
}

/// The parts of a checkpoint's file, in order.
const CHECKPOINT_PARTS: [&str; 3] = ["head and members", "states and open tiles", "behind its end"];

impl StoreFilePages {
    fn tile(&self, page: u64) -> Option<(&StorePages, u32, TilePage)> {
        let StoreFile::Tiles(group) = self.file else { return None };
        let store = self.store.get()?.as_ref()?;
        Some((store, group, store.tile(group, page)?))
    }

    /// The last flushed block of tiles with this shape.
    fn flushed_block(&self, tile: &TilePage) -> Option<i64> {
        let newest = self.heads.iter().flatten().max_by_key(|head| head.sequence)?;
        newest.flushed_blocks.get(tile.nth_shape).copied()
    }

    /// The part of the checkpoint that begins in this page, by its index.
    fn checkpoint_part(&self, place: usize, page: u64) -> usize {
        let Some(head) = &self.heads[place] else { return 0 };
        let start = page * PAGE_BYTES as u64;
        match start {
            _ if start >= head.bytes => 2,
            _ if start >= head.members_end_bytes => 1,
            _ => 0,
        }
    }

    /// Whether the next checkpoint goes to this place: the place without a checkpoint, or with the
    /// older one.
    fn is_next_checkpoint(&self, place: usize) -> bool {
        let sequence = |place: usize| self.heads[place].as_ref().map(|head| head.sequence);
        sequence(place) < sequence(1 - place)
    }

    fn tiles_part(&self, pages: &Range<u64>) -> Option<Part> {
        let (store, group, first) = self.tile(pages.start)?;
        let (_, _, last) = self.tile(pages.end - 1)?;
        let definition = store.definition(group)?;
        let archives = first.archives.iter().filter_map(|it| definition.archives.get(*it));
        let tick = definition.tick;
        let row_ticks = first.shape.pdp_per_row * definition.step_seconds;
        let row_seconds = tick.seconds_of(row_ticks);
        let seconds = |row: i64| tick.to_floor(row * row_ticks as i64, Tick::SECOND);
        let functions: Vec<String> = archives.map(|archive| archive.cf.to_string()).collect();
        let rows = self.rows(store, group, &first, &last);
        let times: Vec<(i64, i64)> =
            rows.iter().map(|rows| (seconds(rows.start), seconds(rows.end - 1))).collect();
        let mut names = store.names(group, &first.members);
        let databases = names.len();
        let ends = names.next().map(|first| (first, names.next_back().unwrap_or(first)));
        let mut text = format!("group {group}, {} {}", functions.join("+"), step(row_seconds));
        let (start, end) = (first.members.start, first.members.end - 1);
        text += &format!(", members {start}-{end}");
        text += &match ends {
            Some((first, last)) if first != last => format!(" ({first} to {last})"),
            Some((only, _)) => format!(" ({only})"),
            None => String::new(),
        };
        if !times.is_empty() {
            text += &format!(", {}", times_text(&times));
        }
        let json = json!({
            "what": "tile", "group": group, "archives": first.archives,
            "row_seconds": seconds_json(row_seconds),
            "column": first.column, "ring_tiles": [first.ring_tile, last.ring_tile],
            "members": [start, end], "databases": databases,
            "first_database": ends.map(|(first, _)| first),
            "last_database": ends.map(|(_, last)| last), "times": times,
        });
        Some(Part { text, json })
    }

    /// The row indices of neighbouring tiles: one range, or two where the ring wraps among them.
    fn rows(
        &self,
        store: &StorePages,
        group: u32,
        first: &TilePage,
        last: &TilePage,
    ) -> Vec<Range<i64>> {
        let Some(flushed) = self.flushed_block(first) else { return Vec::new() };
        let newest = flushed.rem_euclid(first.shape.ring_tiles as i64) as u64;
        let older = first.ring_tile.max(newest + 1)..last.ring_tile + 1;
        let newer = first.ring_tile..(last.ring_tile + 1).min(newest + 1);
        let rows = |tiles: Range<u64>| {
            let at = |ring_tile| TilePage { ring_tile, ..first.clone() };
            let start = store.rows(group, &at(tiles.start), flushed)?.start;
            Some(start..store.rows(group, &at(tiles.end - 1), flushed)?.end)
        };
        [older, newer].into_iter().filter(|tiles| !tiles.is_empty()).filter_map(rows).collect()
    }
}

impl Pages for StoreFilePages {
    fn key(&self, page: u64) -> u64 {
        match self.file {
            StoreFile::Tiles(_) => match self.tile(page) {
                Some((_, _, tile)) => (tile.nth_shape as u64) << 32 | u64::from(tile.column),
                None => u64::MAX,
            },
            StoreFile::Checkpoint(_, place) => self.checkpoint_part(place, page) as u64,
            _ => 0,
        }
    }

    fn is_hot(&self, page: u64) -> bool {
        match self.file {
            StoreFile::Tiles(_) => self.tile(page).is_some_and(|(_, _, tile)| {
                self.flushed_block(&tile).is_some_and(|block| StorePages::is_next(&tile, block))
            }),
            StoreFile::Checkpoint(_, place) => {
                self.is_next_checkpoint(place) && self.checkpoint_part(place, page) < 2
            }
            _ => false,
        }
    }

    fn parts(&self, pages: Range<u64>) -> Vec<Part> {
        vec![match self.file {
            StoreFile::Lock => Part::plain("lock", "lock of the store"),
            StoreFile::Catalogue => Part::plain("catalogue", "catalogue"),
            StoreFile::Journal => Part::plain("journal", "segment of the journal"),
            StoreFile::Attic(group) => Part {
                text: format!("group {group}, private rows of databases out of step"),
                json: json!({ "what": "attic", "group": group }),
            },
            StoreFile::Checkpoint(group, place) => {
                let part = CHECKPOINT_PARTS[self.checkpoint_part(place, pages.start)];
                let sequence = self.heads[place].as_ref().map(|head| head.sequence);
                let number = sequence.map_or(String::new(), |number| format!(" {number}"));
                let text = format!("group {group}, checkpoint{number}: {part}");
                let json = json!({
                    "what": "checkpoint", "group": group, "sequence": sequence, "part": part,
                });
                Part { text, json }
            }
            StoreFile::Tiles(group) => self.tiles_part(&pages).unwrap_or_else(|| Part {
                text: format!("group {group}, tiles; the catalogue does not tell which"),
                json: json!({ "what": "tile", "group": group }),
            }),
        }]
    }
}
