//! A table in parts, so that an export that was cut off goes on where it was.
//!
//! ```text
//!   DIRECTORY/export.json          what is exported, in which format, of which databases, and
//!                                  which of them could not be read
//!   DIRECTORY/part-000000.parquet  the first databases, in the order of their names
//!   DIRECTORY/part-000001.parquet  the next ones ...
//! ```
//!
//! A part gets its name once it is whole. So a part that is there is not written again, unless a
//! database of it could not be read.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tables::{Format, Table};
use twox_hash::XxHash3_64;

use crate::unfinished::Unfinished;

const MANIFEST: &str = "export.json";

/// What an export is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The format of its parts.
    pub format: Format,
    /// How many databases a part has; the last one may have fewer.
    pub databases_per_part: usize,
    /// The names of the databases, in order.
    pub names: Vec<String>,
    /// Which rows, as the words say it: an export goes on only with the same ones.
    pub rows: Value,
}

/// Why an export cannot be begun or gone on with.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The disk failed.
    #[error("{}: {}", .0.display(), rrdtool::system_words(.1))]
    Io(PathBuf, io::Error),
    /// A part cannot be written.
    #[error("{}: {}", .0.display(), told(.1))]
    Table(PathBuf, tables::Error),
    /// There is an export already.
    #[error("{}: expected no export, found one: --continue goes on with it", .0.display())]
    Exists(PathBuf),
    /// There is none to go on with.
    #[error("{}: expected an export to go on with, found none", .0.display())]
    Missing(PathBuf),
    /// That export is of something else.
    #[error(
        "{}: expected the {what} with which the export began, found others: export to another \
         directory", .directory.display()
    )]
    Other {
        /// Where it is.
        directory: PathBuf,
        /// What differs.
        what: &'static str,
    },
}

fn told(error: &tables::Error) -> String {
    match error {
        tables::Error::Io(error) => rrdtool::system_words(error).to_string(),
        other => other.to_string(),
    }
}

/// A table in parts.
pub struct Parts {
    directory: PathBuf,
    manifest: Manifest,
    /// Databases that could not be read.
    left_out: Mutex<BTreeSet<String>>,
}

