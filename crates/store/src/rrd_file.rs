//! One `.rrd` file, open: update, fetch, snapshot.
//!
//! Access is `pread` and `pwrite` with random-access advice: an update of an MRTG file touches the
//! page of the header and one page for each archive that got a row, and drags in no other.

use std::path::{Path, PathBuf};

use disk::{File, Identity, Mode, Stamp};
use rrd::fetch::{Query, window};
use rrd::live::SourceState;
use rrd::{FinalRows, Sample, Series, Snapshot, UNKNOWN, Workspace};
use rrdfile::layout::{RowIndex, STAT_HEAD_BYTES};
use rrdfile::{Architecture, FormatError, Header, to_native, values};

use crate::Error;
use gathered::GatheredRows;
use seasons::Smoothing;

mod gathered;
mod seasons;
mod put_back;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading; takes no lock, as in rrdtool.
    Read,
    /// Updating; takes the file's lock.
    Update,
}

/// What becomes of an update while another process holds the file's lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locking {
    /// It fails.
    #[default]
    Try,
    /// It waits.
    Block,
    /// It goes on: no lock is taken.
    None,
}

/// The first read takes a page: the whole header of most files.
pub(crate) const FIRST_READ_BYTES: usize = 4096;

/// One `.rrd` file, open.
///
/// What [`RrdFile::append`] takes stays in memory until [`RrdFile::commit`]; every read shows it.
#[derive(Debug)]
pub struct RrdFile {
    path: PathBuf,
    file: File,
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
    /// Opens a file and reads its header; one of another architecture is read whole, and can only
    /// be read.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Locked`], [`Error::Format`].
    pub fn open(path: &Path, access: Access) -> Result<Self, Error> {
        Self::open_locking(path, access, Locking::Try)
    }

    /// The same, where it is said what to do about the lock.
    ///
    /// # Errors
    /// As [`RrdFile::open`].
    pub fn open_locking(path: &Path, access: Access, locking: Locking) -> Result<Self, Error> {
        let mode = match access {
            Access::Read => Mode::Read,
            Access::Update => Mode::Update,
        };
        let file = File::open(path, mode).map_err(Error::io("opening", path))?;
        file.advise_random().map_err(Error::io("advising", path))?;
        Self::over(file, path, access, locking)
    }

    /// Over a file that is open already, with random access advised.
    ///
    /// # Errors
    /// As [`RrdFile::open`].
    pub(crate) fn over(
        file: File,
        path: &Path,
        access: Access,
        locking: Locking,
    ) -> Result<Self, Error> {
        if access == Access::Update {
            lock(&file, path, locking)?;
        }
        let file_bytes = file.len_bytes().map_err(Error::io("reading", path))?;
        let beginning = read_beginning(&file, path)?;
        if Architecture::is_foreign(&beginning) {
            return Self::open_foreign(path, file, file_bytes, access);
        }
        let header_bytes = read_header(&file, beginning, file_bytes, path)?;
        let header = Header::decode(&header_bytes, file_bytes).map_err(Error::format(path))?;
        let mut opened = Self::with(path, file, header, header_bytes, None);
        if access == Access::Update {
            opened.read_seasons()?;
        }
        Ok(opened)
    }

    fn open_foreign(
        path: &Path,
        file: File,
        file_bytes: u64,
        access: Access,
    ) -> Result<Self, Error> {
        let bytes = read_whole(&file, file_bytes, path)?;
        let native = to_native(&bytes).map_err(Error::format(path))?;
        let header = native.header().map_err(Error::format(path))?;
        if access == Access::Update {
            return Err(Error::format(path)(FormatError::Foreign(native.architecture)));
        }
        let translated = native.bytes.into_owned();
        let header_bytes = translated[..header.layout.header_bytes()].to_vec();
        Ok(Self::with(path, file, header, header_bytes, Some(translated)))
    }

    fn with(
        path: &Path,
        file: File,
        header: Header,
        header_bytes: Vec<u8>,
        translated: Option<Vec<u8>>,
    ) -> Self {
        Self {
            path: path.into(),
            file,
            header,
            header_bytes,
            fresh_bytes: Vec::new(),
            workspace: Workspace::default(),
            sources_before: Vec::new(),
            gathered: GatheredRows::default(),
            translated,
            smoothing: Smoothing::NotDue,
        }
    }

