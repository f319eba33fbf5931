//! The inputs of all checks.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use inventory::{Configured, Layouts, Tree};
use mrtg::{Configuration, Source};
use ring::{FileTotals, Pace};

use crate::machine::Machine;
use crate::measure::Measured;
use crate::place::Place;
use crate::unseen::{Root, Seen, Unseen};
use crate::work::{Keeping, RingStoreFacts, Sample, Targets, Work};

/// The time limit for inspecting a tree; the findings up to then are reported as partial.
const PATIENCE: Duration = Duration::from_secs(10);

/// The inputs of all checks.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The machine.
    pub machine: Machine,
    /// The file system and directory of the data.
    pub place: Option<Place>,
    /// The expected load.
    pub work: Option<Work>,
    /// The number of databases in the catalogue of an existing ring store. If the catalogue cannot
    /// be read, the load is estimated from the store's files.
    pub catalogue: Option<Seen<u64>>,
    /// The statistics of a tree of `.rrd` files.
    pub sample: Option<Sample>,
    /// The targets of an mrtg.cfg.
    pub targets: Option<Targets>,
    /// The measured speed of the disk.
    pub measured: Option<Seen<Measured>>,
}

/// The operand of the doctor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// No operand.
    Nothing,
    /// An mrtg.cfg.
    Configuration(PathBuf),
    /// A ring store.
    Store(PathBuf),
    /// A directory of `.rrd` files, or one that is to hold them.
    Files(PathBuf),
}

/// Why the operand is not usable.
#[derive(Debug, thiserror::Error)]
pub enum GivenError {
    /// It cannot be read.
    #[error(transparent)]
    Unseen(#[from] Unseen),
    /// It is of an unsupported kind.
    #[error("{}: expected an mrtg.cfg, a ring store, or a directory of .rrd files", .0.display())]
    Kind(PathBuf),
    /// It is an mrtg.cfg with an error.
    #[error(transparent)]
    Configuration(#[from] mrtg::Error),
}

impl Given {
    /// The kind of a path.
    ///
    /// # Errors
    ///
    /// Nothing exists there, or something of another kind.
    pub fn at(path: &Path) -> Result<Self, GivenError> {
        let fault = |error: std::io::Error| Unseen::new(path, &error);
        let path = path.canonicalize().map_err(fault)?;
        match inventory::Given::at(&path).map_err(fault)? {
            inventory::Given::Configuration => Ok(Self::Configuration(path)),
            inventory::Given::Store(root) => Ok(Self::Store(root)),
            inventory::Given::Tree => Ok(Self::Files(path)),
            inventory::Given::Database | inventory::Given::Neither => Err(GivenError::Kind(path)),
        }
    }
}

impl Facts {
    /// Inspects a machine and the operand.
    ///
    /// # Errors
    ///
    /// The operand cannot be read.
    pub fn gather(root: &Root, given: &Given, source: &dyn Source) -> Result<Self, GivenError> {
        let mut facts = Self::of_machine(root);
        match given {
            Given::Nothing => {}
            Given::Store(path) => {
                let store = RingStoreFacts::at(path)?;
                facts.work = Work::of_store(&store);
                facts.catalogue = Some(store.databases());
                facts.place = Some(Place::read(root, path));
            }
            Given::Files(path) => {
                let tree = look(path).map_err(|error| Unseen::new(path, &error))?;
                facts.take_files(tree.sample);
                facts.place = Some(Place::read(root, path));
            }
            Given::Configuration(path) => {
                let configuration = Configuration::read(path, source)?;
                facts.take_configuration(root, &configuration, source);
            }
        }
        Ok(facts)
    }

    /// Inspects a machine and the ring store that this process has open, whose catalogue is not
    /// read: its databases are those of the layouts.
    #[must_use]
    pub fn of_running(root: &Root, store: &Path, layouts: &Layouts, pace: Pace) -> Self {
        let totals = FileTotals::at(store).unwrap_or_default();
        let catalogue = Ok((layouts.clone(), pace));
        let store_facts = RingStoreFacts { totals, catalogue };
        Self {
            work: Work::of_store(&store_facts),
            place: Some(Place::read(root, store)),
            ..Self::of_machine(root)
        }
    }

    fn of_machine(root: &Root) -> Self {
        Self {
            machine: Machine::read(root),
            place: None,
            work: None,
            catalogue: None,
            sample: None,
            targets: None,
            measured: None,
        }
    }

    fn take_files(&mut self, sample: Sample) {
        if sample.sampled > 0 {
            let (files, bytes) = (sample.files, sample.file_bytes);
            self.work = Some(Work::of_files(files, bytes, sample.step_seconds, true));
        }
        self.sample = Some(sample);
    }

    fn take_configuration(
        &mut self,
        root: &Root,
        configuration: &Configuration,
        source: &dyn Source,
    ) {
        let configured = Configured::of(configuration, source);
        self.place = Some(Place::read(root, configured.place()));
        let store = configured.store.as_deref().map(RingStoreFacts::at);
        let seen = store.as_ref().and_then(|store| store.as_ref().ok());
        self.work = Work::of_configuration(&configured, seen);
        self.catalogue = store.map(|store| store.and_then(|store| store.databases()));
        let keeps_files = self.work.as_ref().is_some_and(|it| it.keeping == Keeping::Files);
        if keeps_files && let Ok(tree) = look(&configured.directory) {
            self.sample = Some(tree.sample);
        }
        self.targets = Some(configured.targets);
    }

    /// Measures the disk of the data: writes tens of MiB, and takes seconds.
    pub fn measure(&mut self) {
        self.measured = self.place.as_ref().map(|place| Measured::take(&place.path));
    }
}

fn look(directory: &Path) -> std::io::Result<Tree> {
    let begun = Instant::now();
    Tree::look(directory, &mut |_| begun.elapsed() < PATIENCE)
}
