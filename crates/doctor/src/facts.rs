//! Everything that checks decide by.

use std::path::{Path, PathBuf};

use disk::{File, Mode};
use mrtg::{Configuration, Source};

use crate::machine::Machine;
use crate::measure::Measured;
use crate::place::Place;
use crate::unseen::{Root, Seen, system_words};
use crate::work::{self, Sample, Targets, Work};

/// Everything that checks decide by.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The machine.
    pub machine: Machine,
    /// Where the data lie.
    pub place: Option<Place>,
    /// What there is to do.
    pub work: Option<Work>,
    /// What a tree of `.rrd` files shows.
    pub sample: Option<Sample>,
    /// What an mrtg.cfg asks for.
    pub targets: Option<Targets>,
    /// What was measured on this machine.
    pub measured: Option<Seen<Measured>>,
}

/// What the machine is looked at for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// Nothing in particular.
    Nothing,
    /// An mrtg.cfg.
    Configuration(PathBuf),
    /// A ring store.
    Store(PathBuf),
    /// A directory of `.rrd` files, or one that is to hold them.
    Files(PathBuf),
}

/// Why what was given is of no use.
#[derive(Debug)]
pub struct GivenError(pub String);

impl Given {
    /// What a path is.
    ///
    /// # Errors
    /// There is nothing, or something of another kind.
    pub fn at(path: &Path) -> Result<Self, GivenError> {
        let fault = |error: std::io::Error| {
            GivenError(format!("{}: {}", path.display(), system_words(&error)))
        };
        let path = path.canonicalize().map_err(fault)?;
        let kind = path.metadata().map_err(fault)?.file_type();
        if kind.is_file() && !is_database(&path) {
            return Ok(Self::Configuration(path));
        }
        match kind.is_dir() {
            true if store::RingStore::is_at(&path) => Ok(Self::Store(path)),
            true => Ok(Self::Files(path)),
            false => Err(GivenError(format!(
                "{}: expected an mrtg.cfg, a ring store, or a directory of .rrd files",
                path.display()
            ))),
        }
    }
}

/// Whether a file is an `.rrd` file, by how it begins.
fn is_database(path: &Path) -> bool {
    let mut begin = [0; 4];
    let read = File::open(path, Mode::Read).and_then(|file| file.read_at(&mut begin, 0));
    read.is_ok() && begin == *b"RRD\0"
}

impl Facts {
    /// Looks at a machine, and at what was given.
    ///
    /// # Errors
    /// What was given cannot be read.
    pub fn gather(root: &Root, given: &Given, source: &dyn Source) -> Result<Self, GivenError> {
        let mut facts = Self {
            machine: Machine::read(root),
            place: None,
            work: None,
            sample: None,
            targets: None,
            measured: None,
        };
        let fault = |path: &Path, what: &dyn std::fmt::Display| {
            GivenError(format!("{}: {what}", path.display()))
        };
        match given {
            Given::Nothing => {}
            Given::Store(path) => {
                facts.work = Some(work::glance(path).map_err(|error| fault(path, &error))?);
                facts.place = Some(Place::read(root, path));
            }
            Given::Files(path) => {
                let sample =
                    work::look(path).map_err(|error| fault(path, &system_words(&error)))?;
                facts.take_files(sample);
                facts.place = Some(Place::read(root, path));
            }
            Given::Configuration(path) => {
                let configuration = Configuration::read(path, source);
                let configuration = configuration.map_err(|error| GivenError(error.to_string()))?;
                facts.take_configuration(root, &configuration, source);
            }
        }
        Ok(facts)
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
        let planned = work::plan(configuration, source);
        self.place = Some(Place::read(root, &planned.directory));
        let keeps_files =
            planned.work.as_ref().is_some_and(|it| it.keeping == work::Keeping::Files);
        if keeps_files && let Ok(sample) = work::look(&planned.directory) {
            self.sample = Some(sample);
        }
        self.work = planned.work;
        self.targets = Some(planned.targets);
    }

    /// Measures the disk where the data lie: with tens of MiB, for seconds.
    pub fn measure(&mut self) {
        self.measured = self.place.as_ref().map(|place| Measured::take(&place.path));
    }
}
