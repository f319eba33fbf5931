//! Unix sockets whose paths are longer than the kernel takes.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

/// Bytes of a path that the kernel binds or connects a socket by: `sun_path` without the zero at
/// its end.
const PATH_BYTES_MAX: usize = 107;

/// A path to a socket that is short enough to bind or connect it by. It is good while this value
/// lives.
#[derive(Debug)]
pub struct SocketName {
    path: PathBuf,
    /// The directory that the path goes through, where the socket's own path is too long.
    _directory: Option<OwnedFd>,
}

impl SocketName {
    /// The path itself where it is short enough, else one through a descriptor of its directory.
    ///
    /// # Errors
    /// The path is too long, and so is its last part, or its directory cannot be opened.
    pub fn of(path: &Path) -> io::Result<Self> {
        if path.as_os_str().len() <= PATH_BYTES_MAX {
            return Ok(Self { path: path.into(), _directory: None });
        }
        let name = path.file_name().ok_or(Errno::NAMETOOLONG)?;
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = directory.unwrap_or(Path::new("."));
        let directory = rustix::fs::openat(CWD, directory, flags, Mode::empty())?;
        let short = Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name);
        if short.as_os_str().as_bytes().len() > PATH_BYTES_MAX {
            return Err(Errno::NAMETOOLONG.into());
        }
        Ok(Self { path: short, _directory: Some(directory) })
    }

    /// The path to bind or connect by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The beginning of a path that is longer than the kernel takes, which is all that rrdtool and
/// rrdcached use of it.
#[must_use]
pub fn cut_socket_path(path: &Path) -> Option<&Path> {
    let beginning = path.as_os_str().as_bytes().get(..PATH_BYTES_MAX)?;
    (path.as_os_str().len() > PATH_BYTES_MAX).then(|| Path::new(OsStr::from_bytes(beginning)))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;

    use super::{PATH_BYTES_MAX, SocketName, cut_socket_path};

    #[test]
    fn a_path_as_long_as_the_kernel_takes_stays_as_it_is() {
        let longest = "a".repeat(PATH_BYTES_MAX);
        assert_eq!(SocketName::of(Path::new(&longest)).unwrap().path(), Path::new(&longest));
        let name = SocketName::of(Path::new(&format!("/tmp/{longest}")));
        assert_eq!(name.unwrap_err().raw_os_error(), Some(36)); // ENAMETOOLONG
    }

    #[test]
    fn a_longer_path_is_cut_where_the_kernel_does() {
        let longest = "é".repeat(53) + "a";
        assert_eq!(cut_socket_path(Path::new(&longest)), None);
        assert_eq!(cut_socket_path(Path::new(&(longest.clone() + "b"))), Some(longest.as_ref()));
    }

    #[test]
    fn a_socket_in_a_directory_of_200_bytes_is_bound_and_connected() {
        let room = tempfile::tempdir().unwrap();
        let directory = room.path().join("d".repeat(200));
        std::fs::create_dir(&directory).unwrap();
        let path = directory.join("socket");
        assert!(UnixListener::bind(&path).is_err());
        let listener = UnixListener::bind(SocketName::of(&path).unwrap().path()).unwrap();
        let mut client = UnixStream::connect(SocketName::of(&path).unwrap().path()).unwrap();
        client.write_all(b"x").unwrap();
        let mut read = [0];
        listener.accept().unwrap().0.read_exact(&mut read).unwrap();
        assert_eq!(read, *b"x");
        std::fs::remove_file(&path).unwrap();
    }
}
