//! What an mrtg.cfg asks for.

use std::path::{Path, PathBuf};

use disk::FileFacts;
use mrtg::{Configuration, Host, LogFormat, Source};

use crate::layouts::{Layouts, Tally};

/// Where `gyre run` keeps its ring store, below MRTG's directory.
pub const RING_DIRECTORY: &str = "store";
/// The most targets whose files are looked for.
const LOOKED_AT: usize = 100;

/// The targets of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// How many there are.
    pub targets: u64,
    /// Devices that are asked.
    pub devices: u64,
    /// Of these, those that are given by name.
    pub named: u64,
    /// Targets that gyre does not measure.
    pub unsupported: u64,
    /// `Forks`.
    pub forks: Option<String>,
    /// `RunAsDaemon`.
    pub runs_as_daemon: bool,
    /// `LogFormat` is rrdtool.
    pub has_rrd_format: bool,
}

/// A configuration's targets, the databases that MRTG makes of them, and where they lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Configured {
    /// Its targets.
    pub targets: Targets,
    /// The layouts of their databases, one for each target.
    pub layouts: Layouts,
    /// The directory where it keeps them.
    pub directory: PathBuf,
    /// The ring store that is there, where one is.
    pub store: Option<PathBuf>,
    /// Whether some of the targets' `.rrd` files are there.
    pub has_files: bool,
}

impl Configured {
    /// What a configuration asks for, and what of it is there.
    #[must_use]
    pub fn of(configuration: &Configuration, source: &dyn Source) -> Self {
        let globals = &configuration.globals;
        let mut tally = Tally::default();
        for target in &configuration.targets {
            tally.add(&target.definition(globals.interval), 1);
        }
        let store = globals.log_dir.join(RING_DIRECTORY);
        let mut first = configuration.targets.iter().take(LOOKED_AT);
        Self {
            targets: targets(configuration, source),
            layouts: tally.layouts(),
            directory: globals.log_dir.clone(),
            store: Some(store).filter(|store| ring::RingStore::is_at(store)),
            has_files: first.any(|target| FileFacts::at(&target.rrd_path).is_ok()),
        }
    }

    /// Where its databases lie, or would.
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

/// The value of `Forks`, which gyre has no use for and does not read.
fn forks(text: &[u8]) -> Option<String> {
    String::from_utf8_lossy(text).lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case("forks").then(|| value.trim().to_owned())
    })
}
