//! The databases that a pattern selects, of a ring store or of a tree of `.rrd` files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::RrdFiles;
use ring::RingStore;
use rrdtool::{Failure, Session};
use store::{NamePattern, Store};

/// The databases that a pattern selects.
pub struct Each {
    /// Where they are.
    pub store: Arc<dyn Store>,
    /// The directory of the store or of the tree.
    pub root: PathBuf,
    /// Their names there, in order.
    pub names: Vec<String>,
}

impl Each {
    /// Finds the databases of `DIRECTORY/PATTERN`. The directory is that of a ring store, or else
    /// the one before the first part of the words that is a pattern; without a pattern all below it
    /// are meant.
    ///
    /// # Errors
    /// The store or directory cannot be read, or no name is like the pattern.
    pub fn find(session: &mut Session, words: &str) -> Result<Self, Failure> {
        let (root, pattern) = split(words);
        let shown = || root.display().to_string();
        let store = Self::store(session, &root)?;
        let mut names = store.names_like(&NamePattern::meant(&pattern))?;
        names.dedup();
        if names.is_empty() {
            let like = if pattern.is_empty() { "*" } else { &pattern };
            return Err(Failure::misuse(format!("{}: no name is like {like}", shown())));
        }
        Ok(Self { store, root, names })
    }

    /// The ring store, or the tree of `.rrd` files, in a directory.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn store(session: &mut Session, root: &Path) -> Result<Arc<dyn Store>, Failure> {
        if RingStore::is_at(root) {
            return session.databases.store_at(&root.to_string_lossy());
        }
        root.read_dir().map(drop).map_err(Failure::at(root.display()))?;
        Ok(Arc::new(RrdFiles::below(root)))
    }
}

/// The directory of a store or tree, and the pattern of names in it.
fn split(words: &str) -> (PathBuf, String) {
    let is_pattern = |part: &str| part.contains(['*', '?', '[']);
    let parts: Vec<&str> = words.split('/').collect();
    let plain = parts.iter().take_while(|part| !is_pattern(part)).count();
    let join = |parts: &[&str]| match parts {
        [] => PathBuf::from("."),
        [""] => PathBuf::from("/"),
        parts => PathBuf::from(parts.join("/")),
    };
    let in_ring = (1..=plain).find(|count| RingStore::is_at(&join(&parts[..*count])));
    let count = in_ring.unwrap_or(plain);
    let root = join(&parts[..count]);
    let pattern = parts[count..].join("/");
    match in_ring.is_none() && !is_pattern(&pattern) && !root.is_dir() {
        // A single file.
        true => single(&root),
        false => (root, pattern),
    }
}

fn single(path: &Path) -> (PathBuf, String) {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    (parent.unwrap_or(Path::new(".")).into(), name.unwrap_or_default())
}
