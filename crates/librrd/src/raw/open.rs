//! `rrd_open`: a file's header in memory.

use std::ffi::{c_char, c_uint};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::ptr::null_mut;

use rrdfile::layout::{Layout, STAT_HEAD_BYTES};
use rrdfile::{Header, encode_behind};
use rrdtool::Failure;
use store::Error;

use super::create::create;
use super::format::{Flags, LiveHead, Rrd, RrdFile};
use super::map::Map;
use super::opened::Opened;
use crate::entry::call;
use crate::{session, words};

/// Opens a file, and has the fields of `rrd` point to the parts of its header. A new file is as
/// large as the header says that `rrd` points to, and has nothing in it. Null where that fails.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_open(name: *const c_char, rrd: *mut Rrd, flags: c_uint) -> *mut RrdFile {
    call(null_mut(), || {
        // SAFETY: the caller hands a text.
        let name = unsafe { words::required(name, "the file's name")? };
        if rrd.is_null() {
            return Err("rrd_open needs an rrd_t".into());
        }
        let flags = Flags(flags);
        if flags.creates() {
            // SAFETY: the caller has filled in an rrd_t of what it wants.
            return unsafe { create(name, rrd, flags) };
        }
        // SAFETY: the caller hands room for an rrd_t, filled or not.
        unsafe { rrd.write(Rrd::EMPTY) };
        let (map, file) = bytes_of(name, flags)?;
        let layout = layout(name, &map)?;
        // SAFETY: as before; the map has all parts of the layout.
        unsafe { rrd.write(parts(&map, &layout, flags)) };
        Ok(Opened::hand_over(map, file, layout.header_bytes(), rrd))
    })
}

/// The bytes of a file, or of a database of a ring store as a file would have them.
fn bytes_of(name: &str, flags: Flags) -> Result<(Map, Option<File>), Failure> {
    let opened = OpenOptions::new().read(true).write(flags.writes()).open(name);
    let file = match opened {
        Ok(file) => file,
        Err(error) => return in_store(name, flags, error),
    };
    let unmapped = |error: io::Error| Failure::system(format!("mmaping file '{name}': "))(error);
    let file_bytes = file.metadata().map_err(unmapped)?.len();
    let bytes = usize::try_from(file_bytes).unwrap_or(usize::MAX); // the kernel refuses that many
    let map = match (flags.writes(), flags.reads_alone()) {
        (true, _) => Map::for_writing(file.as_fd(), bytes),
        (_, true) => Map::for_reading(file.as_fd(), bytes),
        // Neither is asked for: the kernel has no such map.
        _ => Err(io::Error::from_raw_os_error(libc::EINVAL)),
    };
    Ok((map.map_err(unmapped)?, Some(file)))
}

/// A database of a ring store, copied into memory; else why there is no such file.
fn in_store(name: &str, flags: Flags, error: io::Error) -> Result<(Map, Option<File>), Failure> {
    let is_missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let no_file = || Failure::system(format!("opening '{name}': "))(error);
    if !is_missing {
        return Err(no_file());
    }
    let found = session::with(|session| session.databases.snapshot(name));
    let Ok((header, snapshot)) = found else { return Err(no_file()) };
    if !flags.reads_alone() {
        let words = format!("'{name}' is in a ring store: it can be opened for reading alone");
        return Err(Failure::misuse(words));
    }
    let bytes = encode_behind(&header, &snapshot.rows);
    let bytes = bytes.map_err(Error::unwritable(Path::new(name)))?;
    let map = Map::of_copy(&bytes);
    Ok((map.map_err(Failure::system(format!("mmaping file '{name}': ")))?, None))
}

/// Where everything stands in a file. Its whole header must make sense.
fn layout(name: &str, map: &Map) -> Result<Layout, Failure> {
    let file_bytes = map.len() as u64;
    let wrong = |error| Failure::from(Error::format(Path::new(name))(error));
    let needed = Header::bytes_needed(&map.copy_of_first(STAT_HEAD_BYTES), file_bytes);
    let bytes = map.copy_of_first(needed.map_err(wrong)?);
    Ok(Header::decode(&bytes, file_bytes).map_err(wrong)?.layout)
}

/// Pointers to the parts of a header.
fn parts(map: &Map, layout: &Layout, flags: Flags) -> Rrd {
    let last_update: *mut libc::time_t = map.at(layout.live_offset()).cast();
    let (live_head, legacy_last_up) = match layout.has_micros() {
        true => (last_update.cast(), null_mut()),
        false => (whole(last_update), last_update),
    };
    let values: *mut f64 = map.at(layout.header_bytes()).cast();
    Rrd {
        stat_head: map.at(0),
        ds_def: map.at(Layout::source_offset(0)),
        rra_def: map.at(layout.archive_offset(0)),
        live_head,
        legacy_last_up,
        pdp_prep: map.at(layout.pdp_offset(0)),
        cdp_prep: map.at(layout.cdp_offset(0)),
        rra_ptr: map.at(layout.row_pointer_offset(0)),
        rrd_value: if flags.wants_values() { values } else { null_mut() },
        map_start: map.at(0).cast(),
        map_bytes: map.len() as i64,
    }
}

/// A live head of its own, as versions 0001 and 0002 have none. `rrd_free` gives it back.
fn whole(last_update: *mut libc::time_t) -> *mut LiveHead {
    // SAFETY: the map has these bytes, at a multiple of eight.
    let last_up = unsafe { last_update.read() };
    crate::memory::array(&[LiveHead { last_up, last_up_usec: 0 }])
}
