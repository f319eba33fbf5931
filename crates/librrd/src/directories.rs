//! Directories and those above them.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::fs::DirBuilder;
use std::io::Error;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Makes a directory and those above it that are missing. 0, or -1 with `errno` set.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_mkdir_p(path: *const c_char, mode: libc::mode_t) -> c_int {
    if path.is_null() {
        return fail(libc::EINVAL);
    }
    // SAFETY: the caller hands a text.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    match path.metadata() {
        Ok(found) if found.is_dir() => 0,
        Ok(_) => fail(libc::ENOTDIR),
        Err(_) if path.as_os_str().is_empty() => fail(libc::EINVAL),
        Err(_) => match DirBuilder::new().recursive(true).mode(mode).create(path) {
            Ok(()) => 0,
            Err(error) => fail(error.raw_os_error().unwrap_or(libc::EIO)),
        },
    }
}

fn fail(error_number: c_int) -> c_int {
    // SAFETY: the place is this thread's own.
    unsafe { *libc::__errno_location() = error_number };
    debug_assert_eq!(Error::last_os_error().raw_os_error(), Some(error_number));
    -1
}
