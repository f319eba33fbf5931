//! One `.rrd` file, open: update, fetch, snapshot.
//!
//! Access is `pread` and `pwrite` with random-access advice: an update of an MRTG file touches the
//! page of the header and one page for each archive that got a row, and drags in no other.

use std::path::{Path, PathBuf};

use disk::{File, Identity, Mode, Stamp};
use rrd::live::SourceState;
use rrd::{FinalRows, Sample, Workspace};
use rrdfile::Header;

use gathered::GatheredRows;
use handle::Handle;
pub(crate) use held::HeldFile;
pub use io::{Io, Transfer};
pub(crate) use opening::{FIRST_READ_BYTES, Opened};
use store::Error;

use seasons::Smoothing;

mod held;
mod opening;
mod io;
mod stream_buffer;
mod handle;
mod rows;
mod edit;
mod gathered;
mod seasons;
mod put_back;
mod taking;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading; takes no lock, as in rrdtool.
    Read,
    /// Updating; takes the file's lock.
    Update,
}

impl Access {
    fn mode(self) -> Mode {
        match self {
            Self::Read => Mode::Read,
            Self::Update => Mode::Update,
        }
    }
}

/// One `.rrd` file, open.
///
/// What [`RrdFile::append`] takes stays in memory until [`RrdFile::commit`]; every read shows it.
#[derive(Debug)]
pub struct RrdFile {
    path: PathBuf,
    file: Handle,
    header: Header,
    /// The header's bytes, so that a commit keeps what it does not know.
    header_bytes: Vec<u8>,
    /// Room to read the header's bytes anew.
    fresh_bytes: Vec<u8>,
    workspace: Workspace,
    /// Room for the sources as they were before a sample.
    sources_before: Vec<SourceState>,
    /// Rows that the next commit writes.
    gathered: GatheredRows,
    /// The whole file as a native one, if it is of another architecture.
    translated: Option<Vec<u8>>,
    smoothing: Smoothing,
}

impl RrdFile {
    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which file this is, whatever its name leads to by now.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn identity(&self) -> Result<Identity, Error> {
        self.file.file().identity().map_err(Error::io("reading", &self.path))
    }

    /// The file's stamp now.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn stamp(&self) -> Result<Stamp, Error> {
        self.file.file().stamp().map_err(Error::io("reading", &self.path))
    }

    /// Begins to read the pages that the next commit writes rows to.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn prefetch_rows(&self) -> Result<(), Error> {
        for (offset_bytes, bytes) in self.gathered.writes(&self.header.layout) {
            let begun = self.file.file().prefetch(offset_bytes, bytes.len() as u64);
            begun.map_err(Error::io("reading", &self.path))?;
        }
        Ok(())
    }

    /// The file's header as of now, uncommitted samples included.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file alone, as open and locked as it is.
    pub(crate) fn into_file(self) -> File {
        self.file.into_file()
    }

    /// Closes the file; its header stays.
    #[must_use]
    pub fn into_header(self) -> Header {
        self.header
    }

    /// Takes one sample.
    ///
    /// # Errors
    /// [`Error::Update`] if the sample is refused (live state may have changed as
    /// [`rrd::update()`] says).
    pub fn append(&mut self, sample: &Sample<'_>) -> Result<(), Error> {
        let Header { version, definition, live, .. } = &mut self.header;
        let taken = rrd::update(definition, live, &version.kept(sample), &mut self.workspace);
        self.gather_final_rows();
        self.smoothing.note(taken.is_ok(), self.workspace.smoothing_due());
        taken.map_err(|source| Error::Update { path: self.path.clone(), source })
    }

    /// Takes one sample, or leaves everything as it was.
    ///
    /// # Errors
    /// As [`RrdFile::append`].
    pub(crate) fn append_or_leave(&mut self, sample: &Sample<'_>) -> Result<(), Error> {
        // What can be refused later than by its readings is refused when cells and rows have
        // changed.
        let is_late = |source: &rrd::DataSource| !source.kind.takes_readings();
        let smoothing = self.smoothing;
        if self.header.definition.sources.iter().any(is_late) {
            let Header { live, newest_rows, .. } = &self.header;
            let before = (live.clone(), newest_rows.clone(), self.gathered.clone());
            return self.append(sample).inspect_err(|_| {
                (self.header.live, self.header.newest_rows, self.gathered) = before;
                self.smoothing = smoothing;
            });
        }
        let mut before = std::mem::take(&mut self.sources_before);
        before.clone_from(&self.header.live.sources);
        let taken = self.append(sample);
        if taken.is_err() {
            self.header.live.sources.copy_from_slice(&before);
            self.smoothing = smoothing;
        }
        self.sources_before = before;
        taken
    }

    fn gather_final_rows(&mut self) {
        let Header { newest_rows, layout, .. } = &mut self.header;
        for rows in self.workspace.final_rows() {
            let newest = &mut newest_rows[rows.archive];
            if rows.kept {
                self.gathered.push(&rows, *newest, layout);
            }
            *newest = newest.advance(rows.count, layout.rows(rows.archive));
        }
    }

    /// The rows that the last sample made final.
    pub fn final_rows(&self) -> impl Iterator<Item = FinalRows<'_>> {
        self.workspace.final_rows()
    }

    /// Writes rows and live state. Rows come first and the state that accounts for them last: cut
    /// short in between, the same samples can be taken again.
    ///
    /// A smoothing of seasons that the samples since the last commit made due is done, unless one
    /// of them was refused.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Update`] if a season cannot be smoothed, all the rest is then
    /// written.
    pub fn commit(&mut self) -> Result<(), Error> {
        let smoothed = self.smooth_seasons();
        self.write_rows()?;
        self.write_live()?;
        smoothed
    }

    fn write_rows(&mut self) -> Result<(), Error> {
        for (offset_bytes, bytes) in self.gathered.writes(&self.header.layout) {
            let written = self.file.write_at(bytes, offset_bytes);
            written.map_err(Error::io("writing", &self.path))?;
        }
        self.gathered.clear();
        Ok(())
    }

    fn write_live(&mut self) -> Result<(), Error> {
        self.header.encode_live(&mut self.header_bytes);
        let live_offset = self.header.layout.live_offset();
        self.file
            .write_at(&self.header_bytes[live_offset..], live_offset as u64)
            .map_err(Error::io("writing", &self.path))
    }
}
