//! The file of a database, and what it cannot say.

use std::path::Path;

use rrd::{Definition, Snapshot, WholeSeconds};
use rrdfile::layout::RowIndex;
use rrdtool::Failure;
use store::Error;

/// The file of a database.
pub(super) struct Image {
    pub(super) bytes: Vec<u8>,
    /// The archives that are not in it, in words.
    pub(super) left_out: Vec<String>,
}

impl Image {
    /// A file that says all.
    pub(super) fn whole(bytes: Vec<u8>) -> Self {
        Self { bytes, left_out: Vec::new() }
    }

    /// The file of what a database with ticks below a second says in whole seconds.
    ///
    /// # Errors
    /// No archive has rows of whole seconds; the file would be too large.
    pub(super) fn of_whole_seconds(name: &str, database: &Snapshot) -> Result<Self, Failure> {
        let none = || Failure::misuse("expected an archive whose rows are whole seconds");
        let WholeSeconds { snapshot, left_out } = database.in_whole_seconds().ok_or_else(none)?;
        let newest = |nth: usize| {
            let archive = &snapshot.definition.archives[nth];
            let row_seconds = archive.row_seconds(snapshot.definition.step_seconds);
            let number = snapshot.newest_row_seconds(nth).cast_unsigned() / row_seconds;
            RowIndex(number % archive.rows)
        };
        let newest_rows = (0..snapshot.definition.archives.len()).map(newest).collect();
        let bytes = rrdfile::encode(&snapshot, newest_rows);
        let bytes = bytes.map_err(Error::unwritable(Path::new(name)))?;
        let left_out = left_out.iter().map(|nth| called(&database.definition, *nth)).collect();
        Ok(Self { bytes, left_out })
    }
}

fn called(definition: &Definition, archive: usize) -> String {
    let found = &definition.archives[archive];
    format!("RRA[{archive}], {} of {} s", found.cf, definition.row_told(found))
}
