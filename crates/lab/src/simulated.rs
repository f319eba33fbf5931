//! The predictions of `capacity` for the same updates.

use capacity::cache::{Cache, Lru, TwoLists};
use capacity::policy::{NoReadahead, OnDemand, ReadAround, Readahead, Stock, StockRules};
use capacity::recording::Recording;
use capacity::replay::{Method, Outcome, Replay};
use capacity::scenario::{CachePolicy, ReadaheadPolicy, Scenario, player};
use capacity::trace::{Cursor, Fleet, Group, Scatter, Turns};
use capacity::trace_text::{self, FileGroup, Runs};

use crate::files::Files;
use crate::growing::Step;
use crate::layouts::Layout;
use crate::ways::Way;

/// The seed of the initial positions of rings.
const SEED: u64 = 7;

/// The files before their next update.
fn fleet(files: &Files) -> Result<Fleet, String> {
    fleet_of(&[files])
}

fn fleet_of(sets: &[&Files]) -> Result<Fleet, String> {
    let group = |files: &&Files| Group { shape: files.layout.shape(), files: files.count };
    let start_seconds = sets.first().map_or(0, |files| files.last_seconds);
    Fleet::new(sets.iter().map(group).collect(), start_seconds, Scatter::ByChance(SEED))
        .ok_or_else(too_many)
}

fn too_many() -> String {
    "too many files for a simulation".into()
}

fn pages(cache_pages: u64) -> Result<u32, String> {
    u32::try_from(cache_pages.max(1)).map_err(|_| "the cache is too large for a simulation".into())
}

/// Pages read for each update with Linux's two lists, in the cycles after the warm-up.
pub(crate) fn pages_read(
    files: &Files,
    way: Way,
    window_kib: u64,
    cache_pages: u64,
    [warm, counted]: [u64; 2],
) -> Result<f64, String> {
    let life = Life { files, way, window_kib, cache_pages, cycles: warm + counted };
    let [read, _] = life.live()?.mean(warm);
    Ok(read)
}

/// Updates of several sets of files in one cache, after the warm-up.
pub(crate) fn together(
    sets: &[&Files],
    way: Way,
    window_kib: u64,
    cache_pages: u64,
    [warming_seconds, counted_seconds]: [u64; 2],
) -> Result<Outcome, String> {
    let method = way.method();
    let scenario = Scenario { fleet: fleet_of(sets)?, method, warming_seconds, counted_seconds };
    Ok(scenario.run(CachePolicy::TwoLists, way.readahead(window_kib), pages(cache_pages)?))
}

/// Pages read and written for each update of each cycle, with advice, for files that may have
/// different clocks.
pub(crate) fn day_by_clocks(
    files: &Files,
    way: Way,
    cache_pages: u64,
    cycles: u64,
) -> Result<Vec<[f64; 2]>, String> {
    assert!(way.has_advice());
    let (shape, fleet) = (files.layout.shape(), fleet(files)?);
    let cursor = |nth| {
        let newest_rows = fleet.newest_rows(0, nth).to_vec();
        Cursor::new(&shape, files.last_seconds_of(nth), newest_rows)
    };
    let mut cursors: Vec<Cursor> = (0..files.count).map(cursor).collect();
    let (mut traced, data_pages) = (trace_text::Files::default(), shape.data_pages());
    let group = FileGroup { files: files.count, data_pages, metadata_pages: 0 };
    traced.add(group).then_some(()).ok_or_else(too_many)?;
    let (cache, readahead) = (CachePolicy::TwoLists, ReadaheadPolicy::None);
    let mut player = player(&traced, way.method(), cache, readahead, pages(cache_pages)?);
    let (mut runs, mut counted) = (Runs::default(), Vec::new());
    for _ in 0..cycles {
        player.restart();
        for (nth, cursor) in (0..).zip(&mut cursors) {
            let now_seconds = cursor.last_seconds() + files.layout.step_seconds();
            runs.clear();
            cursor.update(&shape, now_seconds, |touch| runs.push(touch));
            player.update(nth, runs.as_slice());
        }
        player.write_back();
        let counts = player.outcomes()[0].counts;
        let each = [counts.pages_read(), counts.write_backs];
        counted.push(each.map(|it| it as f64 / f64::from(files.count)));
    }
    Ok(counted)
}

/// A simulation with one of the kernel's readahead policies.
trait Simulated {
    type Told;
    fn run<R: Readahead + Clone>(self, readahead: &R) -> Self::Told;
}