    /// Which file this is, whatever its name leads to by now.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn identity(&self) -> Result<Identity, Error> {
        self.file.identity().map_err(Error::io("reading", &self.path))
    }

    /// The file's stamp now.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn stamp(&self) -> Result<Stamp, Error> {
        self.file.stamp().map_err(Error::io("reading", &self.path))
    }

    /// Begins to read the pages that the next commit writes rows to.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn prefetch_rows(&self) -> Result<(), Error> {
        for (offset_bytes, bytes) in self.gathered.writes(&self.header.layout) {
            let begun = self.file.prefetch(offset_bytes, bytes.len() as u64);
            begun.map_err(Error::io("reading", &self.path))?;
        }
        Ok(())
    }

    /// Gives the lock back but stays open.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn release(&self) -> Result<(), Error> {
        self.file.unlock().map_err(Error::io("unlocking", &self.path))
    }

    /// Takes the lock again and reads what others changed meanwhile. `file_bytes` is the size of
    /// the file now.
    ///
    /// # Errors
    /// As [`RrdFile::open`].
    pub(crate) fn reacquire(&mut self, file_bytes: u64, locking: Locking) -> Result<(), Error> {
        lock(&self.file, &self.path, locking)?;
        self.read_head(file_bytes).map(drop)
    }

    /// Turns to another file, not locked. Gives its stamp, and whether its definition is the one
    /// that was here before.
    ///
    /// # Errors
    /// As [`RrdFile::open`]; nothing is then to be asked of it.
    pub(crate) fn turn_to(&mut self, path: &Path) -> Result<(Stamp, bool), Error> {
        self.path.clear();
        self.path.push(path);
        self.file = File::open(path, Mode::Update).map_err(Error::io("opening", path))?;
        self.file.advise_random().map_err(Error::io("advising", path))?;
        let stamp = self.stamp()?;
        Ok((stamp, self.read_head(stamp.bytes)?))
    }

    /// Reads the head of a file of so many bytes; what is as it was before is not decoded again.
    /// Gives whether that is the definition.
    fn read_head(&mut self, file_bytes: u64) -> Result<bool, Error> {
        let path = &self.path;
        self.gathered.clear();
        let header_bytes = self.header_bytes.len();
        let mut fresh = std::mem::take(&mut self.fresh_bytes);
        fresh.resize(header_bytes.max(FIRST_READ_BYTES), 0);
        let read = self.file.read_at(&mut fresh, 0).map_err(Error::io("reading", path))?;
        fresh.truncate(read);
        let live_offset = self.header.layout.live_offset();
        let same_definition = read >= header_bytes
            && file_bytes >= self.header.layout.file_bytes()
            && fresh[..live_offset] == self.header_bytes[..live_offset];
        if same_definition {
            fresh.truncate(header_bytes);
            self.fresh_bytes = std::mem::replace(&mut self.header_bytes, fresh);
            self.header.decode_live(&self.header_bytes).map_err(Error::format(path))?;
        } else {
            self.header_bytes = read_header(&self.file, fresh, file_bytes, path)?;
            self.header =
                Header::decode(&self.header_bytes, file_bytes).map_err(Error::format(path))?;
        }
        self.read_seasons()?;
        Ok(same_definition)
    }

    /// The file's header as of now, uncommitted samples included.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file alone, as open and locked as it is.
    pub(crate) fn into_file(self) -> File {
        self.file
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
        // What can be refused later than by its readings is refused when cells and rows have changed.
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
    /// A smoothing of seasons that the samples since the last commit made due is done, unless one of
    /// them was refused.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Update`] if a season cannot be smoothed, all the rest is then written.
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

    /// Changes the header in place: `work` may change everything but how many sources, archives and
    /// rows there are. Only what differs is written, at once.
    ///
    /// # Errors
    /// [`Error::Io`].
    ///
    /// # Panics
    /// If the layout changed.
    pub fn edit<T>(&mut self, work: impl FnOnce(&mut Header) -> T) -> Result<T, Error> {
        let mut header = self.header.clone();
        let done = work(&mut header);
        let rows = header.definition.archives.iter().map(|archive| archive.rows);
        assert!(
            rows.eq((0..self.header.newest_rows.len()).map(|nth| self.header.layout.rows(nth)))
        );
        assert!(header.definition.sources.len() == self.header.definition.sources.len());
        let mut bytes = self.header_bytes.clone();
        header.encode_definition(&mut bytes);
        header.encode_live(&mut bytes);
        if let Some((start, end)) = difference(&self.header_bytes, &bytes) {
            self.file
                .write_at(&bytes[start..end], start as u64)
                .map_err(Error::io("writing", &self.path))?;
        }
        (self.header, self.header_bytes) = (header, bytes);
        Ok(done)
    }

    /// Makes a source's rows in an archive unknown.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget(&mut self, archive: usize, source: usize) -> Result<(), Error> {
        let layout = &self.header.layout;
        let offset_bytes = layout.row_offset(archive, RowIndex(0));
        let mut bytes = vec![0; (layout.rows(archive) * layout.row_bytes()) as usize];
        self.read_exactly(&mut bytes, offset_bytes)?;
        let sources = self.header.definition.sources.len();
        for value in bytes.as_chunks_mut().0.iter_mut().skip(source).step_by(sources) {
            *value = UNKNOWN.to_bits().to_le_bytes();
        }
        self.file.write_at(&bytes, offset_bytes).map_err(Error::io("writing", &self.path))
    }

    /// Puts another database into the place of this one: a file with its permissions and owner,
    /// which appears under its name whole. The newest row of each archive is the last of its ring.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Io`]; the file is then as it was.
    pub fn replace_with(&self, snapshot: &Snapshot) -> Result<(), Error> {
        let path = &self.path;
        let archives = snapshot.definition.archives.iter();
        let newest_rows = archives.map(|archive| RowIndex(archive.rows - 1)).collect();
        let too_large = || Error::TooLarge(path.clone());
        let (definition, live) = (snapshot.definition.clone(), snapshot.live.clone());
        let mut header = Header::new(definition, live, newest_rows).ok_or_else(too_large)?;
        // A file keeps the version that it once needed, as with rrdtool.
        header.version = header.version.max(self.header.version);
        let bytes = rrdfile::encode_behind(&header, &snapshot.rows).ok_or_else(too_large)?;
        disk::rewrite(path, &[&bytes]).map_err(Error::io("creating", path))
    }

    /// The rows that answer a query.
    ///
    /// # Errors
    /// [`Error::Fetch`], [`Error::Io`].
    pub fn fetch(&self, query: &Query) -> Result<Series, Error> {
        let definition = &self.header.definition;
        let window = window(definition, self.header.live.last_update.seconds, query)
            .map_err(|source| Error::Fetch { path: self.path.clone(), source })?;
        let sources = definition.sources.len();
        let mut answer = vec![UNKNOWN; window.rows as usize * sources];
        // Rows of the window that the ring holds: from the oldest age to the newest.
        let oldest_age = self.header.layout.rows(window.archive) as i64 - 1;
        let before_ring = (window.first_age - oldest_age).clamp(0, window.rows as i64);
        let first_age = window.first_age - before_ring;
        let held = (first_age + 1).clamp(0, window.rows as i64 - before_ring);
        if held > 0 {
            let rows = self.read_rows(window.archive, first_age as u64, held as u64)?;
            answer[before_ring as usize * sources..][..rows.len()].copy_from_slice(&rows);
        }
        Ok(Series {
            start_seconds: window.start_seconds,
            end_seconds: window.end_seconds,
            step_seconds: window.step_seconds,
            source_names: definition.sources.iter().map(|source| source.name.clone()).collect(),
            values: answer,
        })
    }

    /// Everything.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        let rows = (0..self.header.definition.archives.len()).map(|archive| {
            let count = self.header.layout.rows(archive);
            self.read_rows(archive, count - 1, count)
        });
        Ok(Snapshot {
            rows: rows.collect::<Result<_, _>>()?,
            definition: self.header.definition.clone(),
            live: self.header.live.clone(),
        })
    }

    /// `count` rows of an archive from the one that is `first_age` rows older than the newest.
    fn read_rows(&self, archive: usize, first_age: u64, count: u64) -> Result<Vec<f64>, Error> {
        let layout = &self.header.layout;
        let ring_rows = layout.rows(archive);
        let first = self.header.newest_rows[archive].back(first_age, ring_rows);
        let before_wrap = count.min(ring_rows - first.0);
        let mut bytes = vec![0; (count * layout.row_bytes()) as usize];
        let (head, tail) = bytes.split_at_mut((before_wrap * layout.row_bytes()) as usize);
        self.read_slots(archive, first, head)?;
        if !tail.is_empty() {
            self.read_slots(archive, RowIndex(0), tail)?;
        }
        Ok(values(&bytes).collect())
    }

    /// Rows side by side, as many as `bytes` has room for.
    fn read_slots(&self, archive: usize, first: RowIndex, bytes: &mut [u8]) -> Result<(), Error> {
        let layout = &self.header.layout;
        self.read_exactly(bytes, layout.row_offset(archive, first))?;
        self.gathered.overlay(archive, first, layout.row_bytes(), bytes);
        Ok(())
    }

    fn read_exactly(&self, buffer: &mut [u8], offset_bytes: u64) -> Result<(), Error> {
        if let Some(translated) = &self.translated {
            // A row's place lies within the size that the header was checked against.
            buffer.copy_from_slice(&translated[offset_bytes as usize..][..buffer.len()]);
            return Ok(());
        }
        let reading = || Error::io("reading", &self.path);
        match self.file.read_at(buffer, offset_bytes).map_err(reading())? {
            read if read == buffer.len() => Ok(()),
            _ => Err(reading()(std::io::ErrorKind::UnexpectedEof.into())),
        }
    }
}

