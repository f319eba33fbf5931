//! `rrd_dump` and its kin.

use std::ffi::{c_char, c_int, c_void};

use rrdfile::xml::Prologue;
use rrdtool::Failure;
use rrdtool::dump::Whole;

use crate::entry::status;
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

/// Hands a file as XML to a callback. `header` is 0 for none, 1 for a document type, 2 for a
/// schema.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dump_cb_r(
    file: *const c_char,
    header: c_int,
    callback: OutputCallback,
    user: *mut c_void,
) -> c_int {
    // SAFETY: the callback takes any bytes, beside what the caller gave for it.
    let take = |bytes: &[u8]| unsafe { callback(bytes.as_ptr().cast(), bytes.len(), user) };
    status(|| {
        // SAFETY: the caller hands a file's name.
        let file = unsafe { words::required(file, "the file's name") }?;
        let put = |text: &str| taken(take(text.as_bytes()) == text.len());
        session::with(|session| {
            Whole::read(session, file)?.write(&mut session.times, prologue(header), put)
        })
    })
}

/// Writes a file as XML into another, or to standard output where `output` is null. `header` is as
/// above, whatever librrd calls it.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dump_opt_r(
    file: *const c_char,
    output: *const c_char,
    header: c_int,
) -> c_int {
    status(|| {
        // SAFETY: the caller hands a file's name, and one or null.
        let (file, output) =
            unsafe { (words::required(file, "the file's name")?, words::optional(output)?) };
        let put = |text: &str| taken(stream::write(Stream::StandardOutput, text.as_bytes()));
        session::with(|session| {
            let (whole, prologue) = (Whole::read(session, file)?, prologue(header));
            match output {
                Some(output) => whole.write_file(output, &mut session.times, prologue),
                None => whole.write(&mut session.times, prologue, put),
            }
        })
    })
}

/// The same without anything before the document.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_dump_r(file: *const c_char, output: *const c_char) -> c_int {
    // SAFETY: the caller hands what `rrd_dump_opt_r` asks for.
    unsafe { rrd_dump_opt_r(file, output, 0) }
}

fn prologue(header: c_int) -> Prologue {
    match header {
        1 => Prologue::Dtd,
        2 => Prologue::Xsd,
        _ => Prologue::None,
    }
}

/// What a piece of a document comes to that was taken whole, or was not.
fn taken(is_whole: bool) -> Result<(), Failure> {
    let failed = || std::io::Error::last_os_error();
    is_whole
        .then_some(())
        .ok_or_else(|| Failure::System("error writing output file: ".into(), failed()))
}
