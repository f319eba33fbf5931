//! A file that is ready.

use std::path::{Path, PathBuf};

use crate::PackError;

/// A package, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The file's name.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Output {
    /// Writes it into a directory, and returns the place.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, directory: &Path) -> Result<PathBuf, PackError> {
        std::fs::create_dir_all(directory).map_err(|cause| PackError::file(directory, cause))?;
        let path = directory.join(&self.name);
        std::fs::write(&path, &self.bytes).map_err(|cause| PackError::file(&path, cause))?;
        Ok(path)
    }
}
