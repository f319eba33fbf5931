//! `ar` archives, which .deb files are.
//!
//! ```text
//! !<arch>\n
//! name            time        owner group mode    bytes     `\n
//! data, and a line feed if its length is odd
//! ```

use crate::{Moment, PackError};

/// The first bytes.
const MAGIC: &[u8] = b"!<arch>\n";
/// Room for a name.
const NAME_BYTES: usize = 16;
/// The most bytes that ten digits tell.
const DATA_BYTES_MAX: usize = 9_999_999_999;

/// A member.
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
}

/// An archive of members, in this order.
pub(crate) fn ar(members: &[Member<'_>], moment: Moment) -> Result<Vec<u8>, PackError> {
    let mut archive = MAGIC.to_vec();
    for Member { name, bytes } in members {
        if name.len() > NAME_BYTES {
            return Err(PackError::Archive { what: "name", found: (*name).to_owned() });
        }
        if bytes.len() > DATA_BYTES_MAX {
            return Err(PackError::Archive { what: "bytes", found: bytes.len().to_string() });
        }
        let (seconds, length) = (moment.seconds, bytes.len());
        let head = format!("{name:<16}{seconds:<12}0     0     100644  {length:<10}`\n");
        archive.extend_from_slice(head.as_bytes());
        archive.extend_from_slice(bytes);
        if length % 2 == 1 {
            archive.push(b'\n');
        }
    }
    Ok(archive)
}
