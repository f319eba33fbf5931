//! The header of an `.rrd` file among many: read by itself, and no more of a file than is looked
//! at.

use std::io;
use std::path::Path;

use disk::{File, FileKind, Mode};
use rrdfile::{Architecture, Header, to_native};

/// The first read: the whole header of most files.
const PAGE_BYTES: usize = 4096;
/// The most of a file that is read. A file of another architecture is read whole.
const BYTES_MAX: usize = 1 << 20;

/// The header of the file at a path; `None` if it is none, may not be read, or is too large to be
/// looked at in passing.
pub(crate) fn of(path: &Path) -> Option<Header> {
    let file = File::open(path, Mode::Read).ok()?;
    let facts = file.facts().ok().filter(|facts| facts.kind == FileKind::Regular)?;
    file.advise_random().ok()?;
    let mut bytes = Vec::new();
    read_up_to(&file, &mut bytes, PAGE_BYTES).ok()?;
    if Architecture::is_foreign(&bytes) {
        let whole = usize::try_from(facts.bytes).ok().filter(|whole| *whole <= BYTES_MAX)?;
        read_up_to(&file, &mut bytes, whole).ok()?;
        return to_native(&bytes).ok()?.header().ok();
    }
    let needed = Header::bytes_needed(&bytes, facts.bytes).ok()?;
    if needed > BYTES_MAX {
        return None;
    }
    read_up_to(&file, &mut bytes, needed).ok()?;
    // It may have been cut meanwhile.
    (bytes.len() >= needed).then(|| Header::decode(&bytes, facts.bytes).ok())?
}

/// Reads on, behind what was read, until there are so many bytes or the file ends.
fn read_up_to(file: &File, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
    let had = bytes.len();
    if had < wanted {
        bytes.resize(wanted, 0);
        let read = file.read_at(&mut bytes[had..], had as u64)?;
        bytes.truncate(had + read);
    }
    Ok(())
}
