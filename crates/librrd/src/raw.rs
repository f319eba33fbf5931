//! The functions by which programs reach into a file past the library. They need `rrd_t`, the
//! picture of a file in memory, which gyre does not have: each fails and says so.

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr::null_mut;

use crate::context;

/// Sets the error, then answers.
fn refuse<T>(answer: T) -> T {
    context::set_error(
        "this librrd gives no access to the inside of a file (rrd_open and its kin)",
    );
    answer
}

/// Opens nothing.
#[unsafe(no_mangle)]
extern "C" fn rrd_open(_name: *const c_char, _rrd: *mut c_void, _flags: c_uint) -> *mut c_void {
    refuse(null_mut())
}

/// There is nothing to close.
#[unsafe(no_mangle)]
extern "C" fn rrd_close(_file: *mut c_void) -> c_int {
    refuse(-1)
}

/// Reads nothing.
#[unsafe(no_mangle)]
extern "C" fn rrd_read(_file: *mut c_void, _buffer: *mut c_void, _bytes: usize) -> isize {
    refuse(-1)
}

/// Writes nothing.
#[unsafe(no_mangle)]
extern "C" fn rrd_write(_file: *mut c_void, _buffer: *const c_void, _bytes: usize) -> isize {
    refuse(-1)
}

/// Goes nowhere.
#[unsafe(no_mangle)]
extern "C" fn rrd_seek(_file: *mut c_void, _offset: libc::off_t, _whence: c_int) -> libc::off_t {
    refuse(-1)
}

/// There is no position.
#[unsafe(no_mangle)]
extern "C" fn rrd_tell(_file: *mut c_void) -> libc::off_t {
    refuse(-1)
}

/// Locks nothing.
#[unsafe(no_mangle)]
extern "C" fn rrd_lock(_file: *mut c_void) -> c_int {
    refuse(-1)
}

/// There is nothing to write out.
#[unsafe(no_mangle)]
extern "C" fn rrd_flush(_file: *mut c_void) {
    refuse(());
}

/// There are no pages to do without.
#[unsafe(no_mangle)]
extern "C" fn rrd_dontneed(_file: *mut c_void, _rrd: *mut c_void) {
    refuse(());
}

/// Leaves the caller's memory alone: nothing will be put there.
#[unsafe(no_mangle)]
extern "C" fn rrd_init(_rrd: *mut c_void) {
    refuse(());
}

/// Leaves the caller's memory alone: nothing was put there.
#[unsafe(no_mangle)]
extern "C" fn rrd_free(_rrd: *mut c_void) {
    refuse(());
}

/// Consolidates nothing: it works on what `rrd_t` describes.
#[unsafe(no_mangle)]
extern "C" fn rrd_reduce_data(
    _cf: c_int,
    _step_seconds: c_ulong,
    _start: *mut libc::time_t,
    _end: *mut libc::time_t,
    _step: *mut c_ulong,
    _source_count: *mut c_ulong,
    _values: *mut *mut f64,
) -> c_int {
    refuse(-1)
}
