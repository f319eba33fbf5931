//! Which files are converted, and where the results are written.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use rrdtool::Failure;

/// Where converted files are written.
pub(super) enum Place {
    /// In place of the source.
    Same,
    /// To this file, or below this directory.
    Other(PathBuf),
}

/// One file to convert.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) source: PathBuf,
    /// The path of the result; `None` to replace the source.
    pub(super) target: Option<PathBuf>,
}

/// Finds the files that are named and those below the directories that are named.
pub(super) fn find(operands: &[PathBuf], place: &Place) -> Result<Vec<Job>, Failure> {
    let mut files = Vec::new();
    for operand in operands {
        files.extend(files_at(operand)?);
    }
    let Place::Other(output) = place else {
        let jobs = files.into_iter().map(|(source, _)| Job { source, target: None });
        return Ok(jobs.collect());
    };
    let is_one = matches!(operands, [operand] if !operand.is_dir());
    if is_one && !output.is_dir() {
        let sources = files.into_iter().map(|(source, _)| source);
        let jobs = sources.map(|source| Job { source, target: Some(output.clone()) });
        return Ok(jobs.collect());
    }
    below(output, files)
}

fn below(directory: &Path, files: Vec<(PathBuf, PathBuf)>) -> Result<Vec<Job>, Failure> {
    let mut names = HashSet::new();
    let mut jobs = Vec::with_capacity(files.len());
    for (source, name) in files {
        if !names.insert(name.clone()) {
            let name = name.display();
            let words = format!("{}: another file has the name {name}", source.display());
            return Err(Failure::misuse(words));
        }
        jobs.push(Job { source, target: Some(directory.join(name)) });
    }
    Ok(jobs)
}

/// The files of an operand, each with its path below the output directory.
fn files_at(operand: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    if !operand.is_dir() {
        return Ok(vec![(operand.into(), name_of(operand))]);
    }
    let found = disk::files_below(operand, "rrd");
    let found = found.map_err(Failure::at(operand.display()))?;
    let named = found.into_iter().map(|path| {
        let name = path.strip_prefix(operand).unwrap_or(&path).to_path_buf();
        (path, name)
    });
    Ok(named.collect())
}

/// The path of a named file below the output directory: the path as given, if it leads downwards,
/// else the file's name.
fn name_of(path: &Path) -> PathBuf {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let is_below = parts.clone().all(|part| matches!(part, Component::Normal(_)));
    if is_below { parts.collect() } else { path.file_name().map(PathBuf::from).unwrap_or_default() }
}
