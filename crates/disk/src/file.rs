//! One open file: positioned reads and writes, a lock, page-cache advice.

use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{FallocateFlags, OFlags};

use crate::Advice;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Reading only.
    Read,
    /// Reading and writing.
    Update,
}

impl Mode {
    fn lock(self) -> libc::c_int {
        match self {
            Self::Read => libc::F_RDLCK,
            Self::Update => libc::F_WRLCK,
        }
    }
}

fn whole_file(kind: libc::c_int) -> libc::flock {
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    }
}

/// File systems whose page cache is not like that of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// Files of other file systems, laid over each other.
    Overlay,
    /// Files that are in memory alone: tmpfs, ramfs, hugetlbfs.
    Memory,
    /// Any other.
    Other,
}

/// One open file.
#[derive(Debug)]
pub struct File(pub(crate) std::fs::File);

/// Which file a name leads to: device and inode, in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// What tells a file and its state: it changes whenever the file is written, cut or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Which file it is.
    pub identity: Identity,
    /// Its size.
    pub bytes: u64,
    /// When it was last written: seconds, nanoseconds.
    modified: (i64, u64),
    /// When anything about it last changed: seconds, nanoseconds.
    changed: (i64, u64),
}

impl Stamp {
    /// When anything about the file last changed, in seconds since 1970 by the file system's clock.
    /// Its contents, its size and its names are of that time or older.
    #[must_use]
    pub fn changed_seconds(&self) -> i64 {
        self.changed.0
    }

    fn of(stat: &rustix::fs::Stat) -> Self {
        Self {
            identity: Identity::of(stat),
            bytes: stat.st_size as u64,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
        }
    }
}

impl Identity {
    /// A file that was seen earlier, from what was noted of it.
    #[must_use]
    pub fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }

    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }

    /// The device that it lies on.
    #[must_use]
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Its number on the device, which tells roughly where on the disk it lies.
    #[must_use]
    pub fn inode(&self) -> u64 {
        self.inode
    }
}

impl File {
    /// Opens an existing file.
    ///
    /// Reads leave the access time alone where the file is ours (`O_NOATIME`): otherwise each read
    /// after a write dirties the inode.
    ///
    /// # Errors
    /// Those of `open(2)`.
    pub fn open(path: &Path, mode: Mode) -> io::Result<Self> {
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(mode == Mode::Update);
        let no_access_time = OFlags::NOATIME.bits().cast_signed();
        match options.clone().custom_flags(no_access_time).open(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => options.open(path),
            opened => opened,
        }
        .map(Self)
    }

