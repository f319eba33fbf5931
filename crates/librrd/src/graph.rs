//! `rrd_graph` and `rrd_graph_v`.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use libc::FILE;
use rrdtool::graph::{self, Told};
use rrdtool::graphv;

use crate::entry::status;
use crate::info::list;
use crate::info_list::Info;
use crate::stream::{self, Stream};
use crate::words::CommandLine;
use crate::{memory, session};

/// Draws: the words of `rrdtool graph`. What `--imginfo` tells and the lines of PRINT are a list
/// with a null at its end, which belongs to the caller, or null where there is none. An image for
/// `-` goes to `stream`, or to standard output.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_graph(
    argc: c_int,
    argv: *const *const c_char,
    printed: *mut *mut *mut c_char,
    width: *mut c_int,
    height: *mut c_int,
    stream: *mut FILE,
    minimum: *mut f64,
    maximum: *mut f64,
) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    // SAFETY: the caller hands a place for the lines.
    unsafe { printed.write(null_mut()) };
    status(|| {
        let words = line.words().as_any_text();
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let (told, image) = session::with(|session| {
            let told = graph::told(session, &words)?;
            Ok((told, std::mem::take(&mut session.out)))
        })?;
        let stream = if stream.is_null() { Stream::StandardOutput } else { Stream::Other(stream) };
        if !image.is_empty() && !stream::write(stream, &image) {
            return Err("writing image".into());
        }
        let Told { drawing, lines } = told;
        // SAFETY: the caller hands five places.
        unsafe {
            if !lines.is_empty() {
                printed.write(memory::texts_and_null(lines.iter().map(String::as_bytes)));
            }
            width.write(drawing.width as c_int);
            height.write(drawing.height as c_int);
            minimum.write(drawing.value_min);
            maximum.write(drawing.value_max);
        }
        Ok(())
    })
}

/// Draws and tells all about the image: the words of `rrdtool graphv`. An image for `-` is the last
/// of the facts. Null on failure.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_graph_v(argc: c_int, argv: *const *const c_char) -> *mut Info {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    list(|| {
        let words = line.words().as_any_text();
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        session::with(|session| graphv::facts(session, &words))
    })
}
