//! Traces as files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Write};
use std::path::Path;

use capacity::trace_text::{Files, LINE_BYTES_MAX, Line, Parser, heading};

use super::failure::Failure;
use super::listener::Listener;
use super::sources::Source;

/// Tells what a trace tells; `-` is the standard input.
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
    // A line that is too long is read as far as the parser must know to refuse it.
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

/// Writes all that a source tells; `-` is the standard output.
pub(super) fn write(path: &Path, source: &Source) -> Result<(), Failure> {
    if path == Path::new("-") {
        return write_to(io::stdout().lock(), path, source);
    }
    let file = File::create(path);
    let file = file.map_err(Failure::io("creating", path))?;
    write_to(file, path, source)
}

fn write_to(to: impl Write, path: &Path, source: &Source) -> Result<(), Failure> {
    let mut writing = Writing { to: BufWriter::with_capacity(1 << 16, to), path };
    source.tell(&mut writing)?;
    let flushed = writing.to.flush();
    writing.checked(flushed)
}

struct Writing<'a, W: Write> {
    to: BufWriter<W>,
    path: &'a Path,
}

impl<W: Write> Writing<'_, W> {
    fn checked(&self, written: io::Result<()>) -> Result<(), Failure> {
        written.map_err(Failure::io("writing", self.path))
    }
}

impl<W: Write> Listener for Writing<'_, W> {
    fn files(&mut self, files: &Files) -> Result<(), Failure> {
        let written = self.to.write_all(heading(files).as_bytes());
        self.checked(written)
    }

    fn line(&mut self, line: Line<'_>) -> Result<(), Failure> {
        let written = writeln!(self.to, "{line}");
        self.checked(written)
    }
}
