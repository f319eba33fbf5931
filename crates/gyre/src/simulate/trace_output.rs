//! Writes what a source tells as a trace.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use capacity::trace_text::{Files, Line, heading};

use super::failure::Failure;
use super::listener::Listener;
use super::sources::Source;

/// Writes the updates of a source to a file; `-` is standard output.
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
