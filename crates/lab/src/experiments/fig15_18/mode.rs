//! The modes of running the site.

use std::path::PathBuf;

use testbed::LoopDisk;

use super::protocol::{HOUR_CYCLES, Scale};
use crate::files::Files;
use crate::growing::{Keeping, Step};
use crate::layouts::Layout;
use crate::task::{INODE_BYTES, PROGRAM_BYTES, RRDTOOL_BYTES};
use crate::ways::{RRDTOOL, Way};

/// The number of the reference's replicas, each of which updates its own targets.
pub(super) const WRITERS: u32 = 3;
/// The number of targets at the end of the reference's run.
const REFERENCE_END: u32 = 480_000;

/// How databases are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Files { way: Way, has_journal: bool },
    Ring { tile_rows_max: u32 },
}

/// The sizes of the experiment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) scale: Scale,
    pub(super) warm_cycles: u64,
    /// The most files without a journal, and with one, which carries more.
    pub(super) files_max: [u32; 2],
    pub(super) ring_max: u32,
}

impl Mode {
    pub(super) fn name(self) -> String {
        match self {
            Self::Files { way, has_journal: false } => way.name.into(),
            Self::Files { way, has_journal: true } => format!("{}, journal", way.name),
            Self::Ring { tile_rows_max: 1 } => "ring, a row a tile".into(),
            Self::Ring { .. } => "ring".into(),
        }
    }

    pub(super) fn is_ring(self) -> bool {
        matches!(self, Self::Ring { .. })
    }

    pub(super) fn has_journal(self) -> bool {
        matches!(self, Self::Files { has_journal: true, .. })
    }

    /// Whether it has advice, but no journal.
    pub(super) fn is_advised(self) -> bool {
        matches!(self, Self::Files { way, has_journal: false } if way.has_advice())
    }

    /// The number of cycles between two writes of a file.
    pub(super) fn every_cycles(self) -> u64 {
        if self.has_journal() { HOUR_CYCLES } else { 1 }
    }

    pub(super) fn keeping(self) -> Keeping {
        match self {
            Self::Files { way, has_journal } => Keeping::Files {
                way: way.name.into(),
                journal_cycles: if has_journal { HOUR_CYCLES } else { 0 },
            },
            Self::Ring { tile_rows_max } => Keeping::Ring { tile_rows_max },
        }
    }

    /// The steps of the run.
    pub(super) fn steps(self, extent: &Extent) -> Vec<Step> {
        let Extent { scale, warm_cycles, files_max, ring_max } = *extent;
        match self {
            Self::Files { has_journal, .. } => {
                scale.steps(has_journal, warm_cycles, files_max[usize::from(has_journal)])
            }
            Self::Ring { .. } => scale.wide_steps(warm_cycles, ring_max),
        }
    }

    /// Prepares the databases. Files are made now, each as if it had been updated until its step
    /// begins.
    pub(super) fn prepare(
        self,
        disk: &LoopDisk,
        steps: &[Step],
        last_seconds: u64,
    ) -> Result<PathBuf, String> {
        if self.is_ring() {
            return Ok(disk.path().join("ring"));
        }
        let begins = Step::begins(steps, last_seconds, Layout::Mrtg.step_seconds());
        let mut files = Files::make(&disk.path(), Layout::Mrtg, 0, last_seconds)?;
        for (step, begin) in steps.iter().zip(begins) {
            files.last_seconds = begin;
            files.add(step.databases - files.count)?;
        }
        files.evict()?;
        Ok(files.directory)
    }
}

impl Extent {
    /// The limit of memory: page cache as the reference had it, inodes of as many files as it had
    /// at its end, and the program's own needs, which are not scaled.
    pub(super) fn memory_bytes(&self, mode: Mode) -> u64 {
        let is_rrdtool = matches!(mode, Mode::Files { way, .. } if way == RRDTOOL);
        let rrdtool_bytes = if is_rrdtool { u64::from(WRITERS) * RRDTOOL_BYTES } else { 0 };
        let inodes_bytes = u64::from(self.scale.databases(REFERENCE_END)) * INODE_BYTES;
        self.scale.cache_bytes() + inodes_bytes + PROGRAM_BYTES + rrdtool_bytes
    }
}
