//! `rrd_tune`, `rrd_resize`, `rrd_list`, `rrd_flushcached`.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use rrdtool::Failure;
use rrdtool::Session;
use rrdtool::list::{self, Unlisted};

use crate::entry::{call, status};
use crate::words::{self, CommandLine};
use crate::{memory, session};

/// Changes a definition: the words of `rrdtool tune`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_tune(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("tune", &line))
}

/// The same for a file: the words of `rrdtool tune` but for the file's name.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_tune_r(
    file: *const c_char,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| {
        // SAFETY: the caller hands a file's name.
        let file = unsafe { words::required(file, "the file's name") }?;
        session::on_line(&line, |session, words| {
            let all = [&[file], words].concat();
            session::output_of("tune", session, &all).map(drop)
        })
    })
}

/// Changes how many rows an archive has, in a copy: the words of `rrdtool resize`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_resize(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("resize", &line))
}

/// What a directory holds, one name a line: the words of `rrdtool list`. Null on failure; without
/// an error where there is no such directory.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_list(argc: c_int, argv: *const *const c_char) -> *mut c_char {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    call(null_mut(), || session::on_line(&line, names))
}

/// The same of a directory, and of those below if `recursive` is not 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_list_r(recursive: c_int, directory: *const c_char) -> *mut c_char {
    call(null_mut(), || {
        // SAFETY: the caller hands a directory's name.
        let directory = unsafe { words::required(directory, "the directory's name") }?;
        let words: &[&str] =
            if recursive == 0 { &["--", directory] } else { &["--recursive", "--", directory] };
        session::with(|session| names(session, words))
    })
}

fn names(session: &mut Session, words: &[&str]) -> Result<*mut c_char, Failure> {
    match list::names(session, words) {
        Ok(names) => {
            let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
            Ok(memory::text(lines.as_bytes()))
        }
        Err(Unlisted::System(_)) => Ok(null_mut()),
        Err(Unlisted::Refused(failure)) => Err(failure),
    }
}

/// Has a daemon write what it holds of a file: the words of `rrdtool flushcached`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_flushcached(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("flushcached", &line))
}
