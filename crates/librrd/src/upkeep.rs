//! `rrd_tune`, `rrd_resize`, `rrd_list`, `rrd_flushcached`.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use crate::entry::{call, status};
use crate::words::{self, Words};
use crate::{memory, session};

/// Changes a definition: the words of `rrdtool tune`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_tune(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let words = unsafe { Words::after_name(argc, argv) };
    status(|| session::perform("tune", &words.as_text()?))
}

/// The same for a file: the words of `rrdtool tune` but for the file's name.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_tune_r(
    file: *const c_char,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let words = unsafe { Words::after_name(argc, argv) };
    status(|| {
        // SAFETY: the caller hands a file's name.
        let file = unsafe { words::required(file, "the file's name") }?;
        let mut all = vec![file];
        all.extend(words.as_text()?);
        session::perform("tune", &all)
    })
}

/// Changes how many rows an archive has, in a copy: the words of `rrdtool resize`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_resize(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let words = unsafe { Words::after_name(argc, argv) };
    status(|| session::perform("resize", &words.as_text()?))
}

/// The files of a directory, one a line: the words of `rrdtool list`. Null on failure.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_list(argc: c_int, argv: *const *const c_char) -> *mut c_char {
    // SAFETY: the caller hands `argc` words.
    let words = unsafe { Words::after_name(argc, argv) };
    call(null_mut(), || {
        let lines = session::output_of("list", &words.as_text()?)?;
        Ok(memory::text(&lines))
    })
}

/// The same of a directory, and of those below if `recursive` is not 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_list_r(recursive: c_int, directory: *const c_char) -> *mut c_char {
    call(null_mut(), || {
        // SAFETY: the caller hands a directory's name.
        let directory = unsafe { words::required(directory, "the directory's name") }?;
        let words: &[&str] =
            if recursive == 0 { &["--", directory] } else { &["--recursive", "--", directory] };
        let lines = session::output_of("list", words)?;
        Ok(memory::text(&lines))
    })
}

/// Has a daemon write what it holds of a file: the words of `rrdtool flushcached`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_flushcached(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let words = unsafe { Words::after_name(argc, argv) };
    status(|| session::perform("flushcached", &words.as_text()?))
}
