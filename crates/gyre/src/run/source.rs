//! Configuration files on disk.

use std::io;
use std::path::{Path, PathBuf};

use super::glob::glob;

/// The files of this machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk;

impl mrtg::Source for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn glob(&self, pattern: &Path) -> Vec<PathBuf> {
        glob(pattern)
    }
}
