//! The files that are meant, one after the other, however many they are: operands, names on standard
//! input, and what lies below directories.

use std::ffi::OsString;
use std::io::{self, BufRead as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use super::arguments::{List, Wanted};
use super::work::{Faulty, fault};

/// Goes through the files. A directory is read as its names are asked for.
pub(super) struct Names {
    operands: std::vec::IntoIter<OsString>,
    list: Option<List>,
    /// The directories that are open, the deepest last.
    open: Vec<std::fs::ReadDir>,
}

impl Names {
    pub(super) fn of(wanted: &Wanted) -> Self {
        let operands = wanted.operands.clone().into_iter();
        Self { operands, list: wanted.list, open: Vec::new() }
    }

    /// The next operand or name of the list.
    fn named(&mut self) -> Option<io::Result<OsString>> {
        if let Some(operand) = self.operands.next() {
            return Some(Ok(operand));
        }
        let end = match self.list? {
            List::Lines => b'\n',
            List::Zeros => 0,
        };
        let mut name = Vec::new();
        match io::stdin().lock().read_until(end, &mut name) {
            Ok(0) => None,
            Ok(_) => {
                name.pop_if(|last| *last == end);
                Some(Ok(OsString::from_vec(name)))
            }
            Err(error) => {
                self.list = None;
                Some(Err(error))
            }
        }
    }

    /// The next entry of the deepest directory, a file or nothing yet.
    fn entry(&mut self) -> Option<Result<PathBuf, Faulty>> {
        let directory = self.open.last_mut()?;
        let Some(entry) = directory.next() else {
            self.open.pop();
            return None;
        };
        let (path, kind) = match entry.and_then(|it| Ok((it.path(), it.file_type()?))) {
            Ok(entry) => entry,
            Err(error) => return Some(Err(fault("reading a directory".into(), &error))),
        };
        if kind.is_dir() {
            return self.enter(path).err().map(Err);
        }
        kind.is_file().then_some(Ok(path))
    }

    fn enter(&mut self, path: PathBuf) -> Result<(), Faulty> {
        let entries = std::fs::read_dir(&path).map_err(|error| fault(path, &error))?;
        self.open.push(entries);
        Ok(())
    }
}

impl Iterator for Names {
    type Item = Result<PathBuf, Faulty>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if !self.open.is_empty() {
                match self.entry() {
                    Some(entry) => return Some(entry),
                    None => continue,
                }
            }
            let path = match self.named()? {
                Ok(name) if name.is_empty() => continue,
                Ok(name) => PathBuf::from(name),
                Err(error) => return Some(Err(fault("standard input".into(), &error))),
            };
            // What is named is followed, what lies in a directory is not.
            match path.is_dir() {
                true => match self.enter(path) {
                    Ok(()) => continue,
                    Err(faulty) => return Some(Err(faulty)),
                },
                false => return Some(Ok(path)),
            }
        }
    }
}
