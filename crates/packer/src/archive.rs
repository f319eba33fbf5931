//! Tar archives, and their compression.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use crate::contents::ROOT;
use crate::{Contents, Item, Moment, PackError};

/// A tar archive of contents, below a prefix: `./` in .deb files, a directory's name in a tarball.
///
/// # Errors
/// A name has no room in the archive.
pub fn tar(contents: &Contents, prefix: &str, moment: Moment) -> Result<Vec<u8>, PackError> {
    let mut builder = Builder::new(Vec::new());
    if !prefix.is_empty() {
        append(&mut builder, prefix, &Item::Directory { owner: ROOT }, moment)?;
    }
    for (path, item) in contents.items() {
        append(&mut builder, &format!("{prefix}{path}"), item, moment)?;
    }
    builder.into_inner().map_err(PackError::Write)
}

fn append(
    builder: &mut Builder<Vec<u8>>,
    path: &str,
    item: &Item,
    moment: Moment,
) -> Result<(), PackError> {
    let mut header = Header::new_gnu();
    header.set_mode(item.mode());
    header.set_mtime(u64::from(moment.seconds));
    let owner = if let Item::Directory { owner } = item { *owner } else { ROOT };
    header.set_uid(u64::from(owner));
    header.set_gid(u64::from(owner));
    if owner == ROOT {
        header.set_username("root").map_err(PackError::Write)?;
        header.set_groupname("root").map_err(PackError::Write)?;
    }
    header.set_size(0);
    let added = match item {
        Item::Directory { .. } => {
            header.set_entry_type(EntryType::Directory);
            let slashed = if path.ends_with('/') { path.to_owned() } else { format!("{path}/") };
            named(&mut header, &slashed)?;
            builder.append(&header, &[][..])
        }
        Item::File { bytes, .. } => {
            header.set_entry_type(EntryType::Regular);
            header.set_size(bytes.len() as u64);
            named(&mut header, path)?;
            builder.append(&header, bytes.as_slice())
        }
        Item::Link { target } => {
            header.set_entry_type(EntryType::Symlink);
            header.set_link_name_literal(target).map_err(PackError::Write)?;
            named(&mut header, path)?;
            builder.append(&header, &[][..])
        }
    };
    added.map_err(PackError::Write)
}

/// Writes the name as it is: `Header::set_path` would take `./` from its beginning, which dpkg's own
/// archives have. The checksum is over all other fields, so this comes last.
fn named(header: &mut Header, path: &str) -> Result<(), PackError> {
    let room = &mut header.as_old_mut().name;
    if path.len() > room.len() {
        return Err(PackError::Archive { what: "name", found: path.to_owned() });
    }
    room.fill(0);
    room.iter_mut().zip(path.bytes()).for_each(|(place, byte)| *place = byte);
    header.set_cksum();
    Ok(())
}

/// Compresses as `gzip -9n` does: without a name and a time.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Memory takes whatever is written to it.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default()
}
