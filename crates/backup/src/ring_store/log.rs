//! Copies the log: its segments from a position on, each up to its last complete frame.
//!
//! A segment is complete once there is a later one. The last segment is read until it stops
//! changing, or has more than when it was first read: then it has every record that was
//! acknowledged before. The bytes after its last complete frame are left out: they may be torn, or
//! newer than the rest.

use std::collections::HashMap;
use std::io;

use disk::{FileFacts, Identity};
use journal::{SegmentUse, is_segment, segment_use};

use super::Ring;
use super::group::read_whole;
use crate::copy::{Fault, newest_table};
use crate::entry::{Entry, OF_STORE};
use crate::steady::{TRIES, is_racy, is_same, wait_before};
use crate::table::Table;

/// The first frame of most segments ends before this offset.
const FIRST_LOOK_BYTES: u64 = 264 << 10;

/// A copy of the log.
#[derive(Debug, Default)]
pub(super) struct LogCopy {
    /// The position of its first record; `None` if it has none.
    pub(super) first: Option<u64>,
    /// Whether it has no gaps.
    pub(super) is_whole: bool,
    /// The segments that the snapshot takes, in order.
    names: Vec<String>,
    /// Segments that were copied; they are not copied again when the log grows.
    copied: HashMap<String, Segment>,
}

#[derive(Debug)]
struct Segment {
    used: SegmentUse,
    table: Table,
    entry: Entry,
}

impl LogCopy {
    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.names.iter().filter_map(|name| self.copied.get(name)).map(|segment| &segment.entry)
    }
}

impl<'b: 'scope, 'scope> Ring<'_, 'b, 'scope> {
    /// Copies the log from a position up to its present end.
    pub(super) fn copy_log(&mut self, from: u64, log: &mut LogCopy) -> Result<(), Fault> {
        (log.is_whole, log.first) = (false, None);
        log.names.clear();
        let live = self.live_segments()?;
        let Some(start) = live.iter().rposition(|(_, used)| used.first <= from) else {
            // Freed meanwhile, or never written.
            log.first = live.first().map(|(_, used)| used.first);
            log.is_whole = true;
            return Ok(());
        };
        let live = &live[start..];
        let mut end = live[0].1.first;
        for (nth, (name, look)) in live.iter().enumerate() {
            let is_last = nth + 1 == live.len();
            let Some(used) = self.copy_segment(name, look, is_last, log)? else { return Ok(()) };
            if used.first > end {
                return Ok(()); // the segment before was used again while it was read
            }
            end = end.max(used.end);
            log.names.push(name.clone());
        }
        log.first = Some(live[0].1.first);
        log.is_whole = true;
        Ok(())
    }

    /// The segments in the order of their use, without those whose records were all written again.
    fn live_segments(&self) -> Result<Vec<(String, SegmentUse)>, Fault> {
        let names = disk::names_in(&self.root).map_err(Fault::Source)?;
        let mut found = Vec::new();
        for name in names.iter().filter_map(|(name, _)| name.to_str()) {
            if !is_segment(name) {
                continue;
            }
            let path = self.root.join(name);
            let looked = match read_whole(&path, FIRST_LOOK_BYTES) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                looked => looked.map_err(Fault::Source)?,
            };
            let mut used = segment_use(&looked);
            if used.is_none() && looked.len() as u64 == FIRST_LOOK_BYTES {
                let bytes = FileFacts::at(&path).map_err(Fault::Source)?.bytes;
                used = segment_use(&read_whole(&path, bytes).map_err(Fault::Source)?);
            }
            found.extend(used.map(|used| (name.to_owned(), used)));
        }
        found.sort_by_key(|(_, used)| used.sequence);
        let mut live: Vec<(String, SegmentUse)> = Vec::new();
        for each in found {
            while live.pop_if(|(_, last)| last.first >= each.1.first).is_some() {}
            live.push(each);
        }
        Ok(live)
    }

    /// Copies a segment, unless it was copied before; `None` if it has been reused meanwhile.
    fn copy_segment(
        &mut self,
        name: &str,
        look: &SegmentUse,
        is_last: bool,
        log: &mut LogCopy,
    ) -> Result<Option<SegmentUse>, Fault> {
        let Some((facts, mut bytes)) = self.read_segment(name, look, is_last)? else {
            return Ok(None);
        };
        let used = segment_use(&bytes).expect("it was read for that");
        let earlier = log.copied.remove(name);
        if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.used == used) {
            let (table, entry) = (earlier.table.clone(), earlier.entry.clone());
            log.copied.insert(name.to_owned(), Segment { used, table, entry });
            return Ok(Some(used));
        }
        bytes[used.end_bytes..].fill(0);
        let previous = match earlier {
            Some(earlier) => Some(earlier.table),
            None => newest_table(self.copier.packs, self.known_of(name)),
        };
        let table = self.add_whole(&bytes, previous.as_ref())?;
        let facts = FileFacts { bytes: bytes.len() as u64, ..facts };
        let mut entry = self.copier.entry(&self.path.join(name), OF_STORE, facts, &table)?;
        // The copy is cut, so it never counts as the file's content, whatever the file's times are
        // later.
        entry.facts.identity = Identity::new(entry.facts.identity.device(), 0);
        log.copied.insert(name.to_owned(), Segment { used, table, entry });
        Ok(Some(used))
    }

    /// Reads a segment until its end is certain.
    fn read_segment(
        &self,
        name: &str,
        look: &SegmentUse,
        is_last: bool,
    ) -> Result<Option<(FileFacts, Vec<u8>)>, Fault> {
        let path = self.root.join(name);
        let mut first_end = None;
        for attempt in 0..TRIES {
            wait_before(attempt);
            let before = FileFacts::at(&path).map_err(Fault::Source)?;
            let is_young = is_racy(&before, self.copier.watch.now());
            let bytes = read_whole(&path, before.bytes).map_err(Fault::Source)?;
            let same = !is_young && is_same(&before, &FileFacts::at(&path).map_err(Fault::Source)?);
            let Some(used) = segment_use(&bytes) else {
                if same { return Ok(None) } else { continue }
            };
            if used.sequence != look.sequence {
                return Ok(None);
            }
            // All but the last segment are complete. In the last one, a frame that was being
            // written during the read is missing, and it may have been acknowledged. A later read
            // that reaches further includes it.
            let goes_further = first_end.is_some_and(|end| used.end > end);
            first_end.get_or_insert(used.end);
            let all_of_it = !is_last || same || goes_further;
            if all_of_it || attempt + 1 == TRIES {
                return Ok(Some((before, bytes)));
            }
        }
        Ok(None)
    }
}
