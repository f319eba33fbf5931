//! Reads only the header of an `.rrd` file, for inspecting many files.

use std::io;
use std::path::Path;

use disk::{File, FileKind, Mode};
use rrdfile::{Architecture, Header, to_native};

/// The size of the first read: enough for most headers.
const PAGE_BYTES: usize = 4096;
/// The most bytes read of a file. A file of another architecture is read as a whole.
const BYTES_MAX: usize = 1 << 20;

/// The header of a file; `None` if it has none, may not be read, or is too large to be inspected.
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
    // The file may have been truncated meanwhile.
    (bytes.len() >= needed).then(|| Header::decode(&bytes, facts.bytes).ok())?
}

/// Continues reading until `bytes` has this many bytes or the file ends.
fn read_up_to(file: &File, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
    let had = bytes.len();
    if had < wanted {
        bytes.resize(wanted, 0);
        let read = file.read_at(&mut bytes[had..], had as u64)?;
        bytes.truncate(had + read);
    }
    Ok(())
}
