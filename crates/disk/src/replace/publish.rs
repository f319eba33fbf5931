//! Files that others read while they are made anew, such as images.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::Path;

use super::{Existing, put};

/// Writes a file that appears under `path` whole, in place of what was there, for what can be made
/// again: it is not synced.
///
/// A file that is there passes its permissions on, and its owner where the system lets us give
/// files away; a symbolic link stays. What is no regular file is written to, as a device or a pipe,
/// and so is a file in a directory that takes no new ones.
///
/// # Errors
/// Those of `open(2)`, `write(2)` and `rename(2)`.
pub fn publish(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let found = std::fs::symlink_metadata(path);
    let is_link = found.as_ref().is_ok_and(std::fs::Metadata::is_symlink);
    let model = match if is_link { std::fs::metadata(path) } else { found } {
        Ok(found) if found.is_file() => found,
        Err(error) if error.kind() == ErrorKind::NotFound && !is_link => {
            return put(path, 0o666, Existing::Replaced, |file| file.write_all(bytes));
        }
        _ => return std::fs::write(path, bytes),
    };
    // Who may not write to a file may not put another in its place either.
    drop(OpenOptions::new().write(true).open(path)?);
    let path = if is_link { std::fs::canonicalize(path)? } else { path.to_path_buf() };
    let published = put(&path, 0o600, Existing::Replaced, |file| {
        file.write_all(bytes)?;
        let _ = fchown(&*file, Some(model.uid()), Some(model.gid())); // only root may
        file.set_permissions(model.permissions())
    });
    match published {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => std::fs::write(path, bytes),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::publish;

    #[test]
    fn a_file_is_replaced_and_keeps_its_permissions_and_its_links() {
        let room = tempfile::tempdir().unwrap();
        let (file, link) = (room.path().join("a"), room.path().join("b"));
        publish(&file, b"first").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        let before = std::fs::File::open(&file).unwrap();
        publish(&link, b"second").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        // Who has the old one open still reads all of it.
        assert_eq!(std::io::read_to_string(before).unwrap(), "first");
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_is_no_regular_file_is_written_to() {
        publish("/dev/null".as_ref(), b"bytes").unwrap();
        let room = tempfile::tempdir().unwrap();
        let (nowhere, link) = (room.path().join("x"), room.path().join("l"));
        symlink(&nowhere, &link).unwrap();
        publish(&link, b"bytes").unwrap();
        assert_eq!(std::fs::read(&nowhere).unwrap(), b"bytes");
        assert!(publish(room.path(), b"bytes").is_err());
        assert!(publish(&room.path().join("no/x"), b"bytes").is_err());
    }
}
