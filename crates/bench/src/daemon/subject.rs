//! The measured daemons, and how they are started.

use std::path::{Path, PathBuf};
use std::process::Command;

use testbed::Cgroup;

use crate::served::Daemon;

/// The first argument with which the benchmark's program is gyre's daemon.
pub(crate) const NAME: &str = "rrdcached";

/// When gyre acknowledges an update, as in its option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    Always,
    EverySecond,
}

impl Sync {
    fn word(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::EverySecond => "1",
        }
    }
}

/// A daemon.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// Debian's, with a directory of files.
    Debian(PathBuf),
    /// gyre's, with a directory of files.
    Files(Sync),
    /// gyre's, with a ring store.
    Ring(Sync),
}

/// The directories of a daemon.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its files, or its ring store.
    pub(crate) base: PathBuf,
    /// The directory of journal, socket and process id file.
    pub(crate) beside: PathBuf,
}

impl Place {
    /// Makes the directories below another.
    pub(crate) fn make(inside: &Path, name: &str) -> Result<Self, String> {
        let beside = inside.join(name);
        let base = beside.join("base");
        std::fs::create_dir_all(&base).map_err(|error| format!("{base:?}: {error}"))?;
        Ok(Self { base, beside })
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.beside.join("socket")
    }

    fn journal(&self) -> PathBuf {
        self.beside.join("journal")
    }

    /// Removes everything that another daemon left, except for the files.
    pub(super) fn clear(&self) {
        let _ = std::fs::remove_dir_all(self.journal()); // there may be none
    }
}

impl Subject {
    /// Starts it so that it writes nothing for an hour, and waits until it answers.
    pub(crate) fn start(&self, place: &Place, group: Option<&Cgroup>) -> Result<Daemon, String> {
        self.start_with(place, group, &[])
    }

    /// The same with more words.
    pub(crate) fn start_with(
        &self,
        place: &Place,
        group: Option<&Cgroup>,
        more: &[String],
    ) -> Result<Daemon, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let program: &Path = match self {
            Self::Debian(program) => program,
            Self::Files(_) | Self::Ring(_) => &own,
        };
        let journal = place.journal();
        std::fs::create_dir_all(&journal).map_err(|error| format!("{journal:?}: {error}"))?;
        let process_id = place.beside.join("pid");
        // A daemon that was killed leaves its process id file behind.
        let _ = std::fs::remove_file(&process_id);
        let mut command = match group {
            Some(group) => group.command(program),
            None => Command::new(program),
        };
        match self {
            Self::Debian(_) => {}
            Self::Files(sync) => drop(command.args([NAME, "--sync", sync.word()])),
            Self::Ring(sync) => {
                command.args([NAME, "--sync", sync.word(), "--store"]).arg(&place.base);
                command.arg("-b").arg(&place.base);
            }
        }
        command.args(["-g", "-t", "2", "-w", "3600", "-z", "0", "-f", "7200"]);
        command.arg("-l").arg(format!("unix:{}", place.socket().display()));
        command.arg("-p").arg(process_id);
        if !matches!(self, Self::Ring(_)) {
            command.arg("-R").arg("-b").arg(&place.base).arg("-j").arg(journal);
        }
        command.args(more);
        Daemon::start(command, &place.socket())
    }
}
