//! INCLUDE: the text of another file.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::page::PAGE_BYTES_MAX;

/// Everything of a file. More than a page has room for is not read.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(PAGE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > PAGE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// What INCLUDE leaves: the text, or why there is none.
pub(crate) fn text(name: &[u8]) -> Vec<u8> {
    let path = Path::new(OsStr::from_bytes(name));
    read(path).unwrap_or_else(|error| {
        let words = rrdtool::system_words(&error);
        format!("[ERROR opening '{}': {words}]", path.display()).into_bytes()
    })
}