impl Parts {
    /// Begins an export in a directory, or goes on with the one that is there.
    ///
    /// # Errors
    /// See [`PartError`].
    pub fn begin(directory: &Path, manifest: Manifest, goes_on: bool) -> Result<Self, PartError> {
        let path = directory.join(MANIFEST);
        fs::create_dir_all(directory).map_err(|error| PartError::Io(directory.into(), error))?;
        let found = match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(PartError::Io(path, error)),
        };
        let left_out = Mutex::default();
        let parts = Self { directory: directory.into(), manifest, left_out };
        match (found, goes_on) {
            (Some(_), false) => return Err(PartError::Exists(directory.into())),
            (None, true) => return Err(PartError::Missing(directory.into())),
            (Some(found), true) => parts.compare(&found)?,
            (None, false) => parts.tell(false, &parts.left_out())?,
        }
        Ok(parts)
    }

    fn compare(&self, found: &[u8]) -> Result<(), PartError> {
        let found: Value = serde_json::from_slice(found).unwrap_or_default();
        let own = self.json(false, &BTreeSet::new());
        for (key, what) in [
            ("format", "format"),
            ("databases_per_part", "number of databases for each part"),
            ("rows", "rows"),
            ("databases", "databases"),
            ("names_hash", "databases"),
        ] {
            if found[key] != own[key] {
                return Err(PartError::Other { directory: self.directory.clone(), what });
            }
        }
        let left_out = found["left_out"].as_array().into_iter().flatten();
        self.left_out().extend(left_out.filter_map(Value::as_str).map(str::to_owned));
        Ok(())
    }

    fn left_out(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn json(&self, is_whole: bool, left_out: &BTreeSet<String>) -> Value {
        let names = self.manifest.names.iter();
        let hash = names.fold(0, |hash, name| XxHash3_64::oneshot_with_seed(hash, name.as_bytes()));
        json!({
            "format": self.manifest.format.name(),
            "databases": self.manifest.names.len(),
            "databases_per_part": self.manifest.databases_per_part,
            "names_hash": format!("{hash:016x}"),
            "rows": self.manifest.rows,
            "parts": self.count(),
            "is_whole": is_whole && left_out.is_empty(),
            "left_out": left_out,
        })
    }

    fn tell(&self, is_whole: bool, left_out: &BTreeSet<String>) -> Result<(), PartError> {
        let path = self.directory.join(MANIFEST);
        let text = format!("{:#}\n", self.json(is_whole, left_out));
        let told = Unfinished::begin(&path).and_then(|mut file| {
            io::Write::write_all(&mut file, text.as_bytes())?;
            file.finish()
        });
        told.map_err(|error| PartError::Io(path, error))
    }

    /// Says that every part is there.
    ///
    /// # Errors
    /// The disk failed.
    pub fn finish(&self) -> Result<(), PartError> {
        self.tell(true, &self.left_out())
    }

    /// Says that a database could not be read, before the part gets its name that lacks it.
    ///
    /// # Errors
    /// The disk failed.
    pub fn leave_out(&self, name: &str) -> Result<(), PartError> {
        let mut left_out = self.left_out();
        left_out.insert(name.into());
        self.tell(false, &left_out)
    }

    /// How many parts there are to be.
    #[must_use]
    pub fn count(&self) -> usize {
        self.manifest.names.len().div_ceil(self.manifest.databases_per_part.max(1))
    }

    /// The names of the databases of a part.
    #[must_use]
    pub fn names(&self, nth: usize) -> &[String] {
        let per_part = self.manifest.databases_per_part.max(1);
        let names = &self.manifest.names;
        let first = nth.saturating_mul(per_part).min(names.len());
        &names[first..first.saturating_add(per_part).min(names.len())]
    }

    fn path(&self, nth: usize) -> PathBuf {
        self.directory.join(format!("part-{nth:06}.{}", self.manifest.format.name()))
    }

    /// Whether a part is there, with all of its databases.
    #[must_use]
    pub fn has(&self, nth: usize) -> bool {
        let left_out = self.left_out();
        self.path(nth).exists() && !self.names(nth).iter().any(|name| left_out.contains(name))
    }

    /// Writes a part: what `fill` puts into it.
    ///
    /// # Errors
    /// The disk failed, or what `fill` fails with; then there is no such part.
    pub fn write<E: From<PartError>>(
        &self,
        nth: usize,
        fill: impl FnOnce(&mut dyn FnMut(&tables::Rows<'_>) -> Result<(), PartError>) -> Result<(), E>,
    ) -> Result<(), E> {
        let path = self.path(nth);
        let io = |error| PartError::Io(path.clone(), error);
        let at = |error| PartError::Table(path.clone(), error);
        let file = Unfinished::begin(&path).map_err(io)?;
        let mut table = Table::new(self.manifest.format, file).map_err(at)?;
        let lacked = self.try_again(nth);
        let written = (|| {
            fill(&mut |rows| table.put(rows).map_err(at))?;
            let file = table.finish().map_err(at)?;
            Ok(file.finish().map_err(io)?)
        })();
        if written.is_err() {
            self.left_out().extend(lacked);
        }
        written
    }

    /// The databases that a part lacked so far. Whether it does now, its writing shows.
    fn try_again(&self, nth: usize) -> Vec<String> {
        let mut left_out = self.left_out();
        self.names(nth).iter().filter_map(|name| left_out.take(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;
    use tables::{Format, Rows};

    use super::{Manifest, PartError, Parts};

    fn manifest(names: usize) -> Manifest {
        let names = (0..names).map(|nth| format!("{nth:03}.rrd")).collect();
        Manifest { format: Format::Csv, databases_per_part: 2, names, rows: json!(["AVERAGE"]) }
    }

    fn write(parts: &Parts, nth: usize) -> Result<(), PartError> {
        parts.write(nth, |put| {
            for name in parts.names(nth) {
                put(&Rows {
                    name,
                    source: "in",
                    function: "AVERAGE",
                    row_micros: 300_000_000,
                    first_end_micros: 0,
                    values: &[1.0],
                })?;
            }
            Ok(())
        })
    }

    #[test]
    fn an_export_goes_on_with_the_parts_that_are_missing() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().join("out");
        let parts = Parts::begin(&at, manifest(5), false).unwrap();
        assert_eq!(parts.count(), 3);
        write(&parts, 1).unwrap();
        assert!(matches!(Parts::begin(&at, manifest(5), false), Err(PartError::Exists(_))));
        let parts = Parts::begin(&at, manifest(5), true).unwrap();
        assert_eq!([0, 1, 2].map(|nth| parts.has(nth)), [false, true, false]);
        write(&parts, 2).unwrap();
        assert_eq!(fs::read_to_string(at.join("part-000002.csv")).unwrap().lines().count(), 2);
        parts.finish().unwrap();
        let other = Parts::begin(&at, manifest(6), true);
        assert!(matches!(other, Err(PartError::Other { what: "databases", .. })));
        let elsewhere = directory.path().join("elsewhere");
        assert!(matches!(Parts::begin(&elsewhere, manifest(5), true), Err(PartError::Missing(_))));
    }

    #[test]
    fn a_part_that_lacks_a_database_is_written_again() {
        let directory = tempfile::tempdir().unwrap();
        let parts = Parts::begin(directory.path(), manifest(5), false).unwrap();
        (0..3).for_each(|nth| write(&parts, nth).unwrap());
        let lacks =
            |_: &mut dyn FnMut(&Rows<'_>) -> Result<(), PartError>| parts.leave_out("002.rrd");
        parts.write(1, lacks).unwrap();
        parts.finish().unwrap();
        let told = || fs::read_to_string(directory.path().join("export.json")).unwrap();
        assert!(told().contains("\"is_whole\": false") && told().contains("\"002.rrd\""));
        let parts = Parts::begin(directory.path(), manifest(5), true).unwrap();
        assert_eq!([0, 1, 2].map(|nth| parts.has(nth)), [true, false, true]);
        let failed: Result<(), PartError> =
            parts.write(1, |_| Err(PartError::Missing("gone".into())));
        assert!(failed.is_err() && !parts.has(1), "it still lacks one");
        write(&parts, 1).unwrap();
        parts.finish().unwrap();
        assert!(parts.has(1) && told().contains("\"is_whole\": true"));
    }

    #[test]
    fn what_fails_leaves_no_part() {
        let directory = tempfile::tempdir().unwrap();
        let parts = Parts::begin(directory.path(), manifest(2), false).unwrap();
        let failed: Result<(), PartError> =
            parts.write(0, |_| Err(PartError::Missing("gone".into())));
        assert!(failed.is_err() && !parts.has(0));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
