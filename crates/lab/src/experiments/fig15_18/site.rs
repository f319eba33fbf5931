//! The run of one mode with scaled memory, and its counters.

use testbed::{Cgroup, LoopDisk, Readahead};

use super::mode::{Extent, Mode, WRITERS};
use super::protocol::Scale;
use crate::Laboratory;
use crate::experiments::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::growing::{Ended, Growth, Life, Share, Turn};
use crate::layouts::{Layout, PAGE_BYTES};
use crate::simulated::Growing;

/// The reference's run began at about two in the afternoon.
const BEGIN_SECONDS: u64 = MIDNIGHT_SECONDS + 14 * HOUR_SECONDS;
/// If more pages than this are read for an update, the memory of the window is too small for the
/// pages that it needs.
pub(super) const SCARCE: f64 = 0.5;

/// The run of one mode.
pub(super) struct Site {
    pub(super) mode: Mode,
    pub(super) scale: Scale,
    pub(super) turns: Vec<Turn>,
    pub(super) cached_pages: Vec<u64>,
    /// Pages that today's kernel reads for older databases in each cycle, by simulation.
    pub(super) simulated: Option<Vec<u64>>,
    pub(super) windows: Vec<Window>,
    pub(super) ended: Ended,
}

/// Cycles that are judged together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    /// The number of databases at its end.
    pub(super) databases: u32,
    /// Pages read for an update of an older database.
    pub(super) read: f64,
    pub(super) simulated: Option<f64>,
    /// Mean seconds of a cycle until everything is on disk, scaled so that the reference's limit is
    /// 300.
    pub(super) seconds: f64,
    pub(super) processor_share: f64,
    pub(super) pages_a_file: f64,
}

impl Site {
    /// Runs the mode until it breaks.
    pub(super) fn run(
        laboratory: &Laboratory<'_>,
        disk: &LoopDisk,
        extent: &Extent,
        mode: Mode,
    ) -> Result<Self, String> {
        let steps = mode.steps(extent);
        let last_seconds = BEGIN_SECONDS - extent.warm_cycles * Layout::Mrtg.step_seconds();
        let directory = mode.prepare(disk, &steps, last_seconds)?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let share = extent.scale.share(mode.has_journal(), extent.warm_cycles, processors);
        let growth = Growth {
            keeping: mode.keeping(),
            layout: Layout::Mrtg,
            directory: directory.clone(),
            steps,
            last_seconds,
            writers: WRITERS,
            share: Some(share),
        };
        let group = Cgroup::new("lab", extent.memory_bytes(mode))?;
        let life = Life::lived(laboratory, Some(&group), &growth)?;
        drop(group);
        std::fs::remove_dir_all(&directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        let simulated = simulated(mode, extent, &growth, &life)?;
        let Life { turns, cached_pages, ended } = life;
        let windows = windows(share, extent.scale, &turns, &cached_pages, simulated.as_deref());
        Ok(Self { mode, scale: extent.scale, turns, cached_pages, simulated, windows, ended })
    }

    /// The number of targets carried.
    pub(super) fn carried(&self) -> f64 {
        self.scale.targets(self.ended.carried)
    }

    /// The most targets before the first window with too little memory, by these counts of pages
    /// read.
    pub(super) fn roomy(&self, read: impl Fn(&Window) -> Option<f64>) -> Option<f64> {
        roomy(&self.windows, read).map(|databases| self.scale.targets(databases))
    }
}

/// The databases of the last window before the first that reads more than half a page for an
/// update.
fn roomy(windows: &[Window], read: impl Fn(&Window) -> Option<f64>) -> Option<u32> {
    let has_room = |window: &&Window| read(window).is_some_and(|read| read <= SCARCE);
    windows.iter().take_while(has_room).last().map(|window| window.databases)
}

/// The same run simulated with Linux's two lists. There is no simulation for the ring store.
fn simulated(
    mode: Mode,
    extent: &Extent,
    growth: &Growth,
    life: &Life,
) -> Result<Option<Vec<u64>>, String> {
    let Mode::Files { way, .. } = mode else { return Ok(None) };
    let cached_pages = life.cached_pages.last().copied().unwrap_or(0);
    let cycles = life.turns.len() as u64;
    let growing = Growing {
        layout: growth.layout,
        steps: &growth.steps,
        last_seconds: growth.last_seconds,
        way,
        every_cycles: mode.every_cycles(),
        window_kib: Readahead::USUAL_KIB,
        cache_pages: cached_pages.max(extent.scale.cache_bytes() / PAGE_BYTES),
    };
    growing.pages_read(cycles).map(Some)
}

fn windows(
    share: Share,
    scale: Scale,
    turns: &[Turn],
    cached_pages: &[u64],
    simulated: Option<&[u64]>,
) -> Vec<Window> {
    let first = share.warm_cycles.min(turns.len());
    let starts = (first..turns.len()).step_by(share.window_cycles);
    let whole = starts.filter(|start| start + share.window_cycles <= turns.len());
    let window = |start: usize| {
        let nths = start..start + share.window_cycles;
        let of_window = &turns[nths.clone()];
        let updates: u32 = of_window.iter().map(|turn| turn.databases - turn.added).sum();
        let of_update = |pages: u64| pages as f64 / f64::from(updates);
        let databases = of_window[of_window.len() - 1].databases;
        let [time_share, processor_share] = share.load(of_window);
        let cached: u64 = cached_pages[nths.clone()].iter().sum();
        Window {
            databases,
            read: of_update(of_window.iter().map(Turn::older_pages_read).sum()),
            simulated: simulated.map(|it| of_update(it[nths.clone()].iter().sum())),
            seconds: scale.seconds(time_share * share.cycle_seconds),
            processor_share,
            pages_a_file: cached as f64 / nths.len() as f64 / f64::from(databases),
        }
    };
    whole.map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::{Window, roomy};

    #[test]
    fn room_ends_before_the_first_window_that_reads_much() {
        let window = |(databases, read)| Window {
            databases,
            read,
            simulated: None,
            seconds: 0.0,
            processor_share: 0.0,
            pages_a_file: 0.0,
        };
        let windows = [(10, 0.1), (20, 0.4), (30, 0.6), (40, 0.2)].map(window);
        assert_eq!(roomy(&windows, |it| Some(it.read)), Some(20));
        assert_eq!(roomy(&windows[2..], |it| Some(it.read)), None);
        assert_eq!(roomy(&windows, |it| it.simulated), None);
    }
}
