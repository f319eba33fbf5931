//! Opening a journal: find its segments, read the log, make its end durable.

use std::collections::BTreeSet;

use disk::{Medium, MediumFile};

use super::chain::{Chain, Found, LogRead, without_replaced};
use super::damage::{Leniency, LogDamage, Passed};
use super::last_frames::LastFrames;
use super::last_use::{self, LastUse};
use super::look::Looked;
use super::outline;
use super::pieces::LogPiece;
use super::read_ahead::{for_each_segment, read_segment};
use super::read_end::ReadEnd;
use super::seen::{Files, SeenSegments, open_all};
use super::segment::{self, Segment, Slot};
use super::told::Outlines;
use super::writer::Writer;
use super::{JournalError, JournalOptions, LogPosition, Start, frame};

/// What recovery made of the log.
pub(super) struct Recovered<M: Medium> {
    /// What goes on writing it.
    pub(super) writer: Writer<M>,
    /// Its end.
    pub(super) end: LogPosition,
    /// Damage that was passed over.
    pub(super) damage: Vec<LogDamage>,
    pub(super) read: LogRead,
    /// Where it was only read, and can go on from there.
    pub(super) read_end: Option<ReadEnd>,
}

/// Opens a journal whose segments were looked at.
pub(super) fn open<M: Medium>(
    medium: M,
    options: JournalOptions,
    start: Start,
    (leniency, seen): (Leniency, SeenSegments<M::File>),
    visit: impl FnMut(LogPiece<'_>),
) -> Result<Recovered<M>, JournalError> {
    let mut writer = Writer::new(medium, options, start);
    let mut looked = writer.take_seen(seen);
    let noted = last_use::read(&*writer.medium)?;
    let begun = noted.map(|(_, last)| last);
    let newest = looked.found.last().map_or(0, |last| last.segment.sequence);
    writer.next_sequence = newest.max(begun.map_or(0, |begun| begun.sequence)) + 1;
    let Replayed { end, last, mut damage, read } =
        replay(&writer, &looked, begun, (start.from, leniency, true), visit)
            .map_err(|error| looked.explain(error))?;
    looked.forget_behind(last.as_ref());
    damage.extend(looked.mend(&writer)?);
    clear_unused(&mut writer, &looked, begun.map(|begun| begun.slot))?;
    writer.last_use_number = noted.map_or(0, |(number, _)| number);
    match writer.open_last_use() {
        // A full disk is no reason not to read the log.
        Err(error) if error.is_lack_of_room() => {}
        opened => drop(opened?),
    }
    match last {
        // Nothing tells whether its sync succeeded, and what can be read may yet be on no disk.
        Some(last) => writer.write_again(last)?,
        None => writer.start_at(end),
    }
    // Not before: of the segments that hold the last frame any may be the one that is durable.
    take_used(&mut writer, &looked.found, start.keep_from);
    writer.note_opened(begun)?;
    while writer.files.len() < writer.options.segments {
        writer.add_segment(0)?;
    }
    Ok(Recovered { writer, end, damage, read, read_end: None })
}

/// Reads a journal from a position on, without mending or writing anything.
pub(super) fn read<M: Medium>(
    medium: M,
    options: JournalOptions,
    start: Start,
    visit: impl FnMut(LogPiece<'_>),
) -> Result<Recovered<M>, JournalError> {
    let mut writer = Writer::new(medium, options, start);
    let noted = last_use::read(&*writer.medium)?;
    let begun = noted.map(|(_, last)| last);
    let files = open_all(&*writer.medium)?;
    let behind = behind(&files, &writer.options, start.from, begun)?;
    let is_wanted = |slot: &Slot| behind.as_ref().is_none_or(|slots| slots.contains(slot));
    let files = files.into_iter().filter(|(slot, _)| is_wanted(slot)).collect();
    let looked = writer.take_seen(SeenSegments::look_at(files, &writer.options)?);
    let how = (start.from, Leniency::Strict, false);
    let Replayed { end, last, damage, read } =
        replay(&writer, &looked, begun, how, visit).map_err(|error| looked.explain(error))?;
    let is_sure = behind.is_some() && damage.is_empty();
    let noted = noted.filter(|_| is_sure);
    let read_end = ReadEnd::of(&looked, last, noted, writer.options.block_bytes);
    Ok(Recovered { writer, end, damage, read, read_end })
}

/// The segments that hold what was written from a position on, as the headers of their first frames
/// tell; `None` if that cannot be relied on. Where one that is needed claims to be another, records
/// are missing from the chain, or its end.
#[expect(clippy::indexing_slicing, reason = "the position of one of them, or none")]
fn behind(
    files: &Files<impl MediumFile>,
    options: &JournalOptions,
    from: LogPosition,
    begun: Option<LastUse>,
) -> Result<Option<BTreeSet<Slot>>, JournalError> {
    let block_bytes = options.block_bytes;
    let mut bytes = vec![0; block_bytes + frame::HEADER_BYTES];
    let mut claims = Vec::new();
    for (slot, file) in files {
        let read = file.read_at(&mut bytes, 0).map_err(slot.io("reading"))?;
        let first = bytes.get(block_bytes..read).and_then(frame::claim);
        claims.extend(first.map(|(sequence, position)| (sequence, position, *slot)));
    }
    claims.sort_unstable();
    let newest = claims.last().map(|(sequence, _, slot)| (*sequence, *slot));
    // The use that was begun last must be among them.
    if newest.is_none() || newest != begun.map(|begun| (begun.sequence, begun.slot)) {
        return Ok(None);
    }
    let first = claims.iter().rposition(|(_, position, _)| *position <= from).unwrap_or(0);
    Ok(Some(claims[first..].iter().map(|(_, _, slot)| *slot).collect()))
}

/// What the log said.
struct Replayed {
    end: LogPosition,
    /// Its last frames; `None` if the next one goes to a fresh segment.
    last: Option<LastFrames>,
    damage: Vec<LogDamage>,
    read: LogRead,
}

/// Reads the log from a position on.
#[expect(clippy::indexing_slicing, reason = "a position in them, which are not empty")]
fn replay<M: Medium>(
    writer: &Writer<M>,
    looked: &Looked,
    begun: Option<LastUse>,
    (from, leniency, by_outlines): (LogPosition, Leniency, bool),
    visit: impl FnMut(LogPiece<'_>),
) -> Result<Replayed, JournalError> {
    let options = &writer.options;
    let cut = looked.cut_end(begun);
    let found = without_replaced(&looked.found);
    let Some(oldest) = found.first() else {
        return nothing_found(from, begun, cut, leniency);
    };
    let start = found.iter().rposition(|each| each.segment.first <= from);
    let block_bytes = options.block_bytes;
    let mut chain = Chain::new(&found[start.unwrap_or(0)], block_bytes, from, leniency, visit);
    if start.is_none() {
        let Segment { first, slot, .. } = oldest.segment;
        if leniency == Leniency::Strict {
            return Err(JournalError::Missing { from, oldest: first, segment: slot.name() });
        }
        let expected = format!("records from position {from} on");
        let error = slot.damaged(block_bytes, expected, format!("the first at {first}"));
        chain.passed.pass(error, (from, first), true)?;
    }
    let needed = &found[start.unwrap_or(0)..];
    let outlines = match by_outlines && leniency == Leniency::Strict {
        true => outline::read_all(&*writer.medium, needed),
        false => Outlines::new(),
    };
    for_each_segment(&writer.files, needed, (options, &outlines), |each, bytes| {
        let slot = each.segment.slot;
        let Some(outline) = outlines.get(&slot) else { return chain.follow(each, bytes) };
        if chain.take_outline(each, outline)? {
            return Ok(());
        }
        let bytes = read_segment(&writer.files[&slot], slot)?;
        chain.follow(each, &bytes)
    })?;
    chain.finish(found.last(), begun, cut)?;
    let Chain { end, last, passed, read, .. } = chain;
    Ok(Replayed { end, last, damage: passed.damage, read })
}

/// A log without a frame: a new one, one that was ended and whose segments were removed, or one
/// that is gone.
fn nothing_found(
    from: LogPosition,
    begun: Option<LastUse>,
    cut: Option<JournalError>,
    leniency: Leniency,
) -> Result<Replayed, JournalError> {
    let ended = begun.and_then(|begun| begun.end());
    let known = from.max(begun.map_or(LogPosition(0), |begun| begun.durable));
    let gone = || {
        let expected = format!("records up to position {known}");
        (known > LogPosition(0)).then(|| Slot(0).damaged(0, expected, "an empty journal"))
    };
    let mut passed = Passed::new(leniency);
    if ended != Some(from) {
        // How many records there were nothing tells, unless the log was ended.
        if let Some(error) = cut.or_else(gone) {
            let end = if ended.is_some() { known } else { from };
            passed.pass(error, (from, end), true)?;
        }
    }
    Ok(Replayed { end: known, last: None, damage: passed.damage, read: LogRead::default() })
}

/// Formats the segments that hold no frame, since an earlier life may not have finished that, and
/// clears what it left half written. `begun` is the segment that was begun last.
#[expect(clippy::indexing_slicing, reason = "each segment that was looked at has its file")]
pub(super) fn clear_unused<M: Medium>(
    writer: &mut Writer<M>,
    looked: &Looked,
    begun: Option<Slot>,
) -> Result<(), JournalError> {
    let Looked { found, blank, .. } = looked;
    let used = |slot: Slot| found.iter().any(|each| each.segment.slot == slot);
    let unused: Vec<Slot> = writer.files.keys().copied().filter(|slot| !used(*slot)).collect();
    for slot in unused {
        let segment = &writer.files[&slot];
        let formatted = match blank.contains(&slot) {
            true => segment::mark(segment, slot, &writer.options),
            false => segment::format(segment, slot, &writer.options),
        };
        match formatted {
            Ok(()) => writer.free.push_back(slot),
            // It is whole, and would be missed: `journal-last` names it. The next opening tries
            // again.
            Err(error) if error.is_lack_of_room() && begun == Some(slot) => {}
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
pub(super) fn take_used<M: Medium>(
    writer: &mut Writer<M>,
    found: &[Found],
    keep_from: LogPosition,
) {
    // Where the last frame went to a fresh segment, that is the newest.
    let fresh = std::mem::take(&mut writer.live);
    for segment in found.iter().map(|each| each.segment).chain(fresh) {
        writer.drop_replaced(segment.first);
        writer.live.push_back(segment);
    }
    writer.free_segments_before(keep_from);
}
