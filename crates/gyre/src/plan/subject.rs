//! The databases that are planned for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use inventory::{Configured, Given, Layouts, Ring, Tree};
use mrtg::Configuration;
use planner::scenario::Layout;
use planner::{Fleet, FleetGroup};
use ring::{Costs, Pace};
use rrd::Definition;
use rrdfile::layout::Layout as FileLayout;
use rrdtool::system_words;

use super::arguments::Wanted;
use super::failure::Failure;
use super::load::Load;
use crate::progress::Progress;
use crate::run::Disk;
use figures::{count, some};

/// The time limit for inspecting a tree.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of databases if only a layout is given.
const TARGETS: u64 = 100_000;
/// The step of a layout that does not give one.
const STEP_SECONDS: u64 = 300;

/// The databases that are planned for.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// The kind of the operand.
    pub(super) kind: &'static str,
    /// The path of the operand, if it has one.
    pub(super) path: Option<PathBuf>,
    pub(super) layouts: Layouts,
    /// The directory where the databases are or would be.
    pub(super) place: PathBuf,
    /// Bytes that they already take on disk.
    pub(super) there_bytes: u64,
    /// Bytes of memory that they take in the process that has them open.
    pub(super) held_bytes: u64,
    /// The pace of an existing store.
    pub(super) pace: Option<Pace>,
    /// Remarks on how the databases were found.
    pub(super) notes: Vec<String>,
}

impl Subject {
    pub(super) fn of(wanted: &Wanted) -> Result<Self, Failure> {
        let mut subject = match &wanted.operands[..] {
            [] => Self::alike("MRTG's layout", mrtgs(layout_step(wanted))?),
            [path] if !is_layout(path) => Self::at(Path::new(path))?,
            words if words.iter().all(is_layout) => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                let words = words.iter().map(AsRef::as_ref);
                Self::alike("layout", inventory::of_words(layout_step(wanted), words)?)
            }
            _ => return Err(Failure::Operands),
        };
        if subject.layouts.databases() == 0 {
            return Err(Failure::Empty(subject.path.unwrap_or_default()));
        }
        if let Some(targets) = wanted.targets {
            subject.layouts = subject.layouts.resized(targets);
        }
        if let Some(place) = &wanted.place {
            subject.place.clone_from(place);
        }
        Ok(subject)
    }

    /// Many databases of one layout that do not exist yet.
    fn alike(kind: &'static str, definition: Definition) -> Self {
        Self::learned(kind, None, Layouts::of(definition, TARGETS), ".".into())
    }

    fn learned(kind: &'static str, path: Option<&Path>, layouts: Layouts, place: PathBuf) -> Self {
        Self {
            kind,
            path: path.map(Path::to_path_buf),
            layouts,
            place,
            there_bytes: 0,
            held_bytes: 0,
            pace: None,
            notes: Vec::new(),
        }
    }

    /// Databases that this process keeps.
    pub(super) fn running(load: &Load<'_>) -> Self {
        let mut subject = Self::learned("run", None, load.layouts.clone(), load.place.into());
        (subject.pace, subject.there_bytes) = (load.pace, load.there_bytes);
        subject.held_bytes = load.held_bytes;
        subject
    }

    fn at(path: &Path) -> Result<Self, Failure> {
        let fault = |error| Failure::Io { path: path.into(), error };
        match Given::at(path).map_err(fault)? {
            Given::Store(root) => Self::of_store(&root).map_err(fault),
            Given::Tree => Self::of_tree(path).map_err(fault),
            Given::Configuration => Self::of_configuration(path),
            Given::Database => {
                let definition = inventory::of_file(path)?;
                let mut subject = Self::alike("file", definition);
                subject.path = Some(path.into());
                Ok(subject)
            }
            Given::Neither => Err(Failure::Kind(path.into())),
        }
    }

    fn of_tree(path: &Path) -> std::io::Result<Self> {
        let (begun, mut progress) = (Instant::now(), Progress::new("files"));
        let Tree { sample, layouts } = Tree::look(path, &mut |files| {
            progress.count(files);
            begun.elapsed() < PATIENCE
        })?;
        progress.clear();
        let mut subject = Self::learned("tree", Some(path), layouts, path.into());
        subject.there_bytes = file_bytes(&subject.layouts);
        let found = some(sample.files, "file", "files");
        let mut notes = vec![format!("{found} found, {} looked into", count(sample.sampled))];
        if !sample.is_whole {
            notes.push(format!("the tree is larger: it was left after {} s", PATIENCE.as_secs()));
        }
        if sample.unreadable > 0 {
            let unreadable =
                some(sample.unreadable, "of these is no database", "of these are no databases");
            notes.push(format!("{unreadable}, or may not be read"));
        }
        if sample.idle > 0.0 {
            let idle = figures::share(sample.idle);
            notes.push(format!("{idle} of them were not updated for two days: they are left out"));
        }
        subject.notes = notes;
        Ok(subject)
    }

    fn of_store(path: &Path) -> std::io::Result<Self> {
        let ring = Ring::at(path)?;
        let mut subject = Self::learned("store", Some(path), ring.layouts.clone(), path.into());
        subject.take_store(&ring);
        Ok(subject)
    }

    fn take_store(&mut self, ring: &Ring) {
        self.pace = Some(ring.pace);
        self.there_bytes = ring.totals.file_bytes;
        if ring.is_open {
            self.held_bytes = store_memory(ring) as u64;
            self.notes.push("the store is open: what it has in memory counts as available".into());
        }
    }

    fn of_configuration(path: &Path) -> Result<Self, Failure> {
        let configuration = Configuration::read(path, &Disk)?;
        let found = Configured::of(&configuration, &Disk);
        let place = found.place().to_path_buf();
        let mut subject = Self::learned("configuration", Some(path), found.layouts.clone(), place);
        let targets = &found.targets;
        let devices = some(targets.devices, "device", "devices");
        subject.notes =
            vec![format!("{} of {devices}", some(targets.targets, "target", "targets"))];
        if targets.unsupported > 0 {
            let unsupported = count(targets.unsupported);
            subject.notes.push(format!("{unsupported} of them are such as gyre does not measure"));
        }
        match found.store.as_deref().map(Ring::at) {
            Some(Ok(ring)) => subject.take_store(&ring),
            // A store that cannot be read is a remark; the plan is made all the same.
            Some(Err(error)) => subject.notes.push(format!("its store: {}", system_words(&error))),
            None if found.has_files => subject.there_bytes = file_bytes(&found.layouts),
            None => {}
        }
        Ok(subject)
    }

    /// The fleet: each database is updated once a step.
    pub(super) fn fleet(&self) -> Fleet {
        let groups = self.layouts.all().iter();
        let groups = groups.map(|(definition, own)| FleetGroup::new(definition.clone(), *own));
        Fleet { groups: groups.collect() }
    }
}

