//! Copies damaged files before they are overwritten.

use std::path::Path;

use disk::{File, Medium, MediumFile, PosixMedium};

use crate::Error;

/// Bytes that are copied at once.
const COPY_BYTES: usize = 1 << 20;

/// Copies the files of a directory that `wanted` selects to a new directory.
///
/// # Errors
///
/// The new directory exists already; those of the machine.
pub fn put_aside(
    medium: &PosixMedium,
    root: &Path,
    aside: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(), Error> {
    if File::identity_of(aside).is_ok() {
        return Err(Error::Exists(aside.into()));
    }
    disk::create_directory(aside).map_err(Error::io("creating", aside))?;
    let to = PosixMedium::open(aside).map_err(Error::io("opening", aside))?;
    let names = medium.list().map_err(Error::io("listing", root))?;
    for name in names.iter().filter(|name| is_wanted(name)) {
        copy(medium, &to, name)?;
    }
    to.sync_directory().map_err(Error::io("syncing", aside))
}

fn copy(from: &PosixMedium, to: &PosixMedium, name: &str) -> Result<(), Error> {
    let io = |action| Error::io(action, Path::new(name));
    let source = from.open(name).map_err(io("opening"))?;
    let target = to.create(name).map_err(io("creating"))?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut offset_bytes = 0;
    loop {
        let read =
            MediumFile::read_at(&source, &mut buffer, offset_bytes).map_err(io("reading"))?;
        if read == 0 {
            return target.sync_data().map_err(io("syncing"));
        }
        MediumFile::write_at(&target, &buffer[..read], offset_bytes).map_err(io("writing"))?;
        offset_bytes += read as u64;
    }
}