fn lock(file: &File, path: &Path, locking: Locking) -> Result<(), Error> {
    let locked = match locking {
        Locking::Try => file.try_lock(Mode::Update),
        Locking::Block => file.lock(Mode::Update).map(|()| true),
        Locking::None => Ok(true),
    };
    match locked.map_err(Error::io("locking", path))? {
        true => Ok(()),
        false => Err(Error::Locked(path.into())),
    }
}

/// The first page of a file: the whole header of most.
fn read_beginning(file: &File, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; FIRST_READ_BYTES];
    let read = file.read_at(&mut bytes, 0).map_err(Error::io("reading", path))?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The whole file.
fn read_whole(file: &File, file_bytes: u64, path: &Path) -> Result<Vec<u8>, Error> {
    let size = usize::try_from(file_bytes).map_err(|_| Error::TooLarge(path.into()))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| Error::TooLarge(path.into()))?;
    bytes.resize(size, 0);
    let read = file.read_at(&mut bytes, 0).map_err(Error::io("reading", path))?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The bytes of a file's header, of which these are the first: a second read where it is larger
/// than a page.
fn read_header(
    file: &File,
    mut bytes: Vec<u8>,
    file_bytes: u64,
    path: &Path,
) -> Result<Vec<u8>, Error> {
    let read = bytes.len();
    let prefix = &bytes[..read.min(STAT_HEAD_BYTES)];
    let needed = Header::bytes_needed(prefix, file_bytes).map_err(Error::format(path))?;
    bytes.resize(needed, 0);
    if needed > read {
        let more = file.read_at(&mut bytes[read..], read as u64);
        bytes.truncate(read + more.map_err(Error::io("reading", path))?);
    }
    // A file that shrank meanwhile is told as one that ends within its header.
    Header::bytes_needed(&bytes, bytes.len() as u64).map_err(Error::format(path))?;
    Ok(bytes)
}

/// From where to where two texts of one length differ.
fn difference(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let differs = |nth: &usize| old[*nth] != new[*nth];
    let start = (0..old.len()).find(differs)?;
    let last = (0..old.len()).rfind(differs)?;
    Some((start, last + 1))
}
