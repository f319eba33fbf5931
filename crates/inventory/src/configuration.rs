//! The databases of an mrtg.cfg.

use std::path::{Path, PathBuf};

use disk::FileFacts;
use mrtg::{Configuration, Host, LogFormat, Source};

use crate::layouts::{Layouts, Tally};

/// The directory of `gyre run`'s ring store, below MRTG's directory.
pub const RING_DIRECTORY: &str = "store";
/// How many targets are checked for existing files, at most.
const LOOKED_AT: usize = 100;

/// The targets of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// The number of targets.
    pub targets: u64,
    /// The number of devices.
    pub devices: u64,
    /// Those of them that are given by name instead of address.
    pub named: u64,
    /// Targets that gyre does not measure.
    pub unsupported: u64,
    /// `Forks`.
    pub forks: Option<String>,
    /// `RunAsDaemon`.
    pub runs_as_daemon: bool,
    /// Whether `LogFormat` is rrdtool.
    pub has_rrd_format: bool,
}

/// The targets of a configuration, their databases as MRTG makes them, and the directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Configured {
    /// Its targets.
    pub targets: Targets,
    /// The layouts of their databases, one for each target.
    pub layouts: Layouts,
    /// The directory of the databases.
    pub directory: PathBuf,
    /// The ring store, if it exists.
    pub store: Option<PathBuf>,
    /// Whether some of the targets' `.rrd` files exist.
    pub has_files: bool,
}

impl Configured {
    /// The databases of a configuration, and which of them exist.
    #[must_use]
    pub fn of(configuration: &Configuration, source: &dyn Source) -> Self {
        let globals = &configuration.globals;
        let mut tally = Tally::default();
        for target in &configuration.targets {
            tally.add(&target.settings.definition(), 1);
        }
        let store = globals.log_dir.join(RING_DIRECTORY);
        let mut first = configuration.targets.iter().take(LOOKED_AT);
        Self {
            targets: targets(configuration, source),
            layouts: tally.layouts(),
            directory: globals.log_dir.clone(),
            store: Some(store).filter(|store| ring::RingStore::is_at(store)),
            has_files: first.any(|target| FileFacts::at(&target.rrd_path()).is_ok()),
        }
    }

    /// The present or future place of its databases.
    #[must_use]
    pub fn place(&self) -> &Path {
        self.store.as_ref().unwrap_or(&self.directory)
    }
}

fn targets(configuration: &Configuration, source: &dyn Source) -> Targets {
    let globals = &configuration.globals;
    let named = configuration.agents.iter().filter(|agent| matches!(agent.host, Host::Name(_)));
    let unsupported = configuration.targets.iter().filter(|it| it.unsupported.is_some());
    Targets {
        targets: configuration.targets.len() as u64,
        devices: configuration.agents.len() as u64,
        named: named.count() as u64,
        unsupported: unsupported.count() as u64,
        forks: configuration.files.iter().find_map(|file| forks(&source.read(file).ok()?)),
        runs_as_daemon: globals.run_as_daemon,
        has_rrd_format: globals.log_format == LogFormat::Rrdtool,
    }
}

/// The value of `Forks`, which gyre's own reader ignores.
fn forks(text: &[u8]) -> Option<String> {
    String::from_utf8_lossy(text).lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case("forks").then(|| value.trim().to_owned())
    })
}