    /// Makes an empty file, open for reading and writing.
    ///
    /// # Errors
    /// `AlreadyExists`, and those of `open(2)`.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = std::fs::OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o644).open(path).map(Self)
    }

    pub(crate) fn from_std(file: std::fs::File) -> Self {
        Self(file)
    }

    /// Bytes of the file, `fstat(2)`.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// Which file this is.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn identity(&self) -> io::Result<Identity> {
        Ok(Identity::of(&rustix::fs::fstat(&self.0)?))
    }

    /// Which file a name leads to now, and its size in bytes.
    ///
    /// # Errors
    /// Those of `stat(2)`.
    pub fn identity_of(path: &Path) -> io::Result<(Identity, u64)> {
        let stat = rustix::fs::stat(path)?;
        Ok((Identity::of(&stat), stat.st_size as u64))
    }

    /// The kind of file system that it is on.
    ///
    /// # Errors
    /// Those of `fstatfs(2)`.
    pub fn file_system(&self) -> io::Result<FileSystem> {
        Ok(match rustix::fs::fstatfs(&self.0)?.f_type as u32 {
            0x794c_7630 => FileSystem::Overlay,
            0x0102_1994 | 0x8584_58f6 | 0x9584_58f6 => FileSystem::Memory,
            _ => FileSystem::Other,
        })
    }

    /// Standard input, if it is a file: another descriptor of the same open file, so that an advice
    /// to it lasts as long as anybody has it open.
    ///
    /// # Errors
    /// Those of `dup(2)`.
    pub fn standard_input() -> io::Result<Self> {
        let descriptor = rustix::io::dup(std::io::stdin().lock())?;
        Ok(Self(descriptor.into()))
    }

    /// The file's stamp now.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn stamp(&self) -> io::Result<Stamp> {
        Ok(Stamp::of(&rustix::fs::fstat(&self.0)?))
    }

    /// The stamp of the file that a name leads to now.
    ///
    /// # Errors
    /// Those of `stat(2)`.
    pub fn stamp_of(path: &Path) -> io::Result<Stamp> {
        Ok(Stamp::of(&rustix::fs::stat(path)?))
    }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    ///
    /// # Errors
    /// Those of `pread(2)`.
    pub fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read_at(&mut buffer[filled..], offset_bytes + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Reads some bytes, at most a buffer full; none at the end of the file.
    ///
    /// # Errors
    /// Those of `pread(2)`.
    pub fn read_some_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset_bytes)
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// Those of `pwrite(2)`.
    pub fn write_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset_bytes)
    }

    /// Writes some of `bytes`, at least one; returns how many.
    ///
    /// # Errors
    /// Those of `pwrite(2)`.
    pub fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        self.0.write_at(bytes, offset_bytes)
    }

    /// Takes the blocks of the first `bytes` without changing the size (`fallocate(2)`); where the
    /// file system cannot, nothing happens.
    ///
    /// # Errors
    /// Those of `fallocate(2)`.
    pub fn reserve(&self, bytes: u64) -> io::Result<()> {
        match rustix::fs::fallocate(&self.0, FallocateFlags::KEEP_SIZE, 0, bytes) {
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
            reserved => Ok(reserved?),
        }
    }

    /// Sets the size of the file.
    ///
    /// # Errors
    /// Those of `ftruncate(2)`.
    pub fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }

    /// Takes a lock on the whole file, without waiting. False if somebody else holds it. It is
    /// shared in mode [`Mode::Read`].
    ///
    /// It keeps out rrdtool, which takes `fcntl(F_SETLK)`, and is kept out by it; but it belongs to
    /// this open file (`F_OFD_SETLK`), so that another thread that closes the same file does not
    /// lose it for us.
    ///
    /// # Errors
    /// Those of `fcntl(2)`, a held lock excepted.
    pub fn try_lock(&self, mode: Mode) -> io::Result<bool> {
        match self.set_lock(mode.lock()) {
            Ok(()) => Ok(true),
            Err(Errno::EACCES | Errno::EAGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The same lock, waited for so long at most: False if somebody else holds it all the time.
    ///
    /// # Errors
    /// As for [`Self::try_lock`].
    pub fn lock_within(&self, mode: Mode, patience: Duration) -> io::Result<bool> {
        /// An update of rrdtool's takes about that long.
        const PAUSE: Duration = Duration::from_millis(2);
        let began = Instant::now();
        while !self.try_lock(mode)? {
            if began.elapsed() >= patience {
                return Ok(false);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(true)
    }

    /// The same lock, waited for.
    ///
    /// # Errors
    /// Those of `fcntl(2)`.
    pub fn lock(&self, mode: Mode) -> io::Result<()> {
        let wanted = whole_file(mode.lock());
        loop {
            match fcntl(&self.0, FcntlArg::F_OFD_SETLKW(&wanted)) {
                Err(Errno::EINTR) => {}
                taken => return Ok(taken.map(drop)?),
            }
        }
    }

    /// Gives the lock back.
    ///
    /// # Errors
    /// Those of `fcntl(2)`.
    pub fn unlock(&self) -> io::Result<()> {
        Ok(self.set_lock(libc::F_UNLCK)?)
    }

    /// Whether another one holds a lock that would keep us from ours of this mode. Takes none, so
    /// that nobody is kept out by the question (`F_OFD_GETLK`).
    ///
    /// # Errors
    /// Those of `fcntl(2)`.
    pub fn is_locked(&self, mode: Mode) -> io::Result<bool> {
        let mut asked = whole_file(mode.lock());
        fcntl(&self.0, FcntlArg::F_OFD_GETLK(&mut asked))?;
        Ok(i32::from(asked.l_type) != libc::F_UNLCK)
    }

    fn set_lock(&self, kind: libc::c_int) -> Result<(), Errno> {
        fcntl(&self.0, FcntlArg::F_OFD_SETLK(&whole_file(kind))).map(drop)
    }

    /// Tells the kernel that access is random: no readahead (`posix_fadvise(2)`).
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    pub fn advise_random(&self) -> io::Result<()> {
        self.advise(Advice::Random, 0, 0)
    }

    /// Begins to read the pages of a stretch, and no others, into the page cache; does not wait
    /// (`posix_fadvise(2)`).
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    pub fn prefetch(&self, offset_bytes: u64, bytes: u64) -> io::Result<()> {
        self.advise(Advice::WillNeed, offset_bytes, bytes)
    }

    /// Waits until the file system that the file is on has written everything to disk
    /// (`syncfs(2)`).
    ///
    /// # Errors
    /// Those of `syncfs(2)`; `EROFS` where the file system can only be read. The call itself
    /// succeeds on a file system that is marked so and writes nothing, even if a fault made it
    /// read-only while pages waited.
    pub fn sync_file_system(&self) -> io::Result<()> {
        rustix::fs::syncfs(&self.0)?;
        let facts = rustix::fs::fstatvfs(&self.0)?;
        match facts.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY) {
            true => Err(rustix::io::Errno::ROFS.into()),
            false => Ok(()),
        }
    }

    /// Waits until the data is on disk (`fdatasync(2)`).
    ///
    /// # Errors
    /// Those of `fdatasync(2)`.
    pub fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}
