//! Opening a file: its lock, its header, and what others made of it meanwhile.

use std::path::Path;

use disk::{File, Mode, Stamp};
use rrd::Workspace;
use rrdfile::layout::STAT_HEAD_BYTES;
use rrdfile::{Architecture, FormatError, Header, to_native};
use store::{Error, Locking};

use super::gathered::GatheredRows;
use super::handle::Handle;
use super::seasons::Smoothing;
use super::{Access, Io, RrdFile};

/// The first read takes a page: the whole header of most files.
pub(crate) const FIRST_READ_BYTES: usize = 4096;

/// A file that was opened, to be read.
#[derive(Debug)]
pub(crate) struct Opened<'a> {
    pub(crate) file: File,
    /// As it was before its page was read.
    pub(crate) stamp: Stamp,
    /// What its first page holds, if that was read.
    pub(crate) first_page: Option<&'a [u8]>,
}

impl Opened<'_> {
    /// Opens a file and reads nothing.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn of(path: &Path) -> Result<Self, Error> {
        let file = Handle::open(path, Mode::Update, Io::OWN).map_err(Error::opening(path))?;
        let file = file.into_file();
        let stamp = file.stamp().map_err(Error::io("reading", path))?;
        Ok(Self { file, stamp, first_page: None })
    }
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
        Self::open_by(path, access, locking, Io::OWN)
    }

    /// The same, where it is said how the file is read and written.
    ///
    /// # Errors
    /// As [`RrdFile::open`].
    pub fn open_by(path: &Path, access: Access, locking: Locking, io: Io) -> Result<Self, Error> {
        let file = Handle::open(path, access.mode(), io).map_err(Error::opening(path))?;
        Self::over(file, path, access, locking)
    }

    /// Over a file that is open already.
    ///
    /// # Errors
    /// As [`RrdFile::open`].
    pub(crate) fn over(
        file: impl Into<Handle>,
        path: &Path,
        access: Access,
        locking: Locking,
    ) -> Result<Self, Error> {
        let mut file = file.into();
        if access == Access::Update {
            lock(file.file(), path, locking)?;
        }
        let file_bytes = file.file().seek_to_end().map_err(Error::io("reading", path))?;
        let beginning = read_beginning(&file, path)?;
        if Architecture::is_foreign(&beginning) {
            return Self::open_foreign(path, file, file_bytes, access);
        }
        let header_bytes = read_header(&file, beginning, file_bytes, path)?;
        let header = Header::decode(&header_bytes, file_bytes).map_err(Error::format(path))?;
        let mapped = file.header_is(header_bytes.len(), access.mode());
        mapped.map_err(Error::io("opening", path))?;
        let mut opened = Self::with(path, file, header, header_bytes, None);
        if access == Access::Update {
            opened.read_seasons()?;
        }
        Ok(opened)
    }

    fn open_foreign(
        path: &Path,
        file: Handle,
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
        file: Handle,
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

    /// Gives the lock back but stays open.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn release(&self) -> Result<(), Error> {
        self.file.file().unlock().map_err(Error::io("unlocking", &self.path))
    }

    /// Takes the lock again and reads what others changed meanwhile. `file_bytes` is the size of
    /// the file now.
    ///
    /// # Errors
    /// As [`RrdFile::open`].
    pub(crate) fn reacquire(&mut self, file_bytes: u64, locking: Locking) -> Result<(), Error> {
        lock(self.file.file(), &self.path, locking)?;
        self.read_head(file_bytes, None).map(drop)
    }

    /// Takes the lock of a file that was read without it. What is to be written was made of the
    /// head as it was read: it must be the one that is there.
    ///
    /// # Errors
    /// [`Error::Locked`]; [`Error::Changed`], and the lock is not held then; [`Error::Io`].
    pub(crate) fn lock_as_read(&mut self) -> Result<(), Error> {
        lock(self.file.file(), &self.path, Locking::Try)?;
        self.fresh_bytes.resize(self.header_bytes.len(), 0);
        let read = self.file.read_at(&mut self.fresh_bytes, 0);
        let read = read.map_err(Error::io("reading", &self.path))?;
        if self.fresh_bytes[..read] == self.header_bytes[..] {
            return Ok(());
        }
        self.release()?;
        Err(Error::Changed(self.path.clone()))
    }

    /// Turns to another file, not locked. Gives whether its definition is the one that was here
    /// before.
    ///
    /// # Errors
    /// As [`RrdFile::open`]; nothing is then to be asked of it.
    pub(crate) fn turn_to(&mut self, path: &Path, opened: Opened<'_>) -> Result<bool, Error> {
        self.path.clear();
        self.path.push(path);
        self.file = opened.file.into();
        self.read_head(opened.stamp.bytes, opened.first_page)
    }

    /// Reads the head of a file of so many bytes, of which the first page may have been read
    /// already; parts that did not change are not decoded again. Gives whether that is the
    /// definition.
    fn read_head(&mut self, file_bytes: u64, first_page: Option<&[u8]>) -> Result<bool, Error> {
        let path = &self.path;
        self.gathered.clear();
        self.file.forget();
        let header_bytes = self.header_bytes.len();
        let mut fresh = std::mem::take(&mut self.fresh_bytes);
        // The two buffers change places at each read: this one has the length already, and nothing
        // is zeroed. The rest of the page is read only where the definition is another one.
        fresh.resize(header_bytes, 0);
        let read = match first_page.and_then(|page| page.get(..header_bytes)) {
            Some(head) => {
                fresh.copy_from_slice(head);
                header_bytes
            }
            None => self.file.read_at(&mut fresh, 0).map_err(Error::io("reading", path))?,
        };
        fresh.truncate(read);
        let live_offset = self.header.layout.live_offset();
        let same_definition = read == header_bytes
            && file_bytes >= self.header.layout.file_bytes()
            && fresh[..live_offset] == self.header_bytes[..live_offset];
        if same_definition {
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
fn read_beginning(file: &Handle, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; FIRST_READ_BYTES];
    let read = file.read_at(&mut bytes, 0).map_err(Error::io("reading", path))?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The whole file.
fn read_whole(file: &Handle, file_bytes: u64, path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = disk::zeroed(file_bytes).map_err(Error::io("reading", path))?;
    let read = file.read_at(&mut bytes, 0).map_err(Error::io("reading", path))?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The bytes of a file's header, of which these are the first: a second read where it is larger
/// than a page.
fn read_header(
    file: &Handle,
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

#[cfg(test)]
mod tests {
    use rrd::{Reading, Sample, Timestamp};

    use super::*;
    use store::Existing;

    /// A file that was read without its lock is written only if it is as it was read.
    #[test]
    fn a_file_that_was_written_meanwhile_is_not_locked() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.rrd");
        let specs = ["DS:a:GAUGE:600:0:U", "RRA:AVERAGE:0.5:1:20"];
        let definition = rrd::spec::definition(300, specs).unwrap();
        crate::create(&path, &definition, Timestamp::from_seconds(3000), Existing::Keep).unwrap();
        let open = || RrdFile::open_locking(&path, Access::Update, Locking::None).unwrap();
        let update = |file: &mut RrdFile, seconds| {
            let time = Timestamp::from_seconds(seconds);
            file.append(&Sample { time, readings: &["5"].map(Reading::of) }).unwrap();
        };
        let mut ours = open();
        update(&mut ours, 3300);
        let mut other = RrdFile::open(&path, Access::Update).unwrap();
        assert!(matches!(ours.lock_as_read(), Err(Error::Locked(_))));
        update(&mut other, 3100);
        other.commit().unwrap();
        drop(other);
        assert!(matches!(ours.lock_as_read(), Err(Error::Changed(_))));
        let mut again = open();
        update(&mut again, 3300);
        again.lock_as_read().unwrap();
        assert!(matches!(RrdFile::open(&path, Access::Update), Err(Error::Locked(_))));
        again.commit().unwrap();
        again.release().unwrap();
        assert_eq!(open().header().live.last_update.seconds, 3300);
    }
}
