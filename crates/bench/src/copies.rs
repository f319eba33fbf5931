//! The files that both programs of a measurement update: MRTG's layout, with a copy for each
//! program.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use oracle::{Reply, Rrdtool};

/// The start of the files.
pub(crate) const START_SECONDS: u64 = 1_500_000_000;
/// Their step.
pub(crate) const STEP_SECONDS: u64 = 300;

/// Lets rrdtool make the files, and copies them for both programs.
///
/// # Errors
///
/// rrdtool's own, or those of the directory.
pub(crate) fn create_files(
    rrdtool: &Path,
    theirs: &Path,
    ours: &Path,
    files: usize,
) -> Result<(), String> {
    for directory in [theirs, ours] {
        fs::create_dir(directory).map_err(|error| error.to_string())?;
    }
    let mut archives = String::new();
    for pdps in [1, 6, 24, 288] {
        for cf in ["AVERAGE", "MAX"] {
            let _ = write!(archives, " RRA:{cf}:0.5:{pdps}:800"); // a String takes every write
        }
    }
    let mut pipe = Rrdtool::start(rrdtool, theirs);
    for file in 0..files {
        let command = format!(
            "create {file}.rrd -b {START_SECONDS} -s {STEP_SECONDS} DS:ds0:COUNTER:600:0:12500000 \
             DS:ds1:COUNTER:600:0:12500000{archives}"
        );
        if let Reply::Error(words) = pipe.send(&command) {
            return Err(words);
        }
        let name = format!("{file}.rrd");
        copy_by_pages(&theirs.join(&name), &ours.join(&name)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Copies a file in writes of a page, as rrdtool makes it, so that both copies are in the page
/// cache as single pages. (A copy in one write would be in larger folios, on which small writes are
/// slower.)
pub(crate) fn copy_by_pages(from: &Path, to: &Path) -> std::io::Result<()> {
    let bytes = fs::read(from)?;
    let mut file = fs::File::create(to)?;
    bytes.chunks(4096).try_for_each(|page| file.write_all(page))
}

/// Checks that all copies are equal; returns a hash of their bytes.
///
/// # Errors
/// Two differ, or cannot be read.
pub(crate) fn compare(theirs: &Path, ours: &Path, files: usize) -> Result<u64, String> {
    use std::hash::{DefaultHasher, Hasher as _};
    let mut hash = DefaultHasher::new();
    for file in 0..files {
        let read = |directory: &Path| {
            fs::read(directory.join(format!("{file}.rrd"))).map_err(|error| error.to_string())
        };
        let bytes = read(ours)?;
        if bytes != read(theirs)? {
            return Err(format!("{file}.rrd: the two programs left different bytes"));
        }
        hash.write(&bytes);
    }
    Ok(hash.finish())
}
