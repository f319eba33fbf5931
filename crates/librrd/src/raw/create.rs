//! `rrd_open` of a file that is to be made.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};

use rrdfile::layout::Layout;
use rrdtool::Failure;

use super::format::{Flags, Rrd, RrdFile};
use super::map::Map;
use super::opened::Opened;

/// Bytes from the beginning of a definition of an archive to that of the next.
const ARCHIVE_BYTES: usize = 120;
/// Where its number of rows stands.
const ROWS_OFFSET: usize = 24;
/// Where `stat_head_t` has its counts.
const SOURCE_COUNT_OFFSET: usize = 24;
const ARCHIVE_COUNT_OFFSET: usize = 32;

/// Makes a file with room for what `rrd` says. The program writes what belongs there.
///
/// # Safety
/// `rrd` is filled in: its pointers are null, or lead to what their types say.
pub(super) unsafe fn create(
    name: &str,
    rrd: *mut Rrd,
    flags: Flags,
) -> Result<*mut RrdFile, Failure> {
    if !flags.writes() {
        return Err("rrd_open makes a file for writing alone".into());
    }
    // SAFETY: as the caller promises.
    let layout = unsafe { wanted_layout(&*rrd) }?;
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match flags.is_exclusive() {
        true => options.create_new(true),
        false => options.create(true).truncate(true),
    };
    let opened = options.open(name);
    let file = opened.map_err(Failure::system(format!("opening '{name}': ")))?;
    reserve(&file, layout.file_bytes())
        .map_err(Failure::system(format!("posix_fallocate '{name}': ")))?;
    let map = Map::for_writing(file.as_fd(), layout.file_bytes() as usize);
    let map = map.map_err(Failure::system(format!("mmaping file '{name}': ")))?;
    // SAFETY: as the caller promises.
    unsafe {
        (*rrd).map_start = map.at(0).cast();
        (*rrd).map_bytes = map.len() as i64;
    }
    // Nothing is in it, so it has no header yet.
    Ok(Opened::hand_over(map, Some(file), 0, rrd))
}

/// # Safety
/// As for [`create`].
unsafe fn wanted_layout(rrd: &Rrd) -> Result<Layout, Failure> {
    if rrd.stat_head.is_null() || rrd.rra_def.is_null() {
        return Err("rrd_open makes a file of the size that a filled rrd_t says".into());
    }
    // SAFETY: the program says that these are a stat_head_t and as many rra_def_t as it counts.
    let count = |place: *const u8, offset: usize| unsafe { place.add(offset).cast::<u64>().read() };
    let sources = count(rrd.stat_head, SOURCE_COUNT_OFFSET);
    let archives = count(rrd.stat_head, ARCHIVE_COUNT_OFFSET);
    let rows =
        (0..archives as usize).map(|nth| count(rrd.rra_def, nth * ARCHIVE_BYTES + ROWS_OFFSET));
    let layout = usize::try_from(sources).ok().and_then(|sources| Layout::new(sources, rows));
    layout.ok_or_else(|| "a file cannot be as large as this rrd_t says".into())
}

fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    // SAFETY: the descriptor is open.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, bytes as i64) } {
        0 => Ok(()),
        number => Err(io::Error::from_raw_os_error(number)),
    }
}
