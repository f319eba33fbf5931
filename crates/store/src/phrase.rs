//! Messages with a placeholder for the database's name.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// Stands for the name, because no name contains it.
const MARK: char = '\0';

/// The parts of a message around the name of its database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase(Vec<String>);

impl Phrase {
    /// Makes a message from a text with NUL in place of the name.
    #[must_use]
    pub fn around(marked: &str) -> Self {
        Self(marked.split(MARK).map(str::to_owned).collect())
    }

    /// The message with this name.
    #[must_use]
    pub fn with(&self, name: &Path) -> String {
        self.0.join(&*name.to_string_lossy())
    }
}
