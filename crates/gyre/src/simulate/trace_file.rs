//! Reads traces from files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use capacity::trace_text::{LINE_BYTES_MAX, Line, Parser};

use super::failure::Failure;
use super::listener::Listener;

/// Reads a trace and passes it to a listener; `-` is standard input.
pub(super) fn read(path: &Path, listener: &mut dyn Listener) -> Result<(), Failure> {
    if path == Path::new("-") {
        return read_from(&mut io::stdin().lock(), path, listener);
    }
    let file = File::open(path).map_err(Failure::io("opening", path))?;
    read_from(&mut BufReader::with_capacity(1 << 16, file), path, listener)
}

fn read_from(
    from: &mut impl BufRead,
    path: &Path,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    let (mut parser, mut text) = (Parser::default(), Vec::new());
    let mut knows_files = false;
    let misread = |mistake| Failure::Trace { path: path.into(), mistake };
    let unread = Failure::file(path);
    // Of a line that is too long, read just enough for the parser to refuse it.
    let line_bytes_max = LINE_BYTES_MAX as u64 + 2;
    while from.take(line_bytes_max).read_until(b'\n', &mut text).map_err(&unread)? > 0 {
        let line = text.strip_suffix(b"\n").unwrap_or(&text);
        let (event, files) = parser.line_and_files(line).map_err(misread)?;
        if event != Line::Nothing {
            if !std::mem::replace(&mut knows_files, true) {
                listener.files(files)?;
            }
            listener.line(event)?;
        }
        text.clear();
    }
    parser.end().map_err(misread)?;
    if knows_files { Ok(()) } else { listener.files(parser.files()) }
}
