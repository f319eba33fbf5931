//! Opening a journal: find its segments, read the log, make its end durable.

use disk::{Medium, MediumFile};

use super::chain::{Chain, Found, LastFrames, identify, without_replaced};
use super::read_ahead::{for_each_segment, read};
use super::segment::{self, FormatFault, Slot};
use super::writer::Writer;
use super::{JournalError, JournalOptions, LogPosition, RawRecord, Start};

/// To tell which use of a segment is the latest, its first frame is enough, and most end here.
const FIRST_LOOK_BYTES: usize = 256 << 10;

/// Opens a journal. Returns what goes on writing it, and its end.
pub(super) fn open<M: Medium>(
    medium: M,
    options: JournalOptions,
    start: Start,
    visit: impl FnMut(LogPosition, RawRecord<'_>),
) -> Result<(Writer<M>, LogPosition), JournalError> {
    let mut writer = Writer::new(medium, options, start);
    let (mut found, blank) = look_at_all(&mut writer)?;
    found.sort_by_key(|each| each.segment.sequence);
    writer.next_sequence = found.last().map_or(1, |last| last.segment.sequence + 1);
    let (end, last) = replay(&writer, &found, start.from, visit)?;
    clear_unused(&mut writer, &found, &blank)?;
    if let Some(last) = last {
        // Nothing tells whether its sync succeeded, and what can be read may yet be on no disk.
        writer.write_again(last)?;
    }
    // Not before: of the segments that hold the last frame any may be the one that is durable.
    take_used(&mut writer, &found, start.keep_from);
    while writer.files.len() < writer.options.segments {
        writer.add_segment()?;
    }
    Ok((writer, end))
}

/// Opens the file of every segment; returns those that hold a frame, and those that are as they were
/// made.
fn look_at_all<M: Medium>(writer: &mut Writer<M>) -> Result<(Vec<Found>, Vec<Slot>), JournalError> {
    let directory = "the journal's directory";
    let names = writer.medium.list().map_err(JournalError::io("listing", directory))?;
    let (mut found, mut blank) = (Vec::new(), Vec::new());
    let mut bytes = Vec::new();
    for slot in names.iter().filter_map(|name| Slot::of(name)) {
        let file = writer.medium.open(&slot.name()).map_err(slot.io("opening"))?;
        // Most of a segment is not looked at: the kernel shall not read it ahead.
        file.advise_random().map_err(slot.io("advising"))?;
        match look(&file, slot, &writer.options, &mut bytes)? {
            Some(each) => found.push(each),
            None if writer.options.is_blank(&bytes) => blank.push(slot),
            None => {}
        }
        writer.files.insert(slot, file);
    }
    Ok((found, blank))
}

fn look(
    file: &impl MediumFile,
    slot: Slot,
    options: &JournalOptions,
    bytes: &mut Vec<u8>,
) -> Result<Option<Found>, JournalError> {
    let (segment_bytes, block_bytes) = (options.segment_bytes, options.block_bytes);
    read(file, slot, segment_bytes.min(block_bytes + FIRST_LOOK_BYTES), bytes)?;
    let format = options.check_format(bytes);
    if let Err(FormatFault::Foreign { expected, found }) = format {
        return Err(slot.damaged(0, expected, found));
    }
    let at_once = identify(slot, bytes, block_bytes);
    let found = if at_once.is_some_and(|found| found.offset_bytes == block_bytes) {
        at_once
    } else {
        read(file, slot, segment_bytes, bytes)?;
        identify(slot, bytes, block_bytes)
    };
    // A segment without a frame was never used; whatever else is wrong with it is mended.
    if found.is_some() {
        if format.is_err() {
            return Err(slot.damaged(0, "the format of a journal", "something else"));
        }
        let file_bytes = file.len_bytes().map_err(slot.io("measuring"))?;
        if file_bytes != segment_bytes as u64 {
            let (expected, found) = (format!("{segment_bytes} bytes"), format!("{file_bytes}"));
            return Err(slot.damaged(file_bytes as usize, expected, found));
        }
    }
    Ok(found)
}

/// Reads the log from a position on; returns its end, and its last frames.
fn replay<M: Medium>(
    writer: &Writer<M>,
    found: &[Found],
    from: LogPosition,
    visit: impl FnMut(LogPosition, RawRecord<'_>),
) -> Result<(LogPosition, Option<LastFrames>), JournalError> {
    let found = without_replaced(found);
    let Some(oldest) = found.first() else {
        let nothing = || "an empty journal".to_owned();
        let lost = from > LogPosition(0);
        let missing = || Slot(0).damaged(0, format!("records up to position {from}"), nothing());
        return if lost { Err(missing()) } else { Ok((from, None)) };
    };
    let start = found.iter().rposition(|each| each.segment.first <= from);
    let start = start.ok_or_else(|| JournalError::Missing {
        from,
        oldest: oldest.segment.first,
        segment: oldest.segment.slot.name(),
    })?;
    let mut chain = Chain::new(&found[start], writer.options.block_bytes, from, visit);
    for_each_segment(&writer.files, &found[start..], &writer.options, |each, bytes| {
        chain.follow(each, bytes)
    })?;
    chain.finish(found.last())?;
    Ok((chain.end, chain.last))
}

/// Formats the segments that hold no frame, since an earlier life may not have finished that, and
/// clears what it left half written.
fn clear_unused<M: Medium>(
    writer: &mut Writer<M>,
    found: &[Found],
    blank: &[Slot],
) -> Result<(), JournalError> {
    let used = |slot: Slot| found.iter().any(|each| each.segment.slot == slot);
    let unused: Vec<Slot> = writer.files.keys().copied().filter(|slot| !used(*slot)).collect();
    for slot in unused {
        let file = &writer.files[&slot];
        let formatted = match blank.contains(&slot) {
            true => segment::mark(file, slot, &writer.options),
            false => segment::format(file, slot, &writer.options),
        };
        match formatted {
            Ok(()) => writer.free.push_back(slot),
            // Half made when the disk became full: the log needs it no more than before.
            Err(error) if error.is_lack_of_room() => {
                writer.medium.remove(&slot.name()).map_err(slot.io("removing"))?;
                writer.files.remove(&slot);
            }
            Err(error) => return Err(error),
        }
    }
    let block_bytes = writer.options.block_bytes;
    for torn in found.iter().filter(|each| each.offset_bytes > block_bytes) {
        writer.wipe(torn.segment.slot, block_bytes..2 * block_bytes)?;
    }
    // Nor may it have synced the names.
    segment::sync_names(&*writer.medium)
}

/// Tells live segments from free ones.
fn take_used<M: Medium>(writer: &mut Writer<M>, found: &[Found], keep_from: LogPosition) {
    // Where the last frame went to a fresh segment, that is the newest.
    let fresh = std::mem::take(&mut writer.live);
    for segment in found.iter().map(|each| each.segment).chain(fresh) {
        writer.drop_replaced(segment.first);
        writer.live.push_back(segment);
    }
    writer.free_segments_before(keep_from);
}
