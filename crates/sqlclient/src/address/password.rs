//! Passwords: never shown, wiped when they go.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use zeroize::Zeroizing;

/// The most bytes of a file with a password.
const FILE_BYTES_MAX: u64 = 4096;
/// The bits of a file's mode that let others than its owner read it.
const READ_BY_OTHERS: u32 = 0o044;

/// A password. It is not shown, and wiped from memory when it goes.
#[derive(Clone)]
#[cfg_attr(not(feature = "network"), allow(dead_code, reason = "no driver reads it"))]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Takes a password over.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    #[cfg(feature = "network")]
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Reads the first line of a file that its owner alone can read.
    pub(super) fn of_file(path: &Path) -> Result<Self, FileFault> {
        let file = File::open(path).map_err(FileFault::System)?;
        let facts = file.metadata().map_err(FileFault::System)?;
        if facts.mode() & READ_BY_OTHERS != 0 {
            return Err(FileFault::Open(facts.mode() & 0o777));
        }
        let mut text = Zeroizing::new(String::new());
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(FileFault::System)?;
        let line = text.lines().next().unwrap_or_default();
        if line.is_empty() {
            return Err(FileFault::Empty);
        }
        Ok(Self::new(line.to_owned()))
    }
}

/// Why a file gives no password.
#[derive(Debug)]
pub(super) enum FileFault {
    System(io::Error),
    /// Others may read it: its mode.
    Open(u32),
    Empty,
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(not shown)")
    }
}
