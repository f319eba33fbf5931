//! What an mrtg.cfg asks for.

use std::path::PathBuf;

use mrtg::{Configuration, Host, LogFormat, Source};

use super::{Keeping, Work, files, ring};

/// The most targets whose files are looked for.
const LOOKED_AT: usize = 100;
/// Where `gyre run` keeps its ring store, below MRTG's directory.
const RING_DIRECTORY: &str = "store";

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

/// A configuration's targets, where their databases lie, and what they take.
pub(crate) struct Planned {
    pub(crate) targets: Targets,
    pub(crate) directory: PathBuf,
    pub(crate) work: Option<Work>,
}

/// What a configuration takes, as `gyre run` would keep it: in the ring store that is there, in the
/// files that are there, else in a new ring store.
pub(crate) fn plan(configuration: &Configuration, source: &dyn Source) -> Planned {
    let directory = configuration.globals.log_dir.clone();
    let store = directory.join(RING_DIRECTORY);
    let targets = targets(configuration, source);
    if store::RingStore::is_at(&store) {
        let mut planned = planned(configuration, &targets, Keeping::Ring);
        let there = ring::glance(&store).ok();
        if let (Some(planned), Some(there)) = (&mut planned, there) {
            planned.disk_there_bytes = there.disk_there_bytes;
            planned.inodes.1 = there.inodes.1;
        }
        return Planned { targets, directory: store, work: planned };
    }
    let first = configuration.targets.iter().take(LOOKED_AT);
    let has_files = first.clone().any(|target| target.rrd_path.exists());
    let keeping = if has_files { Keeping::Files } else { Keeping::Ring };
    let work = planned(configuration, &targets, keeping);
    Planned { targets, directory, work }
}

fn planned(configuration: &Configuration, targets: &Targets, keeping: Keeping) -> Option<Work> {
    let first = configuration.targets.first()?;
    let definition = first.definition(configuration.globals.interval);
    match keeping {
        Keeping::Ring => Work::of_ring(targets.targets, &definition),
        Keeping::Files => {
            let file_bytes = files::bytes_of(&definition)?;
            Some(Work::of_files(targets.targets, file_bytes, definition.step_seconds, true))
        }
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
