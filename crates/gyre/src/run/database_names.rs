//! The names of targets' databases, made when they are asked for: those of a million targets would
//! take more memory than all else that a run keeps of their databases.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mrtg::{Configuration, Settings, Target};

/// How the name of each database ends.
const ENDING: &str = ".rrd";

/// What the names of a configuration's databases are made of.
#[derive(Debug)]
pub(crate) struct DatabaseNames {
    log_dir: PathBuf,
    /// What stands before the name of a target, by the address of its settings: most targets share
    /// one of few.
    before: HashMap<usize, Box<str>>,
}

impl DatabaseNames {
    /// Those of a configuration's targets, whose settings must not move.
    pub(crate) fn of(configuration: &Configuration) -> Self {
        let log_dir = configuration.globals.log_dir.clone();
        let mut before = HashMap::new();
        for target in &configuration.targets {
            before.entry(key(target)).or_insert_with(|| {
                let of_any = [&target.settings.path_before_name[..], b"a"].concat();
                let mut before = below(&log_dir, Path::new(OsStr::from_bytes(&of_any)));
                before.pop();
                before.into_boxed_str()
            });
        }
        Self { log_dir, before }
    }

    /// The name of a target's database in a store that replaces the directory of LogDir.
    pub(crate) fn name(&self, target: &Target) -> Arc<str> {
        match self.before_simple(target) {
            Some(before) => [before, &target.name, ENDING].concat().into(),
            None => below(&self.log_dir, &target.rrd_path()).into(),
        }
    }

    /// Whether the database of a target has the name that another target's has among others.
    pub(super) fn is_same(&self, target: &Target, others: &Self, other: &Target) -> bool {
        match (self.before_simple(target), others.before_simple(other)) {
            // The last slash stands before a simple name.
            (Some(left), Some(right)) => left == right && target.name == other.name,
            _ => self.name(target) == others.name(other),
        }
    }

    /// What stands before the name of a target whose name is a file's as it is.
    fn before_simple(&self, target: &Target) -> Option<&str> {
        let is_simple = target.name.is_ascii() && !target.name.contains('/');
        self.before.get(&key(target)).filter(|_| is_simple).map(|before| &**before)
    }
}

fn key(target: &Target) -> usize {
    let settings: *const Settings = Arc::as_ptr(&target.settings);
    settings.addr()
}

fn below(log_dir: &Path, path: &Path) -> String {
    path.strip_prefix(log_dir).unwrap_or(path).to_string_lossy().into_owned()
}