fn with<S: Simulated>(readahead: ReadaheadPolicy, simulated: S) -> S::Told {
    match readahead {
        ReadaheadPolicy::OnDemand(pages) => simulated.run(&OnDemand::new(pages)),
        ReadaheadPolicy::LargeFolios(pages) => simulated.run(&OnDemand::with_large_folios(pages)),
        ReadaheadPolicy::ReadAround(pages) => simulated.run(&ReadAround::new(pages)),
        ReadaheadPolicy::LargeReadAround(pages) => {
            simulated.run(&ReadAround::with_large_folios(pages))
        }
        ReadaheadPolicy::Observed => simulated.run(&Stock::new(StockRules::Observed)),
        ReadaheadPolicy::None => simulated.run(&NoReadahead),
        ReadaheadPolicy::Article | ReadaheadPolicy::Adaptive(_) => {
            unreachable!("no kernel that is simulated here reads ahead so")
        }
    }
}

/// A growing number of files: those of each step exist from its start on.
pub(crate) struct Growing<'a> {
    pub(crate) layout: Layout,
    pub(crate) steps: &'a [Step],
    pub(crate) last_seconds: u64,
    pub(crate) way: Way,
    /// The files are written once in this many cycles.
    pub(crate) every_cycles: u64,
    pub(crate) window_kib: u64,
    pub(crate) cache_pages: u64,
}

impl Growing<'_> {
    /// Pages read in each cycle for the older files, with Linux's two lists.
    pub(crate) fn pages_read(&self, cycles: u64) -> Result<Vec<u64>, String> {
        with(self.way.readahead(self.window_kib), Grown { growing: self, cycles })
    }

    /// A fleet with a group of files for each step.
    fn fleet(&self) -> Result<Fleet, String> {
        let (step_seconds, shape) = (self.layout.step_seconds(), self.layout.shape());
        let befores = std::iter::once(0).chain(self.steps.iter().map(|step| step.databases));
        let added = self.steps.iter().zip(befores).map(|(step, before)| step.databases - before);
        let groups: Vec<_> = added.map(|files| Group { shape: shape.clone(), files }).collect();
        let every_seconds = step_seconds * self.every_cycles;
        let turns = vec![Turns { every_seconds, after_seconds: 0 }; groups.len()];
        let fleet = Fleet::with_turns(groups, turns, self.last_seconds, Scatter::ByChance(SEED));
        let fleet = fleet.ok_or("too many files for a simulation")?;
        // The journal is written for all files at the same time.
        let together = |begin| begin - (begin - self.last_seconds) % every_seconds;
        let begins = Step::begins(self.steps, self.last_seconds, step_seconds);
        Ok(fleet.arriving(begins.into_iter().map(together).collect()))
    }
}

/// A number of cycles of a growing fleet.
struct Grown<'a> {
    growing: &'a Growing<'a>,
    cycles: u64,
}

impl Simulated for Grown<'_> {
    type Told = Result<Vec<u64>, String>;

    fn run<R: Readahead + Clone>(self, readahead: &R) -> Self::Told {
        let Growing { layout, steps, last_seconds, way, cache_pages, .. } = *self.growing;
        let (step_seconds, fleet) = (layout.step_seconds(), self.growing.fleet()?);
        let begins = Step::begins(steps, last_seconds, step_seconds);
        let cache = TwoLists::new(pages(cache_pages)?, fleet.pages());
        let mut replay = Replay::new(fleet, cache, way.method(), readahead);
        let cycle = |nth| {
            let now_seconds = last_seconds + (nth + 1) * step_seconds;
            let newest = begins.partition_point(|begin| *begin < now_seconds) - 1;
            let mut pages_read = 0;
            while let (group, due_seconds) = replay.fleet().next_turn()
                && due_seconds <= now_seconds
            {
                let before = replay.cache().counts();
                replay.cycle();
                let counts = replay.cache().counts().since(&before);
                let is_older = newest == 0 || group != newest;
                pages_read += if is_older { counts.pages_read() } else { 0 };
            }
            replay.cache_mut().write_back_all();
            pages_read
        };
        Ok((0..self.cycles).map(cycle).collect())
    }
}

/// The pages in memory after one update of an evicted file.
pub(crate) fn brought(
    files: &Files,
    newest_rows: Vec<u64>,
    method: Method,
    readahead: ReadaheadPolicy,
) -> Vec<u32> {
    with(readahead, Update { files, newest_rows, method })
}

