//! `rrd_dump` and its kin.

use std::ffi::{c_char, c_int, c_void};

use rrdfile::xml::Prologue;
use rrdtool::dump;

use crate::entry::{Failure, status};
use crate::session;
use crate::stream::{self, Stream};
use crate::words::{self, CommandLine};

/// `rrd_output_callback_t`: takes bytes and says how many it took.
type OutputCallback =
    unsafe extern "C" fn(bytes: *const c_void, size: usize, user: *mut c_void) -> usize;

/// Writes a file as XML: the words of `rrdtool dump`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dump(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("dump", &line))
}

/// Hands a file as XML to a callback. `header` is 0 for none, 1 for a document type, 2 for a schema.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dump_cb_r(
    file: *const c_char,
    header: c_int,
    callback: OutputCallback,
    user: *mut c_void,
) -> c_int {
    status(|| {
        // SAFETY: the caller hands a file's name.
        let document = unsafe { document(file, header) }?;
        // SAFETY: the callback takes any bytes, beside what the caller gave for it.
        let taken = unsafe { callback(document.as_ptr().cast(), document.len(), user) };
        let is_whole = taken == document.len();
        is_whole.then_some(()).ok_or_else(|| last_system_error("error writing output file"))
    })
}

/// Writes a file as XML into another, or to standard output where `output` is null. `header` is as above, whatever
/// librrd calls it.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dump_opt_r(
    file: *const c_char,
    output: *const c_char,
    header: c_int,
) -> c_int {
    status(|| {
        // SAFETY: the caller hands a file's name, and one or null.
        let (document, output) = unsafe { (document(file, header)?, words::optional(output)?) };
        match output {
            Some(output) => std::fs::write(output, document)
                .map_err(|error| format!("opening '{output}': {}", rrdtool::system_words(&error))),
            None if stream::write(Stream::StandardOutput, document.as_bytes()) => Ok(()),
            None => Err(last_system_error("error writing output file")),
        }
    })
}

/// The same without anything before the document.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dump_r(file: *const c_char, output: *const c_char) -> c_int {
    // SAFETY: the caller hands what `rrd_dump_opt_r` asks for.
    unsafe { rrd_dump_opt_r(file, output, 0) }
}

/// # Safety
/// `file` is a text or null.
unsafe fn document(file: *const c_char, header: c_int) -> Result<String, Failure> {
    // SAFETY: as the caller promises.
    let file = unsafe { words::required(file, "the file's name") }?;
    let prologue = match header {
        1 => Prologue::Dtd,
        2 => Prologue::Xsd,
        _ => Prologue::None,
    };
    session::with(|session| dump::document(session, file, prologue))
}

fn last_system_error(what: &str) -> Failure {
    format!("{what}: {}", rrdtool::system_words(&std::io::Error::last_os_error()))
}
