//! Segments read one after the other, the next one while the last one is looked at.
#![expect(clippy::expect_used, reason = "its threads hold both ends of their channels")]

use std::collections::BTreeMap;
use std::sync::mpsc;

use disk::MediumFile;

use super::chain::Found;
use super::segment::{SegmentFile, Slot};
use super::told::Outlines;
use super::{JournalError, JournalOptions};

/// Two segments in memory: one is read from the disk, one is looked at.
const BUFFERS: usize = 2;

/// Hands each segment with its bytes to `take`, in order; without them where there is an outline.
pub(super) fn for_each_segment<F: MediumFile>(
    files: &BTreeMap<Slot, SegmentFile<F>>,
    found: &[Found],
    (options, outlines): (&JournalOptions, &Outlines),
    mut take: impl FnMut(&Found, &[u8]) -> Result<(), JournalError>,
) -> Result<(), JournalError> {
    let read = |each: &Found, bytes: &mut Vec<u8>| -> Result<(), JournalError> {
        let slot = each.segment.slot;
        if outlines.contains_key(&slot) {
            return Ok(());
        }
        *bytes = read_into(std::mem::take(bytes), &files[&slot], slot)?;
        Ok(())
    };
    if !options.read_ahead || found.len() < 2 {
        let mut bytes = Vec::new();
        return found.iter().try_for_each(|each| {
            read(each, &mut bytes)?;
            take(each, &bytes)
        });
    }
    for_each_read_ahead(found, &read, take)
}

/// All of a segment.
pub(super) fn read_segment<F: MediumFile>(
    segment: &SegmentFile<F>,
    slot: Slot,
) -> Result<Vec<u8>, JournalError> {
    read_into(Vec::new(), segment, slot)
}

fn read_into<F: MediumFile>(
    mut bytes: Vec<u8>,
    segment: &SegmentFile<F>,
    slot: Slot,
) -> Result<Vec<u8>, JournalError> {
    read(&segment.file, slot, segment.bytes, &mut bytes)?;
    bytes.resize(segment.bytes, 0); // what was cut off a segment holds no frame
    Ok(bytes)
}

/// The same with a thread that reads.
fn for_each_read_ahead(
    found: &[Found],
    read: &(impl Fn(&Found, &mut Vec<u8>) -> Result<(), JournalError> + Sync),
    mut take: impl FnMut(&Found, &[u8]) -> Result<(), JournalError>,
) -> Result<(), JournalError> {
    std::thread::scope(|scope| {
        let (give_full, full) = mpsc::sync_channel(BUFFERS);
        let (give_empty, empty) = mpsc::channel();
        (0..BUFFERS).for_each(|_| give_empty.send(Vec::new()).expect("we hold the receiver"));
        scope.spawn(move || {
            for each in found {
                // These fail only when the thread that takes has stopped at damage.
                let Ok(mut bytes) = empty.recv() else { return };
                let read = read(each, &mut bytes).map(|()| bytes);
                if give_full.send(read).is_err() {
                    return;
                }
            }
        });
        for each in found {
            let bytes = full.recv().expect("the reader sends something for each segment")?;
            take(each, &bytes)?;
            let _ = give_empty.send(bytes); // the reader may be done
        }
        Ok(())
    })
}

/// Reads the first `count` bytes of a segment, or as many as there are.
pub(super) fn read(
    file: &impl MediumFile,
    slot: Slot,
    count: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), JournalError> {
    bytes.resize(count, 0);
    let read = file.read_at(bytes, 0).map_err(slot.io("reading"))?;
    bytes.truncate(read);
    Ok(())
}
