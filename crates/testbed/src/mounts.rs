//! Mounted file systems (`proc_pid_mountinfo(5)`).

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

const TABLE: &str = "/proc/self/mountinfo";

/// All mount points that this process sees.
///
/// # Errors
///
/// The kernel does not tell.
pub(crate) fn points() -> Result<Vec<PathBuf>, String> {
    let text = std::fs::read(TABLE).map_err(|error| format!("{TABLE}: {error}"))?;
    Ok(points_in(&text))
}

/// Whether a directory is a mount point; the path must be absolute and without symbolic links.
///
/// # Errors
///
/// The kernel does not tell.
pub(crate) fn is_mount_point(directory: &Path) -> Result<bool, String> {
    Ok(points()?.iter().any(|point| point == directory))
}

fn points_in(text: &[u8]) -> Vec<PathBuf> {
    let point = |line: &[u8]| {
        let field = line.split(|byte| *byte == b' ').nth(4)?;
        Some(OsString::from_vec(unescaped(field)).into())
    };
    text.split(|byte| *byte == b'\n').filter_map(point).collect()
}

/// Replaces escapes such as `\040` for blanks, newlines and backslashes.
fn unescaped(mut field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some((first, rest)) = field.split_first() {
        field = rest;
        let number = rest.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                bytes.push(byte);
                field = &rest[3..];
            }
            _ => bytes.push(*first),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::points_in;
    use std::path::PathBuf;

    #[test]
    fn points_may_have_blanks() {
        let text = b"36 35 98:0 / /mnt1 rw,noatime master:1 - ext3 /dev/root rw\n\
                     37 35 7:0 / /a\\040b\\134c rw - ext4 /dev/loop0 rw\n";
        assert_eq!(points_in(text), ["/mnt1", "/a b\\c"].map(PathBuf::from));
    }
}
