//! The environment of an experiment: a place for disks, its size, and a progress display.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use testbed::{Cgroup, Device, Interrupts, LoopDisk, Readahead, run_worker};

use crate::cycle::Cycle;
use crate::layouts::{Layout, PAGE_BYTES};
use crate::outcome::Table;
use crate::task::{Task, Told, Work};

/// Displays the progress: steps done, and all of them.
pub type Progress<'a> = dyn FnMut(usize, usize) + 'a;

/// The observations of a worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    pub(crate) cycles: Vec<Cycle>,
    /// Pages of files in the memory of its control group, after each cycle.
    cached_pages: Vec<u64>,
    /// Resident pages of each file at the end, if the task asks for them.
    pub(crate) resident_pages: Vec<u64>,
    /// The pages that the update of each file loaded, if each was evicted.
    pub(crate) brought: Vec<Vec<u32>>,
}

impl Watched {
    /// Pages of files in memory: the mean over the second half of the cycles.
    pub(crate) fn cached_pages(&self) -> u64 {
        let later = &self.cached_pages[self.cached_pages.len() / 2..];
        later.iter().sum::<u64>() / later.len().max(1) as u64
    }

    /// The size of the cache for a simulation: the pages in memory, or the limit if that was not
    /// reached, because then the cache could have held more.
    pub(crate) fn cache_pages(&self, pages_a_file: u64, files: u32) -> u64 {
        self.cached_pages().max(pages_a_file * u64::from(files))
    }

    /// The median over all cycles but the warm-up of a count for each update. It is robust against
    /// other work on the machine.
    pub(crate) fn median_per_update(
        &self,
        warm: u64,
        files: u32,
        count: impl Fn(&Cycle) -> f64,
    ) -> f64 {
        let mut counted: Vec<f64> = self.cycles[warm as usize..].iter().map(count).collect();
        counted.sort_by(f64::total_cmp);
        counted[counted.len() / 2] / f64::from(files)
    }

    /// The mean over all cycles but the warm-up of a count for each update.
    pub(crate) fn per_update(&self, warm: u64, files: u32, count: impl Fn(&Cycle) -> f64) -> f64 {
        let counted = &self.cycles[warm as usize..];
        counted.iter().map(count).sum::<f64>() / (counted.len() as f64 * f64::from(files))
    }
}

/// The environment of experiments.
pub struct Laboratory<'a> {
    scratch: PathBuf,
    is_quick: bool,
    interrupts: Interrupts,
    progress: Box<Progress<'a>>,
    /// The file for the figures so far.
    figures: Option<PathBuf>,
    done: usize,
    all: usize,
}

impl<'a> Laboratory<'a> {
    /// A laboratory in a directory with space for disks, on a file system that supports reads that
    /// bypass the page cache. `is_quick` makes everything tiny: it shows that all of it works, but
    /// its figures mean little.
    #[must_use]
    pub fn new(
        scratch: PathBuf,
        is_quick: bool,
        interrupts: Interrupts,
        progress: Box<Progress<'a>>,
    ) -> Self {
        Self { scratch, is_quick, interrupts, progress, figures: None, done: 0, all: 0 }
    }

    /// Writes the figures to this file (CSV) after each step, so that a run that is stopped leaves
    /// them.
    #[must_use]
    pub fn keeping_figures(self, file: PathBuf) -> Self {
        Self { figures: Some(file), ..self }
    }

    /// One of two values, by the size of the experiment.
    pub(crate) fn choose<T>(&self, full: T, quick: T) -> T {
        if self.is_quick { quick } else { full }
    }

    /// The number of files of a layout, given the number for the shortest layout: for long files
    /// 150 are enough, and need a disk that is still small.
    pub(crate) fn files_of(&self, layout: Layout, shortest: u32) -> u32 {
        self.choose(if layout == Layout::Mrtg { shortest } else { shortest.min(150) }, 60)
    }

    /// The numbers for several layouts, in words.
    pub(crate) fn counts(&self, layouts: &[Layout], shortest: u32) -> String {
        let count =
            |it: &Layout| format!("{} files of {}", self.files_of(*it, shortest), it.name());
        layouts.iter().map(count).collect::<Vec<_>>().join(", ")
    }

    /// Announces the number of steps.
    pub(crate) fn expect_steps(&mut self, all: usize) {
        (self.done, self.all) = (0, all);
        (self.progress)(0, all);
    }

    /// Reports a finished step.
    ///
    /// # Errors
    ///
    /// A signal came.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        self.done += 1;
        (self.progress)(self.done, self.all);
        self.interrupts.check()
    }

    /// Fails if a signal came.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.interrupts.check()
    }

    /// Reports a finished step and the figures so far.
    ///
    /// # Errors
    ///
    /// A signal came, or the figures cannot be written.
    pub(crate) fn step_with(&mut self, figures: &Table) -> Result<(), String> {
        self.keep(figures)?;
        self.step()
    }

    /// Writes the figures so far.
    pub(crate) fn keep(&self, figures: &Table) -> Result<(), String> {
        self.figures
            .as_ref()
            .map_or(Ok(()), |path| crate::written::write(path, figures.csv().as_bytes()))
    }

    /// Makes a disk of this size.
    pub(crate) fn disk(&self, bytes: u64) -> Result<LoopDisk, String> {
        LoopDisk::new(&self.scratch, bytes)
    }

    /// The readahead windows to compare, in KiB: the reference's, and that of this machine's disk,
    /// if it is different.
    pub(crate) fn windows_kib(&self) -> Result<Vec<u64>, String> {
        let today = Readahead::window_kib(&Device::of(&self.scratch)?)?;
        let mut windows = vec![Readahead::USUAL_KIB];
        windows.extend((today != Readahead::USUAL_KIB).then_some(today));
        Ok(windows)
    }

    /// Runs a worker with its task, in a control group if there is one; `each` gets its reports.
    pub(crate) fn work<T: DeserializeOwned>(
        &self,
        group: Option<&Cgroup>,
        work: &Work,
        each: impl FnMut(T) -> Result<(), String>,
    ) -> Result<(), String> {
        run_worker(group, &self.interrupts, &[crate::worker::WORD], work, each)
    }

    /// Runs a worker with its task, with a limit of memory if the task has one.
    pub(crate) fn run(&self, task: &Task) -> Result<Watched, String> {
        let group = task.group()?;
        let mut watched = Watched::default();
        let words = &[crate::worker::WORD];
        run_worker(group.as_ref(), &self.interrupts, words, task, |told| {
            match told {
                Told::Cycle(cycle) => watched.cycles.push(cycle),
                Told::Resident(pages) => watched.resident_pages = pages,
                Told::Brought(pages) => {
                    watched.brought.push(pages);
                    return Ok(()); // the cycle is not over
                }
            }
            let cached_bytes = group.as_ref().map(Cgroup::cached_bytes).transpose()?;
            watched.cached_pages.push(cached_bytes.unwrap_or(0) / PAGE_BYTES);
            Ok(())
        })?;
        match watched.cycles.len() as u64 {
            cycles if cycles == task.cycles => Ok(watched),
            cycles => Err(format!("the worker ended after {cycles} cycles")),
        }
    }
}
