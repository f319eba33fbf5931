//! The names below a directory.

use std::io;
use std::path::Path;

use rrdtool::Session;
use rrdtool::list::{Unlisted, below, level};

use store::{NAMES_AT_ONCE, NamePattern, behind_all};

use super::Shelf;

/// Names that are asked for in one go where directories are met: below one none but the first is of
/// use.
const NAMES_MIN: usize = 64;

/// A line of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the directory.
    pub name: String,
    /// Whether it is a directory, and else a database.
    pub is_directory: bool,
}

impl Entry {
    /// What a name has of the directory: a database, or a directory above it.
    pub(crate) fn of(name: &str) -> Self {
        match name.split_once('/') {
            Some((directory, _)) => Self { name: directory.into(), is_directory: true },
            None => Self { name: name.into(), is_directory: false },
        }
    }

    /// Its place in the order of entries: that of the names.
    pub(crate) fn key(&self) -> String {
        format!("{}{}", self.name, if self.is_directory { "/" } else { "" })
    }
}

/// Some of the lines of a directory, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntriesPage {
    /// The lines.
    pub entries: Vec<Entry>,
    /// Where those begin that follow; `None` behind the last.
    pub next: Option<String>,
}

impl Shelf {
    /// The names below a directory: each relative to it, directories only where nothing below them
    /// is wanted. Links are followed where `is_open` allows it.
    ///
    /// # Errors
    /// There is no such directory.
    pub(crate) fn list(
        &self,
        directory: &Path,
        is_recursive: bool,
        is_open: &dyn Fn(&Path) -> bool,
    ) -> io::Result<Vec<String>> {
        if self.has_directories() {
            let names = below(&mut Session::new(), directory, is_recursive, is_open);
            return names.map_err(|error| match error {
                Unlisted::System(error) => error,
                Unlisted::Refused(words) => io::Error::other(words),
            });
        }
        let missing = || io::Error::from(rustix::io::Errno::NOENT);
        let prefix = self.prefix(directory)?;
        let listed = if is_recursive {
            let names = self.store().names(&prefix).map_err(unread)?;
            let names = names.iter().filter_map(|name| name.strip_prefix(&prefix));
            level(names, true)
        } else {
            let all = self.entries(directory, "", usize::MAX)?.entries;
            let mut names: Vec<String> = all.into_iter().map(|entry| entry.name).collect();
            names.dedup(); // a database and a directory may have the same name
            names
        };
        match listed.is_empty() && !prefix.is_empty() {
            true => Err(missing()),
            false => Ok(listed),
        }
    }

    /// What is in a directory of a store without directories: at most so many entries, the first of
    /// which may be `from`. What lies below a directory is passed over, however much it is.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(crate) fn entries(
        &self,
        directory: &Path,
        from: &str,
        limit: usize,
    ) -> io::Result<EntriesPage> {
        let prefix = self.prefix(directory)?;
        let below = NamePattern::beginning(&prefix);
        let mut entries = Vec::new();
        let (mut next, mut asked) = (Some(format!("{prefix}{from}")), NAMES_MIN);
        while let Some(mut from) = next {
            let page = self.store().names_from(&below, &from, asked).map_err(unread)?;
            asked = (2 * asked).min(NAMES_AT_ONCE);
            for name in page.names {
                if name < from {
                    continue;
                }
                let entry = Entry::of(&name[prefix.len()..]);
                if entries.len() == limit {
                    return Ok(EntriesPage { entries, next: Some(entry.key()) });
                }
                let key = format!("{prefix}{}", entry.key());
                let behind = match entry.is_directory {
                    true => {
                        asked = NAMES_MIN;
                        behind_all(&key)
                    }
                    false => Some(key + "\0"),
                };
                entries.push(entry);
                let Some(behind) = behind else { return Ok(EntriesPage { entries, next: None }) };
                from = behind;
            }
            next = page.next.map(|next| next.max(from));
        }
        Ok(EntriesPage { entries, next: None })
    }

    /// How the names below a directory begin.
    fn prefix(&self, directory: &Path) -> io::Result<String> {
        let missing = || io::Error::from(rustix::io::Errno::NOENT);
        let name = self.name(directory).map_err(|_| missing())?;
        Ok(match name.to_str().ok_or_else(missing)? {
            "" => String::new(),
            name => format!("{name}/"),
        })
    }
}

fn unread(error: store::Error) -> io::Error {
    io::Error::other(error.to_string())
}
