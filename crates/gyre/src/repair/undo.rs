//! The file from which changes can be taken back: a line of JSON for each database.
//!
//! ```text
//! {"gyre_repair_undo":1}
//! {"root":"/var/lib/store","name":"r1/in","cells":[[0,1,1600000200,9221120237041090560,4636737291354636288],...]}
//! ```
//!
//! A cell is archive, source, the end of its row, and the bits of the values before and after. A
//! line is on disk before its database is changed, so that a repair that was killed can be undone.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rrd::refill::CellChange;
use rrdtool::{Failure, system_words};
use serde::{Deserialize, Serialize};

const HEAD: &str = "{\"gyre_repair_undo\":1}\n";

/// What was changed in a database.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Changed {
    /// The directory of its store.
    pub(super) root: PathBuf,
    pub(super) name: String,
    cells: Vec<Cell>,
}

/// Archive, source, end of the row, bits before and after.
#[derive(Debug, Serialize, Deserialize)]
struct Cell(u32, u32, i64, u64, u64);

impl Changed {
    pub(super) fn new(root: &Path, name: &str, changes: &[CellChange]) -> Self {
        let cell = |it: &CellChange| {
            let (before, after) = (it.before.to_bits(), it.after.to_bits());
            Cell(it.archive, it.source, it.row_end_seconds, before, after)
        };
        Self { root: root.into(), name: name.into(), cells: changes.iter().map(cell).collect() }
    }

    /// The changes that were made.
    pub(super) fn changes(&self) -> Vec<CellChange> {
        let change = |cell: &Cell| {
            let Cell(archive, source, row_end_seconds, before, after) = *cell;
            let (before, after) = (f64::from_bits(before), f64::from_bits(after));
            CellChange { archive, source, row_end_seconds, before, after }
        };
        self.cells.iter().map(change).collect()
    }
}

/// The file, while it is written.
pub(super) struct UndoFile {
    path: PathBuf,
    file: Mutex<File>,
}

impl UndoFile {
    /// A new one. A file that is there is never overwritten: it may be the only way back.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        let made = made.and_then(|mut file| {
            file.write_all(HEAD.as_bytes())?;
            file.sync_all()?;
            disk::sync_directory(directory_of(path))?;
            Ok(file)
        });
        let file = made.map_err(Failure::at(path.display()))?;
        Ok(Self { path: path.into(), file: Mutex::new(file) })
    }

    /// Keeps what a database is about to lose; it is on disk when this returns.
    ///
    /// # Errors
    /// It cannot be written; the database must not be changed then.
    pub(super) fn keep(&self, changed: &Changed) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(changed).map_err(Failure::of)?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(&line).and_then(|()| file.sync_data());
        written.map_err(Failure::at(self.path.display()))
    }

    /// Where it is. A file that keeps nothing goes away, unless somebody asked for it by name.
    pub(super) fn finish(self, was_named: bool) -> Result<Option<PathBuf>, Failure> {
        let file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bytes = file.metadata().map_err(Failure::at(self.path.display()))?.len();
        if was_named || bytes > HEAD.len() as u64 {
            return Ok(Some(self.path));
        }
        disk::remove_file(&self.path).map_err(Failure::at(self.path.display()))?;
        Ok(None)
    }
}

fn directory_of(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// What a file can take back. All of its lines were read once; none of them is held.
pub(super) struct UndoLines {
    path: PathBuf,
    reader: BufReader<File>,
    places: Vec<Place>,
}

/// Where a line begins, and which it is.
struct Place {
    offset_bytes: u64,
    number: usize,
}

impl UndoLines {
    /// Finds the lines of a file. A last line that a kill cut short was of a database that is
    /// unchanged.
    ///
    /// # Errors
    /// The file cannot be read, or is none of these; the error names the line.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let reader = BufReader::new(File::open(path).map_err(Failure::at(path.display()))?);
        let mut lines = Self { path: path.into(), reader, places: Vec::new() };
        if lines.line(1)? != HEAD {
            let text = format!(
                "expected {}, the head of a file of `gyre repair --write`",
                HEAD.trim_end()
            );
            return Err(lines.at(1, text));
        }
        let (mut offset_bytes, mut number) = (HEAD.len() as u64, 2);
        loop {
            let line = lines.line(number)?;
            if !line.ends_with('\n') {
                return Ok(lines);
            }
            lines.changed(number, &line)?;
            lines.places.push(Place { offset_bytes, number });
            offset_bytes += line.len() as u64;
            number += 1;
        }
    }

    /// How many databases it is of.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    /// The last line that was not taken yet: a database that was repaired twice is taken back in
    /// steps.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub(super) fn take_last(&mut self) -> Result<Option<Changed>, Failure> {
        let Some(Place { offset_bytes, number }) = self.places.pop() else { return Ok(None) };
        let sought = self.reader.seek(SeekFrom::Start(offset_bytes));
        sought.map_err(|error| self.at(number, system_words(&error)))?;
        let line = self.line(number)?;
        self.changed(number, &line).map(Some)
    }

    fn line(&mut self, number: usize) -> Result<String, Failure> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line);
        read.map_err(|error| self.at(number, system_words(&error)))?;
        Ok(line)
    }

    fn changed(&self, number: usize, line: &str) -> Result<Changed, Failure> {
        serde_json::from_str(line).map_err(|error| self.at(number, error))
    }

    fn at(&self, number: usize, what: impl std::fmt::Display) -> Failure {
        Failure::misuse(format!("{}: line {number}: {what}", self.path.display()))
    }
}
