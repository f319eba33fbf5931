//! The names below a directory.

use std::io;
use std::path::Path;

use rrdtool::Session;
use rrdtool::list::{Unlisted, below, level};

use super::Shelf;

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
        let name = self.name(directory).map_err(|_| missing())?;
        let prefix = match name.to_str().ok_or_else(missing)? {
            "" => String::new(),
            name => format!("{name}/"),
        };
        let names = self.store().names(&prefix);
        let names = names.map_err(|error| io::Error::other(error.to_string()))?;
        let names = names.iter().filter_map(|name| name.strip_prefix(&prefix));
        let listed = level(names, is_recursive);
        match listed.is_empty() && !prefix.is_empty() {
            true => Err(missing()),
            false => Ok(listed),
        }
    }
}
