//! The files of the project that packages are made of.

use std::path::{Path, PathBuf};

use crate::{Moment, PackError};

/// The project, as packages see it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its directory.
    pub root: PathBuf,
    /// The version that packages get.
    pub version: String,
    /// The time that everything within them has.
    pub moment: Moment,
    /// The crates of other projects within the programs, and their licences, a line each.
    pub third_parties: String,
    /// Man pages and completions that the program itself made, if it can.
    pub generated: Option<PathBuf>,
}

impl Source {
    /// A file of the project.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn file(&self, path: &str) -> Result<Vec<u8>, PackError> {
        read(&self.root.join(path))
    }

    /// A file below `packaging/`, as text.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn text(&self, path: &str) -> Result<String, PackError> {
        let path = self.packaging(path);
        std::fs::read_to_string(&path).map_err(|cause| PackError::file(&path, cause))
    }

    /// The same; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn text_if_there(&self, path: &str) -> Result<Option<String>, PackError> {
        if self.packaging(path).exists() { self.text(path).map(Some) } else { Ok(None) }
    }

    /// The generated files of a directory, by their names: `man` or `completions`.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn generated(&self, directory: &str) -> Result<Vec<Generated>, PackError> {
        let Some(root) = &self.generated else { return Ok(Vec::new()) };
        let directory = root.join(directory);
        if !directory.exists() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        collect(&directory, &mut found)?;
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    fn packaging(&self, path: &str) -> PathBuf {
        self.root.join("packaging").join(path)
    }
}

/// A file that the program made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The files of a directory and of those in it.
fn collect(directory: &Path, found: &mut Vec<Generated>) -> Result<(), PackError> {
    let failed = |cause| PackError::file(directory, cause);
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, found)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push(Generated { name, bytes: read(&path)? });
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, PackError> {
    std::fs::read(path).map_err(|cause| PackError::file(path, cause))
}
