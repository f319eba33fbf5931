//! Reads the lines of a file and of all files that it includes, in MRTG's order.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cut::Cut;
use super::line::include_pattern;
use crate::error::Problem;
use crate::text::trim_end;
use crate::{Error, Position, Source};

/// The most nested includes: more than real configurations need, and a limit for files that include
/// themselves.
const MOST_OPEN_FILES: usize = 200;

/// The most files of a configuration: a limit for files that include each other.
const MOST_FILES: usize = 100_000;
/// The most bytes of all files together; enough for millions of targets.
const MOST_BYTES: usize = 1 << 30;

/// Iterates over the significant lines and their places.
pub(super) struct Lines<'s> {
    source: &'s dyn Source,
    main: PathBuf,
    /// The open files; the last one is being read, the others wait for its end.
    open: Vec<OpenFile>,
    files: Vec<PathBuf>,
    /// The bytes read so far.
    read_bytes: usize,
}

struct OpenFile {
    path: Arc<Path>,
    bytes: Cut,
    offset: usize,
    line: u32,
}

impl<'s> Lines<'s> {
    pub(super) fn open(path: &Path, source: &'s dyn Source) -> Result<Self, Error> {
        let bytes = source
            .read(path)
            .map_err(|cause| Error::Unreadable { path: path.to_owned(), cause })?;
        let mut lines = Self {
            source,
            main: path.to_owned(),
            open: Vec::new(),
            files: Vec::new(),
            read_bytes: 0,
        };
        lines.push(path, bytes)?;
        Ok(lines)
    }

    /// Every file that was read.
    pub(super) fn into_files(self) -> Vec<PathBuf> {
        self.files
    }

    /// Reads the next line that is not empty, a comment or an `Include`. Tabs are replaced by
    /// spaces, and trailing spaces are removed.
    pub(super) fn next_line(&mut self) -> Result<Option<(Position, Cut)>, Error> {
        loop {
            let Some(file) = self.open.last_mut() else {
                return Ok(None);
            };
            let Some(line) = file.next_line() else {
                self.open.pop();
                continue;
            };
            let position = Position { file: Arc::clone(&file.path), line: file.line };
            if let Some(pattern) = include_pattern(line.bytes()) {
                self.include(pattern, &position)?;
                continue;
            }
            let line = clean(line);
            let first = line.bytes().iter().find(|byte| **byte != b' ');
            if first.is_some_and(|byte| *byte != b'#') {
                return Ok(Some((position, line)));
            }
        }
    }

    fn include(&mut self, pattern: &[u8], position: &Position) -> Result<(), Error> {
        use std::os::unix::ffi::OsStrExt;
        let name = Path::new(std::ffi::OsStr::from_bytes(pattern));
        let beside = self.main.parent().unwrap_or(Path::new("")).join(name);
        if pattern.contains(&b'*') {
            let failed =
                |cause| Error::at(position, Problem::Include { path: name.to_owned(), cause });
            let mut paths = self.source.glob(name).map_err(failed)?;
            if paths.is_empty() {
                paths = self.source.glob(&beside).map_err(failed)?;
            }
            // All files are opened at once, the last on top: MRTG reads them in reverse order like
            // this.
            for path in paths {
                let bytes = self.source.read(&path);
                self.push_included(path, bytes, position)?;
            }
            return Ok(());
        }
        match self.source.read(name) {
            Ok(bytes) => self.push_included(name.to_owned(), Ok(bytes), position),
            Err(_) => {
                let bytes = self.source.read(&beside);
                self.push_included(beside, bytes, position)
            }
        }
    }

    fn push_included(
        &mut self,
        path: PathBuf,
        bytes: io::Result<Vec<u8>>,
        position: &Position,
    ) -> Result<(), Error> {
        match bytes {
            Ok(bytes) => self.push(&path, bytes).map_err(|error| match error {
                Error::Whole { problem, .. } => Error::at(position, problem),
                other => other,
            }),
            Err(cause) => Err(Error::at(position, Problem::Include { path, cause })),
        }
    }

    fn push(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Error> {
        let whole = |problem| Error::Whole { path: path.to_owned(), problem };
        if self.open.len() >= MOST_OPEN_FILES {
            return Err(whole(Problem::IncludeDepth { limit: MOST_OPEN_FILES }));
        }
        if self.files.len() >= MOST_FILES {
            return Err(whole(Problem::TooMany { what: "files", limit: MOST_FILES }));
        }
        self.read_bytes = self.read_bytes.saturating_add(bytes.len());
        if self.read_bytes > MOST_BYTES {
            return Err(whole(Problem::TooMany { what: "bytes", limit: MOST_BYTES }));
        }
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(whole(Problem::Utf16));
        }
        let byte_order_mark = b"\xef\xbb\xbf";
        let offset = if bytes.starts_with(byte_order_mark) { byte_order_mark.len() } else { 0 };
        self.files.push(path.to_owned());
        self.open.push(OpenFile { path: path.into(), bytes: Cut::whole(bytes), offset, line: 0 });
        Ok(())
    }
}

impl OpenFile {
    fn next_line(&mut self) -> Option<Cut> {
        let rest = self.bytes.bytes().get(self.offset..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = self.bytes.between(self.offset, self.offset + length);
        self.offset += length + 1;
        self.line = self.line.saturating_add(1);
        Some(line)
    }
}

fn clean(line: Cut) -> Cut {
    let trimmed = trim_end(line.bytes());
    if memchr::memchr(b'\t', trimmed).is_none() {
        return line.part(trimmed);
    }
    let spaces = |byte: &u8| if *byte == b'\t' { b' ' } else { *byte };
    Cut::whole(trimmed.iter().map(spaces).collect())
}
