//! `-B`, held by the kernel.
//!
//! A path is looked at before it is opened, and another process may put a link in its place in
//! between. Landlock asks at each opening where it really leads: what is outside the directories of
//! this daemon is refused then, by whatever call and over whatever link.

use std::io;
use std::path::{Path, PathBuf};

use disk::system_words;
use landlock::{
    ABI, Access as _, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus,
};

/// The newest rules that are asked for; an older kernel keeps those that it knows. Before the
/// third, a file outside could be cut, but neither read, written nor made.
const RULES: ABI = ABI::V3;

/// What is read besides: the machine's state, time zones, names of users, devices.
const READ: &[&str] = &["/proc", "/sys", "/etc", "/usr/share/zoneinfo", "/dev"];

/// What this process may reach from now on.
#[derive(Debug, Default)]
pub(crate) struct Confinement {
    /// Directories in which it may do anything.
    pub(crate) own: Vec<PathBuf>,
    /// Files that it takes away when it ends: sockets, the pid file.
    pub(crate) removed: Vec<PathBuf>,
}

/// Why a process was not confined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unconfined {
    /// A directory of our own cannot be made.
    #[error("{}: {}", .0.display(), system_words(.1))]
    Directory(PathBuf, io::Error),
    /// The kernel refuses a rule.
    #[error("confining to -b: {0}")]
    Rules(#[from] RulesetError),
}

impl Confinement {
    /// Holds for the calling thread and every thread that it starts, for ever. False where the
    /// kernel has no Landlock.
    ///
    /// # Errors
    /// [`Unconfined`].
    pub(crate) fn begin(&self) -> Result<bool, Unconfined> {
        for directory in &self.own {
            let made = std::fs::create_dir_all(directory);
            made.map_err(|error| Unconfined::Directory(directory.clone(), error))?;
        }
        Ok(self.restrict()? != RulesetStatus::NotEnforced)
    }

    fn restrict(&self) -> Result<RulesetStatus, RulesetError> {
        let all = AccessFs::from_all(RULES);
        let mut rules = Ruleset::default().handle_access(all)?.create()?;
        for directory in &self.own {
            rules = allow(rules, directory, all)?;
        }
        for directory in self.removed.iter().filter_map(|file| file.parent()) {
            rules = allow(rules, directory, AccessFs::RemoveFile)?;
        }
        for path in READ {
            rules = allow(rules, Path::new(path), AccessFs::ReadFile | AccessFs::ReadDir)?;
        }
        Ok(rules.restrict_self()?.ruleset)
    }
}

/// Adds a rule for a directory; one that is not there needs none.
fn allow(
    rules: RulesetCreated,
    directory: &Path,
    access: impl Into<landlock::BitFlags<AccessFs>>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(directory) {
        Ok(directory) => rules.add_rule(PathBeneath::new(directory, access)),
        Err(_) => Ok(rules),
    }
}
