//! Which librrd this is one of.

use std::ffi::c_char;

/// The version of the library whose place this one takes: programs ask whether theirs is recent
/// enough.
#[unsafe(no_mangle)]
extern "C" fn rrd_strversion() -> *mut c_char {
    c"1.7.2".as_ptr().cast_mut()
}

/// The same as a number.
#[unsafe(no_mangle)]
extern "C" fn rrd_version() -> f64 {
    1.7002
}
