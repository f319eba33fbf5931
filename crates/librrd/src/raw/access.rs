//! Reading and writing an open file at its position, locking and closing it.

use std::ffi::{c_int, c_void};
use std::os::fd::AsRawFd as _;

use libc::off_t;
use rrdfile::Header;
use rrdtool::Failure;

use super::format::{Rrd, RrdFile};
use super::opened::Opened;
use crate::entry::{call, status};

/// What a call without a file is told.
const NO_FILE: &str = "no rrd_file_t was given";

/// Copies bytes from the position on, at most so many, and moves it behind them. Answers how many
/// there were.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_read(file: *mut RrdFile, buffer: *mut c_void, wanted: usize) -> isize {
    call(-1, || {
        // SAFETY: the caller hands an open file, or null.
        let file = unsafe { Opened::of(file) }.ok_or(NO_FILE)?;
        let position = file.position();
        let bytes = file.map.bytes_from(position, wanted);
        if bytes > 0 {
            // SAFETY: the map has so many bytes there, and the caller's buffer room for more.
            unsafe { buffer.cast::<u8>().copy_from(file.map.at(position), bytes) };
        }
        file.set_position(position.wrapping_add(bytes));
        Ok(bytes as isize)
    })
}

/// Writes bytes at the position, and moves it behind them. The file does not grow.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_write(file: *mut RrdFile, buffer: *const c_void, bytes: usize) -> isize {
    call(-1, || {
        // SAFETY: the caller hands an open file, or null.
        let file = unsafe { Opened::of(file) }.ok_or(NO_FILE)?;
        let (position, end) = (file.position(), file.map.len());
        if !file.map.is_writable() {
            return Err("attempting to write to a file that is open for reading".into());
        }
        if file.map.bytes_from(position, bytes) < bytes {
            return Err(Failure::misuse(format!(
                "attempting to write beyond end of file ({position} + {bytes} > {end})"
            )));
        }
        if bytes > 0 {
            // SAFETY: the map has so many bytes there, and the caller hands as many.
            unsafe { file.map.at(position).copy_from(buffer.cast(), bytes) };
        }
        file.set_position(position.wrapping_add(bytes));
        Ok(bytes as isize)
    })
}

/// Moves the position: from the beginning, from where it is, or from the end. It may leave the
/// file, where nothing can be read.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_seek(file: *mut RrdFile, offset: off_t, whence: c_int) -> off_t {
    call(-1, || {
        // SAFETY: the caller hands an open file, or null.
        let file = unsafe { Opened::of(file) }.ok_or(NO_FILE)?;
        let origin = match whence {
            libc::SEEK_SET => 0,
            libc::SEEK_CUR => file.position(),
            libc::SEEK_END => file.map.len(),
            // As with Debian's library: it stays where it is.
            _ => return Ok(0),
        };
        file.set_position(origin.wrapping_add_signed(offset as isize));
        Ok(0)
    })
}

/// The position.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_tell(file: *mut RrdFile) -> off_t {
    call(-1, || {
        // SAFETY: the caller hands an open file, or null.
        let file = unsafe { Opened::of(file) }.ok_or(NO_FILE)?;
        Ok(file.position() as off_t)
    })
}

/// Locks the whole file for writing, without waiting. What the system refuses is in `errno` alone.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_lock(file: *mut RrdFile) -> c_int {
    call(-1, || {
        // SAFETY: the caller hands an open file, or null.
        let file = unsafe { Opened::of(file) }.ok_or(NO_FILE)?;
        let held = file.file.as_ref();
        let held = held.ok_or("a database of a ring store has no file that could be locked")?;
        // SAFETY: all zeros are a lock from beginning to end.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as i16;
        lock.l_whence = libc::SEEK_SET as i16;
        // SAFETY: the descriptor is open, and the lock is what the call asks for.
        Ok(unsafe { libc::fcntl(held.as_raw_fd(), libc::F_SETLK, &raw const lock) })
    })
}

/// Has the kernel begin to write what was changed.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_flush(file: *mut RrdFile) {
    call((), || {
        // SAFETY: the caller hands an open file, or null.
        let file = unsafe { Opened::of(file) }.ok_or(NO_FILE)?;
        let start = file.map.at(0).cast();
        // SAFETY: it is the map's own memory.
        match unsafe { libc::msync(start, file.map.len(), libc::MS_ASYNC) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error().into()),
        }
    });
}

/// Tells the kernel that the rows will not be needed soon, but those that the next update writes.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dontneed(file: *mut RrdFile, _rrd: *mut Rrd) {
    call((), || {
        // SAFETY: the caller hands an open file, or null.
        let opened = unsafe { Opened::of(file) }.ok_or(NO_FILE)?;
        let file_bytes = opened.map.len() as u64;
        let (Some(file), Ok(header)) =
            (&opened.file, Header::decode(&header_bytes(opened), file_bytes))
        else {
            return Ok(()); // a file that is being made, or none: there is nothing to tell
        };
        for idle in idle_stretches(&header) {
            // SAFETY: the descriptor is open. It is advice: what comes of it does not matter.
            unsafe {
                let (start, bytes) = (idle.start as off_t, (idle.end - idle.start) as off_t);
                libc::posix_fadvise(file.as_raw_fd(), start, bytes, libc::POSIX_FADV_DONTNEED);
            }
        }
        Ok(())
    });
}

/// The first bytes of a file, at least all of its header.
fn header_bytes(opened: &Opened) -> Vec<u8> {
    let first = opened.map.copy_of_first(rrdfile::layout::STAT_HEAD_BYTES);
    let needed = Header::bytes_needed(&first, opened.map.len() as u64);
    needed.map_or(first, |needed| opened.map.copy_of_first(needed))
}

/// The stretches of a file between its header and the rows that come next.
fn idle_stretches(header: &Header) -> impl Iterator<Item = std::ops::Range<u64>> {
    let layout = &header.layout;
    let mut start = layout.header_bytes() as u64;
    let archives = header.definition.archives.iter().zip(&header.newest_rows).enumerate();
    let next_rows = archives
        .map(|(nth, (archive, newest))| layout.row_offset(nth, newest.advance(1, archive.rows)));
    let ends = next_rows.chain([layout.file_bytes()]);
    ends.map(move |end| {
        let idle = start..end.max(start);
        start = end + layout.row_bytes();
        idle
    })
}

/// Closes a file. The fields of its `rrd_t` then lead nowhere.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_close(file: *mut RrdFile) -> c_int {
    status(|| {
        // SAFETY: the caller hands an open file, or null, and does not use it any more.
        let opened = unsafe { Opened::take_back(file) }.ok_or(NO_FILE)?;
        drop(opened);
        Ok(())
    })
}
