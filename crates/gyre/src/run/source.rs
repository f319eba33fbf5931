//! Reads configuration files from disk.

use std::io;
use std::path::{Path, PathBuf};

use super::glob::glob;

/// The most bytes of one file; enough for more than a million targets.
const BYTES_MAX: u64 = 512 << 20;

/// The files of this machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk;

impl mrtg::Source for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        disk::read_whole(path, BYTES_MAX)
    }

    fn glob(&self, pattern: &Path) -> io::Result<Vec<PathBuf>> {
        glob(pattern)
    }
}
