//! Messages with a place for the name of the database that they are about.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// No name has it, so that it stands for one.
const MARK: char = '\0';

/// What a message says around the name of its database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phrase(Vec<String>);

impl Phrase {
    /// A message in which NUL stands for the name.
    #[must_use]
    pub fn around(marked: &str) -> Self {
        Self(marked.split(MARK).map(str::to_owned).collect())
    }

    /// The whole message.
    #[must_use]
    pub fn with(&self, name: &Path) -> String {
        self.0.join(&*name.to_string_lossy())
    }
}
