//! Which files are imported, and the names of their databases.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use rrdtool::Failure;

/// A file that is to become a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    /// The database's name; it ends in `.rrd`.
    pub(super) name: String,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A round robin database.
    Rrd,
    /// A log of MRTG without RRDtool.
    Log,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In the order of directories, so that a disk reads them quickly.
    pub(super) sources: Vec<Source>,
    /// Files that cannot be taken, and why.
    pub(super) problems: Vec<Failure>,
}

/// Finds the files that are named and those below directories. Files of the store itself are left
/// out.
pub(super) fn find(store: &Path, places: &[PathBuf]) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut names = HashSet::new();
    // `.rrd` files come first: MRTG's old log may still be beside the database that replaced it.
    for kind in [Kind::Rrd, Kind::Log] {
        for place in places {
            for (path, name) in files_at(place, kind, store)? {
                found.add(path, &name, kind, &mut names);
            }
        }
    }
    Ok(found)
}

impl Found {
    fn add(&mut self, path: PathBuf, name: &Path, kind: Kind, names: &mut HashSet<String>) {
        let name = name.with_extension("rrd");
        let Some(name) = name.to_str().map(str::to_owned) else {
            let problem = format!("{}: expected a name in UTF-8", path.display());
            return self.problems.push(Failure::misuse(problem));
        };
        if names.contains(&name) {
            let problem = format!("{}: another file has the name {name}", path.display());
            return self.problems.push(Failure::misuse(problem));
        }
        names.insert(name.clone());
        self.sources.push(Source { path, name, kind });
    }
}

/// Files with their names.
fn files_at(place: &Path, kind: Kind, store: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let extension = match kind {
        Kind::Rrd => "rrd",
        Kind::Log => "log",
    };
    if !std::fs::metadata(place).map_err(Failure::at(place.display()))?.is_dir() {
        let is_log = place.extension().is_some_and(|each| each == "log");
        let meant = is_log == (kind == Kind::Log);
        return Ok(if meant { vec![(place.into(), name_of(place))] } else { Vec::new() });
    }
    let files = disk::files_below(place, extension).map_err(Failure::at(place.display()))?;
    let named = files.into_iter().filter(|path| !path.starts_with(store)).map(|path| {
        let name = path.strip_prefix(place).unwrap_or(&path).to_path_buf();
        (path, name)
    });
    Ok(named.collect())
}

/// The name of a file that was named: its path as given, if that leads downwards.
fn name_of(path: &Path) -> PathBuf {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let is_below = parts.clone().all(|part| matches!(part, Component::Normal(_)));
    if is_below { parts.collect() } else { path.file_name().map(PathBuf::from).unwrap_or_default() }
}