fn is_layout(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| word.starts_with("DS:") || word.starts_with("RRA:"))
}

/// The step of a layout that does not give one: the interval of `--step`, unless archives are to
/// keep their rows.
fn layout_step(wanted: &Wanted) -> u64 {
    let asked = wanted.step_seconds.filter(|_| wanted.layout != Layout::Kept);
    asked.unwrap_or(STEP_SECONDS)
}

fn mrtgs(step_seconds: u64) -> Result<Definition, Failure> {
    inventory::mrtgs_layout(step_seconds).ok_or(Failure::MrtgStep)
}

/// The sizes of the files of some layouts, in whole pages.
fn file_bytes(layouts: &Layouts) -> u64 {
    let bytes = layouts.all().iter().map(|(definition, own)| {
        let rows = definition.archives.iter().map(|archive| archive.rows);
        let layout = FileLayout::new(definition.sources.len(), rows);
        layout.map_or(0, |layout| layout.file_bytes().next_multiple_of(4096).saturating_mul(*own))
    });
    bytes.fold(0, u64::saturating_add)
}

/// Bytes of memory that an open store takes.
fn store_memory(ring: &Ring) -> f64 {
    let of_layout = |(definition, own): &(Definition, u64)| {
        Costs::of(definition, ring.pace).map_or(0.0, |costs| costs.memory_bytes * *own as f64)
    };
    ring.layouts.all().iter().map(of_layout).sum()
}
