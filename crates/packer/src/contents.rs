//! What a package puts on a machine.

use std::collections::BTreeMap;

/// The number of root.
pub(crate) const ROOT: u32 = 0;

/// Files, directories and links by their paths, in the order of paths. A path has no slash at its
/// beginning: `usr/bin/gyre`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    items: BTreeMap<String, Item>,
}

/// One of them. Files and links belong to root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A directory, which anybody may list.
    Directory {
        /// The number of the user and the group that it belongs to.
        owner: u32,
    },
    /// A file.
    File {
        /// What is in it.
        bytes: Vec<u8>,
        /// Whether it is a program.
        is_program: bool,
        /// Whether the operator may change it: an upgrade keeps what was changed.
        is_configuration: bool,
    },
    /// A symbolic link.
    Link {
        /// Where it leads, as the link itself says it.
        target: String,
    },
}

impl Contents {
    /// Adds a file that all may read.
    pub fn file(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.put(path, Item::File { bytes, is_program: false, is_configuration: false });
    }

    /// Adds a program.
    pub fn program(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.put(path, Item::File { bytes, is_program: true, is_configuration: false });
    }

    /// Adds a file that the operator may change.
    pub fn configuration(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.put(path, Item::File { bytes, is_program: false, is_configuration: true });
    }

    /// Adds an empty directory, in which a user may write.
    pub fn directory_of(&mut self, path: &str, owner: u32) {
        self.put(path, Item::Directory { owner });
    }

    /// Adds a symbolic link.
    pub fn link(&mut self, path: &str, target: &str) {
        self.put(path, Item::Link { target: target.to_owned() });
    }

    /// All of them, parents before what is in them.
    pub fn items(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.items.iter().map(|(path, item)| (path.as_str(), item))
    }

    /// The one of a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Item> {
        self.items.get(path)
    }

    /// The bytes of all files together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = |item: &Item| match item {
            Item::File { bytes, .. } => bytes.len() as u64,
            Item::Directory { .. } | Item::Link { .. } => 0,
        };
        self.items.values().map(bytes).sum()
    }

    fn put(&mut self, path: &str, item: Item) {
        for (slash, _) in path.match_indices('/') {
            self.items.entry(path[..slash].to_owned()).or_insert(Item::Directory { owner: ROOT });
        }
        self.items.insert(path.to_owned(), item);
    }
}

impl Item {
    /// The permissions that it has.
    #[must_use]
    pub const fn mode(&self) -> u32 {
        match self {
            Self::Directory { .. } | Self::File { is_program: true, .. } => 0o755,
            Self::File { is_program: false, .. } => 0o644,
            Self::Link { .. } => 0o777,
        }
    }
}
