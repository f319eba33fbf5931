//! Hashes as text.

use std::fmt::Write as _;

use md5::{Digest as _, Md5};
use sha2::Sha256;

/// The MD5 of bytes, as dpkg keeps it of files.
pub(crate) fn md5(bytes: &[u8]) -> String {
    hexadecimal(&Md5::digest(bytes))
}

/// The SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}"); // a String takes everything
    }
    text
}
