//! The ring store at its real size, with whole steps for cycles: a million databases and more.

use ring::Pace;
use testbed::LoopDisk;

use super::mode::WRITERS;
use crate::Laboratory;
use crate::experiments::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::growing::{Growth, Keeping, Life, Share, Step, Turn};
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::verdict::Verdict;

/// Within this many cycles, every group of the store is flushed once.
const FLUSHED_CYCLES: u64 = 20;
/// The promised number of targets a minute on two processors.
const TARGETS_A_MINUTE: f64 = 1e6;
const MINUTE_SECONDS: f64 = 60.0;

/// A network's step, and the result of the store.
pub(super) struct RealSize {
    layout: Layout,
    pub(super) life: Life,
}

/// The figures for one number of databases.
struct Size {
    databases: u32,
    /// Seconds of the slowest cycle, until everything is on disk.
    seconds_max: f64,
    seconds: f64,
    processor_seconds: f64,
    bytes_each: f64,
}

/// The steps of the network, and the numbers of databases for each.
pub(super) fn sizes(laboratory: &Laboratory<'_>) -> Vec<(Layout, u32)> {
    let million = laboratory.choose(1_000_000, 2000);
    let layouts = [Layout::Mrtg, Layout::Minute].into_iter();
    layouts.flat_map(|layout| [1, 2].map(|times| (layout, times * million))).collect()
}

impl RealSize {
    pub(super) fn run(
        laboratory: &Laboratory<'_>,
        disk: &LoopDisk,
        layout: Layout,
        databases: u32,
    ) -> Result<Self, String> {
        let cycles = laboratory.choose(FLUSHED_CYCLES, 2);
        let growth = Growth {
            keeping: Keeping::Ring { tile_rows_max: Pace::default().tile_rows_max },
            layout,
            directory: disk.path().join("ring"),
            steps: vec![Step { databases, cycles }],
            // The cycles include a midnight, at which rows of every archive become final.
            last_seconds: MIDNIGHT_SECONDS + 24 * HOUR_SECONDS - cycles / 2 * layout.step_seconds(),
            writers: WRITERS,
            share: Some(Share {
                cycle_seconds: layout.step_seconds() as f64,
                window_cycles: 2,
                warm_cycles: 0,
                processors: std::thread::available_parallelism().map_or(1, usize::from) as u32,
            }),
        };
        let life = Life::lived(laboratory, None, &growth)?;
        std::fs::remove_dir_all(&growth.directory)
            .map_err(|error| format!("{}: {error}", growth.directory.display()))?;
        Ok(Self { layout, life })
    }

    fn name(&self) -> String {
        format!("ring, real size, step {} s", self.layout.step_seconds())
    }

    fn size(&self) -> Option<Size> {
        let turns = &self.life.turns;
        let last = turns.last()?;
        let mean = |of: fn(&Turn) -> f64| turns.iter().map(of).sum::<f64>() / turns.len() as f64;
        let seconds = turns.iter().map(|turn| turn.cycle.synced_seconds);
        Some(Size {
            databases: last.databases,
            seconds_max: seconds.fold(0.0, f64::max),
            seconds: mean(|turn| turn.cycle.synced_seconds),
            processor_seconds: mean(|turn| turn.cycle.processor_seconds),
            bytes_each: last.anonymous_bytes as f64 / f64::from(last.databases),
        })
    }

    /// Adds a row for each cycle.
    pub(super) fn put(&self, table: &mut Table) {
        for turn in &self.life.turns {
            table.push(super::row(&self.name(), 1.0, turn, None, None));
        }
    }

    pub(super) fn verdicts(&self) -> Vec<Verdict> {
        let name = self.name();
        let step_seconds = self.layout.step_seconds() as f64;
        let of_size = |size: Size| {
            let all = format!("{name}, {} databases", size.databases);
            let holds = size.seconds_max < step_seconds;
            let slowest = format!("{all}: seconds of the slowest cycle, of {step_seconds}");
            let rate = f64::from(size.databases) / size.seconds * MINUTE_SECONDS;
            let rate_holds = rate >= TARGETS_A_MINUTE;
            let processors = format!("{all}: processor seconds of a cycle");
            [
                Verdict::claim(slowest, size.seconds_max, holds),
                Verdict::claim(format!("{all}: targets a minute (a million)"), rate, rate_holds),
                Verdict::figure(processors, size.processor_seconds),
                Verdict::figure(format!("{all}: bytes of memory each"), size.bytes_each),
            ]
        };
        self.size().into_iter().flat_map(of_size).collect()
    }
}
