//! Errors that end a backup.

use std::io;
use std::path::{Path, PathBuf};

/// Errors that end a backup. Errors of single files are reported as problems, and the others are
/// still copied.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A system call failed.
    #[error("{}: {action}: {}", path.display(), disk::system_words(source))]
    Io {
        /// The failed action.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file of the backup is damaged.
    #[error("{}: at byte {offset_bytes}: expected {expected}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The place of the damage.
        offset_bytes: u64,
        /// What was expected there.
        expected: &'static str,
    },
    /// A newer version of this program made the backup.
    #[error(
        "{}: format {found}; this program knows format {expected}: use the version of gyre that made \
         the backup, or a newer one", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that this program knows.
        expected: u32,
        /// The version of the file.
        found: u32,
    },
    /// The request is refused; the text says why.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn damaged(path: &Path, offset_bytes: u64, expected: &'static str) -> Self {
        Self::Damaged { path: path.to_path_buf(), offset_bytes, expected }
    }
}

/// Refuses a file that begins with `magic` and a later version than `expected`. A later version may
/// lay out everything behind these twelve bytes differently, so nothing else is looked at before.
pub(crate) fn check_version(
    path: &Path,
    bytes: &[u8],
    magic: &[u8; 8],
    expected: u32,
) -> Result<(), Error> {
    let Some((found, _)) = bytes.strip_prefix(magic).and_then(<[u8]>::split_first_chunk) else {
        return Ok(());
    };
    let found = u32::from_le_bytes(*found);
    if found <= expected {
        return Ok(());
    }
    Err(Error::Version { path: path.to_path_buf(), expected, found })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::check_version;

    #[test]
    fn a_later_version_is_refused_with_what_to_do() {
        let check = |bytes: &[u8]| check_version(Path::new("p"), bytes, b"gyrepack", 1);
        for fine in [&b"gyrepack\x01\0\0\0"[..], b"gyrepack\x01", b"", b"else"] {
            assert!(check(fine).is_ok());
        }
        assert_eq!(
            check(b"gyrepack\x02\0\0\0more").unwrap_err().to_string(),
            "p: format 2; this program knows format 1: use the version of gyre that made the backup, \
             or a newer one"
        );
    }
}
