//! `LoadMIBs`: reads the files.
//!
//! MRTG reads a file when a target has a name that it does not know yet, and says nothing of files
//! that are missing or wrong. Here they are noted.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::keys::GlobalKey;
use super::value::Value;
use crate::error::words_of;
use crate::language::{Names, mib_file};
use crate::text::is_space;
use crate::{MibProblem, Note, Source};

/// The most bytes of one file; the largest MIBs of vendors have a few MiB.
const BYTES_MAX: usize = 16 << 20;

/// The names of all files.
pub(super) fn load(
    values: &HashMap<GlobalKey, Value>,
    source: &dyn Source,
    notes: &mut Vec<Note>,
) -> Names {
    let mut names = Names::default();
    let Some(value) = values.get(&GlobalKey::LoadMIBs) else {
        return names;
    };
    let files = value.bytes().split(|byte| is_space(*byte) || *byte == b',');
    for file in files.filter(|file| !file.is_empty()) {
        let path = Path::new(OsStr::from_bytes(file));
        if let Err(problem) = load_one(path, source, &mut names) {
            notes.push(Note::Mib { position: value.position.clone(), problem });
        }
    }
    names
}

fn load_one(path: &Path, source: &dyn Source, names: &mut Names) -> Result<(), MibProblem> {
    let path_kept = || path.to_owned();
    let text = source
        .read(path)
        .map_err(|cause| MibProblem::Unreadable { path: path_kept(), why: words_of(&cause) })?;
    if text.len() > BYTES_MAX {
        return Err(MibProblem::TooLarge { path: path_kept(), bytes_max: BYTES_MAX });
    }
    let (assignments, fault) = mib_file::read(&text);
    if !names.add(assignments) {
        return Err(MibProblem::TooManyNames { path: path_kept() });
    }
    let told = |mib_file::Fault { line, expected }| MibProblem::Fault {
        path: path_kept(),
        line,
        expected,
    };
    fault.map_or(Ok(()), |fault| Err(told(fault)))
}
