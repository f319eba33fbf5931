//! Where the tables are: a file of SQLite's, or a file that says which server.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use rrdtool::system_words;
use sqlclient::{Address, AddressError};

/// What FILE is, for help texts.
pub(crate) const PLACE_HELP: &str = "FILE is an SQLite database, which is made if it is missing, or a file whose name ends in \
     .toml and that says where a server is (docs/sql.md).";

/// The first bytes of every SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Why it is not known where tables are.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaceError {
    /// The file cannot be read.
    #[error("{}: {}", file.display(), system_words(error))]
    Unreadable {
        file: PathBuf,
        #[source]
        error: std::io::Error,
    },
    /// It says something else.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// It is something else.
    #[error("{}: expected an SQLite database, or a configuration whose name ends in .toml", .0.display())]
    Neither(PathBuf),
}

/// The address of the tables that `file` is or names.
///
/// # Errors
/// There is no such configuration, or it says something else.
pub(crate) fn address(file: &Path) -> Result<Address, PlaceError> {
    let failed = |error| PlaceError::Unreadable { file: file.into(), error };
    if file.extension().is_some_and(|extension| extension == "toml") {
        let text = std::fs::read_to_string(file).map_err(failed)?;
        return Ok(Address::read(&text, file, &|name| std::env::var(name).ok())?);
    }
    let mut first = Vec::new();
    match File::open(file).and_then(|file| file.take(SQLITE.len() as u64).read_to_end(&mut first)) {
        Ok(0) => Ok(Address::sqlite(file)),
        Ok(_) if first == SQLITE => Ok(Address::sqlite(file)),
        Ok(_) => Err(PlaceError::Neither(file.into())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Address::sqlite(file)),
        Err(error) => Err(failed(error)),
    }
}
