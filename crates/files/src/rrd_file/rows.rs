//! Reading rows, those included that the next commit writes.

use std::path::Path;

use rrd::fetch::{FetchError, Query, Window, window, window_of_any_length, window_since};
use rrd::{Archive, Series, Snapshot, Stretch};
use rrdfile::layout::RowIndex;
use rrdfile::{Header, values};
use store::{Error, RowsSince};

use super::RrdFile;
use super::gathered::GatheredRows;
use super::handle::Handle;

impl RrdFile {
    /// The rows that answer a query.
    ///
    /// # Errors
    /// [`Error::Fetch`], [`Error::Io`].
    pub fn fetch(&self, query: &Query) -> Result<Series, Error> {
        let last_seconds = self.header.live.last_update.seconds;
        self.rows().held(window(&self.header.definition, last_seconds, query)).map(Stretch::whole)
    }

    /// The same without the rows that the archive does not hold: however long the stretch is, it
    /// takes no more memory than the archive.
    ///
    /// # Errors
    /// As [`RrdFile::fetch`], which has a limit besides.
    pub fn fetch_stretch(&self, query: &Query) -> Result<Stretch, Error> {
        let last_seconds = self.header.live.last_update.seconds;
        self.rows().held(window_of_any_length(&self.header.definition, last_seconds, query))
    }

    /// The rows that became final after a mark. Of a file that another process updates meanwhile,
    /// the oldest ones may be of that update, as with everything that is read of it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn rows_since(&self, mark_seconds: i64) -> Result<RowsSince, Error> {
        let (definition, last_update) = (&self.header.definition, self.header.live.last_update);
        let rows = |(nth, archive): (usize, &Archive)| {
            let window = window_since(definition, nth, last_update.seconds, mark_seconds);
            (!archive.cf.is_seasonal()).then(|| self.rows().held(Ok(window))).transpose()
        };
        let archives =
            definition.archives.iter().enumerate().map(rows).collect::<Result<_, _>>()?;
        Ok(RowsSince { definition: definition.clone(), last_update, archives })
    }

    /// Everything.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        let rows = (0..self.header.definition.archives.len()).map(|archive| {
            let count = self.header.layout.rows(archive);
            self.rows().read_rows(archive, count - 1, count)
        });
        Ok(Snapshot {
            rows: rows.collect::<Result<_, _>>()?,
            definition: self.header.definition.clone(),
            live: self.header.live.clone(),
        })
    }

    /// What reads rows of it.
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows {
            path: &self.path,
            file: &self.file,
            header: &self.header,
            gathered: &self.gathered,
            translated: self.translated.as_deref(),
        }
    }
}

/// Reads rows of a file.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    path: &'a Path,
    file: &'a Handle,
    header: &'a Header,
    /// Rows that the next commit writes.
    gathered: &'a GatheredRows,
    /// The whole file as a native one, if it is of another architecture.
    translated: Option<&'a [u8]>,
}

impl Rows<'_> {
    /// Those of a window that the archive holds.
    fn held(self, window: Result<Window, FetchError>) -> Result<Stretch, Error> {
        let window =
            window.map_err(|source| Error::Fetch { path: self.path.to_path_buf(), source })?;
        let held = window.held_by(self.header.layout.rows(window.archive));
        let rows = match held.count {
            0 => Vec::new(),
            count => self.read_rows(window.archive, held.first_age, count)?,
        };
        Ok(Stretch::new(&window, &self.header.definition, held, rows))
    }

    /// `count` rows of an archive from the one that is `first_age` rows older than the newest.
    fn read_rows(self, archive: usize, first_age: u64, count: u64) -> Result<Vec<f64>, Error> {
        let layout = &self.header.layout;
        let ring_rows = layout.rows(archive);
        let first = self.header.newest_rows[archive].back(first_age, ring_rows);
        let before_wrap = count.min(ring_rows - first.0);
        let bytes = count.saturating_mul(layout.row_bytes());
        let mut bytes = disk::zeroed(bytes).map_err(Error::io("reading", self.path))?;
        let (head, tail) = bytes.split_at_mut((before_wrap * layout.row_bytes()) as usize);
        self.read_slots(archive, first, head)?;
        if !tail.is_empty() {
            self.read_slots(archive, RowIndex(0), tail)?;
        }
        Ok(values(&bytes).collect())
    }

    /// Rows side by side, as many as `bytes` has room for.
    fn read_slots(self, archive: usize, first: RowIndex, bytes: &mut [u8]) -> Result<(), Error> {
        let layout = &self.header.layout;
        self.read_exactly(bytes, layout.row_offset(archive, first))?;
        self.gathered.overlay(archive, first, layout.row_bytes(), bytes);
        Ok(())
    }

    /// The bytes at an offset, none of which are gathered.
    pub(super) fn read_exactly(self, buffer: &mut [u8], offset_bytes: u64) -> Result<(), Error> {
        if let Some(translated) = self.translated {
            // A row's place lies within the size that the header was checked against.
            buffer.copy_from_slice(&translated[offset_bytes as usize..][..buffer.len()]);
            return Ok(());
        }
        let reading = || Error::io("reading", self.path);
        match self.file.read_at(buffer, offset_bytes).map_err(reading())? {
            read if read == buffer.len() => Ok(()),
            _ => Err(reading()(std::io::ErrorKind::UnexpectedEof.into())),
        }
    }
}
