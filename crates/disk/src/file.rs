//! One open file: positioned reads and writes, a lock, page-cache advice.

use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{CWD, FallocateFlags, Mode as FileMode, OFlags, ResolveFlags};

use crate::Advice;

/// The access to an open file.
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

/// Kinds of file systems by their page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// An overlay: the pages belong to files of other file systems.
    Overlay,
    /// Files in memory only: tmpfs, ramfs, hugetlbfs.
    Memory,
    /// Any other.
    Other,
}

/// One open file.
#[derive(Debug)]
pub struct File(pub(crate) std::fs::File);

/// The identity of a file: device and inode, compared in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// The identity and state of a file: it changes whenever the file is written, truncated or
/// replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Which file it is.
    pub identity: Identity,
    /// Its size.
    pub bytes: u64,
    /// When its content was last written: seconds, nanoseconds.
    modified: (i64, u64),
    /// When its content or metadata last changed: seconds, nanoseconds.
    changed: (i64, u64),
}

impl Stamp {
    /// The time of the last change of its content, size, names or other metadata, in seconds since
    /// 1970 by the file system's clock.
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
    /// The identity with these recorded numbers.
    #[must_use]
    pub fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }

    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }

    /// The number of its device.
    #[must_use]
    pub fn device(&self) -> u64 {
        self.device
    }

    /// The number of its inode, which correlates with its place on the disk.
    #[must_use]
    pub fn inode(&self) -> u64 {
        self.inode
    }
}

impl File {
    /// Opens an existing file.
    ///
    /// Reads leave the access time unchanged if this user owns the file (`O_NOATIME`): otherwise
    /// the first read after each write would dirty the inode.
    ///
    /// # Errors
    ///
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

    /// The size in bytes, `fstat(2)`.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// The identity of this file.
    ///
    /// # Errors
    /// Those of `fstat(2)`.
    pub fn identity(&self) -> io::Result<Identity> {
        Ok(Identity::of(&rustix::fs::fstat(&self.0)?))
    }

    /// The identity of the file at a path, and its size in bytes.
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

    /// Standard input, if it is a file. The descriptor shares the open file, so an advice lasts as
    /// long as any process has it open.
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

    /// The same without waiting for a disk or a network; `None` where the kernel would have to, or
    /// the file cannot be looked at.
    #[must_use]
    pub fn stamp_at_once(path: &Path) -> Option<Stamp> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let how = ResolveFlags::CACHED; // since Linux 5.12
        let file = rustix::fs::openat2(CWD, path, flags, FileMode::empty(), how).ok()?;
        Some(Stamp::of(&rustix::fs::fstat(&file).ok()?))
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

    /// Allocates the blocks of the first `bytes` without changing the size (`fallocate(2)`). Does
    /// nothing if the file system cannot.
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

    /// Takes a lock on the whole file without waiting; false if another process holds it. The lock
    /// is shared in [`Mode::Read`], else exclusive.
    ///
    /// The lock conflicts with rrdtool's, which uses `fcntl(F_SETLK)`. But it belongs to this open
    /// file (`F_OFD_SETLK`): rrdtool's kind would be lost when another thread closes the same file.
    ///
    /// # Errors
    ///
    /// Those of `fcntl(2)`, except for a lock that is held.
    pub fn try_lock(&self, mode: Mode) -> io::Result<bool> {
        match self.set_lock(mode.lock()) {
            Ok(()) => Ok(true),
            Err(Errno::EACCES | Errno::EAGAIN) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes the same lock, waiting at most `patience`; false if another process held it all the
    /// time.
    ///
    /// # Errors
    /// As for [`Self::try_lock`].
    pub fn lock_within(&self, mode: Mode, patience: Duration) -> io::Result<bool> {
        /// An update by rrdtool takes about this long.
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

    /// Takes the same lock, waiting as long as needed.
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

    /// Releases the lock.
    ///
    /// # Errors
    /// Those of `fcntl(2)`.
    pub fn unlock(&self) -> io::Result<()> {
        Ok(self.set_lock(libc::F_UNLCK)?)
    }

    /// Whether another process holds a lock that conflicts with ours in this mode. Takes no lock
    /// itself, so it never makes another process fail (`F_OFD_GETLK`).
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

    /// Advises the kernel that access is random, which turns readahead off (`posix_fadvise(2)`).
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    pub fn advise_random(&self) -> io::Result<()> {
        self.advise(Advice::Random, 0, 0)
    }

    /// Begins to read exactly the pages of a stretch into the page cache, without waiting
    /// (`posix_fadvise(2)`).
    ///
    /// # Errors
    /// Those of `posix_fadvise(2)`.
    pub fn prefetch(&self, offset_bytes: u64, bytes: u64) -> io::Result<()> {
        self.advise(Advice::WillNeed, offset_bytes, bytes)
    }

    /// Waits until the file's file system has written everything to disk (`syncfs(2)`).
    ///
    /// # Errors
    ///
    /// Those of `syncfs(2)`; `EROFS` if the file system is read-only. Linux itself reports success
    /// for a read-only file system without writing anything, even if a fault made it read-only
    /// while pages waited to be written.
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
