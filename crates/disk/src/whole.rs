//! Reads whole files, such as configurations and documents, up to a sensible size.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

use crate::FileKind;

/// All bytes of a file, or of a pipe that a program writes (a shell's `<(...)`, standard input).
///
/// Devices are refused because they may be endless, and named pipes without a writer because
/// opening would wait.
///
/// # Errors
///
/// Those of `open(2)` and `read(2)`. `InvalidInput`: it is neither a file nor an open pipe.
/// `FileTooLarge`: it has more than `bytes_max` bytes.
pub fn read_whole(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    // So that opening a named pipe does not wait for a writer.
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    let mut file = OpenOptions::new().read(true).custom_flags(nonblocking).open(path)?;
    let stat = rustix::fs::fstat(&file)?;
    let kind = FileKind::of(rustix::fs::FileType::from_raw_mode(stat.st_mode));
    match kind {
        FileKind::Regular => {}
        FileKind::Pipe => {
            let flags = rustix::fs::fcntl_getfl(&file)?;
            rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
        }
        FileKind::Directory => return Err(io::ErrorKind::IsADirectory.into()),
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a file")),
    }
    let too_large = || {
        let words = format!("has more than {bytes_max} bytes");
        io::Error::new(io::ErrorKind::FileTooLarge, words)
    };
    if kind == FileKind::Regular && stat.st_size as u64 > bytes_max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.by_ref().take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::path::Path;

    use super::read_whole;

    #[test]
    fn what_has_no_end_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, [7; 10]).unwrap();
        assert_eq!(read_whole(&path, 10).unwrap(), [7; 10]);
        assert_eq!(read_whole(&path, 9).unwrap_err().kind(), ErrorKind::FileTooLarge);
        for device in ["/dev/zero", "/dev/null", "/dev/tty"] {
            assert!(read_whole(Path::new(device), 10).is_err(), "{device}");
        }
        assert_eq!(read_whole(directory.path(), 10).unwrap_err().kind(), ErrorKind::IsADirectory);
        // The kernel gives /proc files no size.
        assert!(read_whole(Path::new("/proc/self/stat"), 4096).unwrap().len() > 10);
    }
}
