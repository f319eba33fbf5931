//! Names that a database can have.

use std::path::{Component, Path};

use store::Error;

/// A name as the catalogue has it: a relative path, as of a file in a directory, in UTF-8.
pub(super) fn checked_name(name: &Path) -> Result<&str, Error> {
    let text = name.to_str().ok_or_else(|| Error::Name(name.to_string_lossy().into()))?;
    check_name(text).map(|()| text)
}

/// A name is a relative path, as of a file in a directory.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if inside && !name.is_empty() && !name.contains('\0') {
        Ok(())
    } else {
        Err(Error::Name(name.into()))
    }
}