/// The pages in memory after each of the next updates of a file that is evicted before each, with a
/// policy that may remember earlier ones.
pub(crate) fn brought_again(
    files: &Files,
    newest_rows: Vec<u64>,
    method: Method,
    readahead: impl Readahead,
    updates: u64,
) -> Vec<usize> {
    let (shape, step_seconds) = (files.layout.shape(), files.layout.step_seconds());
    let cursor = Cursor::new(&shape, files.last_seconds, newest_rows);
    let mut recording = Recording::new(shape, cursor, method, readahead);
    let times = (1..=updates).map(|nth| files.last_seconds + nth * step_seconds);
    times.map(|now_seconds| recording.update(now_seconds).len()).collect()
}

/// The next update of one file.
struct Update<'a> {
    files: &'a Files,
    newest_rows: Vec<u64>,
    method: Method,
}

impl Simulated for Update<'_> {
    type Told = Vec<u32>;

    fn run<R: Readahead + Clone>(self, readahead: &R) -> Vec<u32> {
        let Self { files, newest_rows, method } = self;
        let shape = files.layout.shape();
        let cursor = Cursor::new(&shape, files.last_seconds, newest_rows);
        let now_seconds = files.last_seconds + files.layout.step_seconds();
        Recording::new(shape, cursor, method, readahead.clone()).update(now_seconds).to_vec()
    }
}

/// A number of cycles of all files.
#[derive(Clone, Copy)]
pub(crate) struct Life<'a> {
    pub(crate) files: &'a Files,
    pub(crate) way: Way,
    pub(crate) window_kib: u64,
    pub(crate) cache_pages: u64,
    pub(crate) cycles: u64,
}

/// The result of a simulation.
pub(crate) struct Lived {
    /// Pages read and written for each update, by cycle.
    pub(crate) cycles: Vec<[f64; 2]>,
    /// The pages of each file in Linux's two lists at the end.
    pub(crate) resident: Vec<u64>,
}

impl Lived {
    /// Pages read and written for each update, in the cycles after the warm-up.
    pub(crate) fn mean(&self, warm: u64) -> [f64; 2] {
        let counted = &self.cycles[warm as usize..];
        [0, 1].map(|nth| {
            counted.iter().map(|each| each[nth]).sum::<f64>() / counted.len().max(1) as f64
        })
    }
}

impl Life<'_> {
    /// Simulates the kernel's two lists.
    pub(crate) fn live(self) -> Result<Lived, String> {
        self.live_with(TwoLists::new)
    }

    /// Simulates a single LRU list, the reference's model of a kernel.
    pub(crate) fn live_by_age(self) -> Result<Lived, String> {
        self.live_with(Lru::new)
    }

    /// Simulates a cache of this size, in a world of this size.
    fn live_with<C: Cache>(self, cache: fn(u32, u32) -> C) -> Result<Lived, String> {
        let fleet = fleet(self.files)?;
        let cache = cache(pages(self.cache_pages)?, fleet.pages());
        let readahead = self.way.readahead(self.window_kib);
        Ok(with(readahead, Fated { life: self, fleet, cache }))
    }
}

/// The inputs of a simulation.
struct Fated<'a, C> {
    life: Life<'a>,
    fleet: Fleet,
    cache: C,
}

impl<C: Cache> Simulated for Fated<'_, C> {
    type Told = Lived;

    fn run<R: Readahead + Clone>(self, readahead: &R) -> Lived {
        let Self { life: Life { files, way, cycles, .. }, fleet, cache } = self;
        let mut replay = Replay::new(fleet, cache, way.method(), readahead);
        let cycle = |_| {
            let before = replay.cache().counts();
            replay.cycle();
            replay.cache_mut().write_back_all();
            let counts = replay.cache().counts().since(&before);
            [counts.pages_read(), counts.write_backs].map(|it| it as f64 / f64::from(files.count))
        };
        let cycles = (0..cycles).map(cycle).collect();
        let pages_of_file = files.layout.shape().pages();
        let is_resident = |file, page| replay.cache().is_resident(file * pages_of_file + page);
        let count =
            |file| (0..pages_of_file).filter(|page| is_resident(file, *page)).count() as u64;
        Lived { cycles, resident: (0..files.count).map(count).collect() }
    }
}
