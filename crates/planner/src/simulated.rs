//! Simulates a few hundred files in place of all: which pages they read and write, in a page cache
//! that is scaled down in the same proportion.
//!
//! The effect of a cache depends on the pages for each file, not on the number of files, once there
//! are many. So at least [`FILES`] files are simulated with the kernel's two lists and readahead:
//! first until every archive has written its longest row and the cache has settled, then once more
//! with counting. This is done for a few sizes of the cache around the planned one, and the mean is
//! taken. The memory of a real machine varies, and where one page a file more or less halves the
//! reads, a single size would be too optimistic.

use capacity::cache::{Cache as _, Counts, TwoLists};
use capacity::policy::{NoReadahead, OnDemand, ReadAround, Readahead};
use capacity::replay::{Method, Replay};
use capacity::trace::{self, BlockMap, Group, Scatter, Shape, Turns};

use crate::{Access, Fleet, FleetGroup, PlanError};

pub(crate) const PAGE_BYTES: u64 = 4096;
/// The number of simulated files: fewer if each is written often, more if it is not.
const FILES: u64 = 128;
const FILES_MAX: u64 = 1024;
/// The least number of simulated updates, as long as there are files for them.
const UPDATES_MIN: u64 = FILES * 288;
/// The simulated sizes of the cache, relative to the planned one.
const SIZES: [f64; 5] = [0.95, 0.975, 1.0, 1.025, 1.05];
/// The most simulated updates to warm up, and the most to count: a day of all files once a minute.
const UPDATES_MAX: u64 = FILES * 1440;
/// The start of a simulation in seconds: midnight UTC.
const START_SECONDS: u64 = 1_799_971_200;
const SEED: u64 = 0x005e_ed0f_9a9e;
/// Seconds until a dirty page is written: the defaults of the kernel's `dirty_expire_centisecs` and
/// `dirty_writeback_centisecs`.
const WRITE_BACK_SECONDS: u64 = 35;

/// The effect of an update of a file, for each group of a fleet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PagesOfUpdate {
    /// The mean number of pages read.
    pub(crate) read: PagesRead,
    /// Pages read in the turn with the most reads.
    pub(crate) read_max: PagesRead,
    /// Pages read in the first turn, with an empty cache.
    pub(crate) read_first: PagesRead,
    /// Pages written.
    pub(crate) written: f64,
}

/// Pages that an update reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(crate) struct PagesRead {
    /// All pages, including readahead.
    pub(crate) pages: f64,
    /// Pages that the update waits for.
    pub(crate) waits: f64,
}

impl PagesRead {
    fn of(counts: &Counts, updates: f64) -> Self {
        let pages = counts.pages_read() as f64 / updates;
        Self { pages, waits: counts.page_ins as f64 / updates }
    }
}

/// The times at which the files of a group are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rhythm {
    /// Seconds between two writes of a file.
    pub(crate) every_seconds: u64,
    /// The number of parts of the files; the parts are written at different times, evenly spread.
    pub(crate) parts: u64,
}

/// The effect of the writes of each group, if all files together have this page cache.
pub(crate) fn pages_of_updates(
    fleet: &Fleet,
    rhythms: &[Rhythm],
    access: Access,
    readahead_bytes: u64,
    cache_pages: u64,
) -> Result<Vec<PagesOfUpdate>, PlanError> {
    let alike = Alike::of(fleet, rhythms)?;
    let parts = alike.few();
    let window_pages = (readahead_bytes / PAGE_BYTES).clamp(1, 1 << 20) as u32;
    let mut seen = vec![Seen::default(); alike.kinds.len()];
    for (nth, size) in SIZES.into_iter().enumerate() {
        let cache_pages = (cache_pages as f64 * size) as u64;
        let small = Small::of(&parts, access.method, cache_pages, SEED + nth as u64);
        let small = small.ok_or(PlanError::TooLarge { group: 0 })?;
        match (access.has_advice, access.method) {
            (true, _) => small.run(&NoReadahead, &mut seen),
            (false, Method::Mapping) => small.run(&ReadAround::new(window_pages), &mut seen),
            (false, _) => small.run(&OnDemand::new(window_pages), &mut seen),
        }
    }
    Ok(alike.of_group.iter().map(|kind| seen[*kind].of_update()).collect())
}

/// Files with the same pages and rhythm, regardless of their groups.
struct Alike {
    kinds: Vec<(Shape, Rhythm, u64)>,
    /// The kind of each group's files.
    of_group: Vec<usize>,
}

/// Some of the simulated files of one kind, which are written together.
#[derive(Clone, Debug)]
struct Part {
    kind: usize,
    group: Group,
    turns: Turns,
    /// The number of real files that each simulated file represents.
    stands_for: f64,
}

impl Alike {
    fn of(fleet: &Fleet, rhythms: &[Rhythm]) -> Result<Self, PlanError> {
        let mut alike = Self { kinds: Vec::new(), of_group: Vec::new() };
        for (nth, (group, rhythm)) in fleet.groups.iter().zip(rhythms).enumerate() {
            let shape = shape(nth, group)?;
            let mut known = alike.kinds.iter();
            let same = known.position(|(known, its, _)| *known == shape && its == rhythm);
            let at = same.unwrap_or_else(|| {
                alike.kinds.push((shape, *rhythm, 0));
                alike.kinds.len() - 1
            });
            alike.kinds[at].2 += group.databases;
            alike.of_group.push(at);
        }
        Ok(alike)
    }

    /// The simulated files: each kind has its share, but at least one file in each part.
    fn few(&self) -> Vec<Part> {
        let all: u64 = self.kinds.iter().map(|(_, _, files)| files).sum();
        let period = self.kinds.iter().fold(1, |period, (shape, rhythm, _)| {
            lcm(lcm(period, rhythm.every_seconds), shape.period_seconds())
        });
        let seldom = self.kinds.iter().map(|(_, rhythm, _)| period / rhythm.every_seconds).min();
        let few_files = (UPDATES_MIN / seldom.unwrap_or(1).max(1)).clamp(FILES, FILES_MAX);
        let mut few = Vec::new();
        for (kind, (shape, rhythm, files)) in self.kinds.iter().enumerate() {
            let share = *files as f64 / all.max(1) as f64 * few_files as f64;
            let parts = rhythm.parts.clamp(1, (share as u64).max(1));
            let each = ((share / parts as f64).round() as u32).max(1);
            for part in 0..parts {
                let Rhythm { every_seconds, .. } = *rhythm;
                let after_seconds = every_seconds / parts * part;
                let turns = Turns { every_seconds, after_seconds };
                let group = Group { shape: shape.clone(), files: each };
                let stands_for = *files as f64 / (parts * u64::from(each)) as f64;
                few.push(Part { kind, group, turns, stands_for });
            }
        }
        few
    }
}

/// The pages of a group's files.
pub(crate) fn shape(nth: usize, group: &FleetGroup) -> Result<Shape, PlanError> {
    let shape = Shape::new(&group.definition, PAGE_BYTES, BlockMap::DataOnly);
    shape.ok_or(PlanError::TooLarge { group: nth })
}

/// The simulated files and their cache.
struct Small<'a> {
    fleet: trace::Fleet,
    cache: TwoLists,
    method: Method,
    parts: &'a [Part],
}

impl<'a> Small<'a> {
    fn of(parts: &'a [Part], method: Method, cache_pages: u64, seed: u64) -> Option<Self> {
        let groups = parts.iter().map(|part| part.group.clone()).collect();
        let turns = parts.iter().map(|part| part.turns).collect();
        let scatter = Scatter::ByChance(seed);
        let fleet = trace::Fleet::with_turns(groups, turns, START_SECONDS, scatter)?;
        let files = |part: &Part| f64::from(part.group.files);
        let few: f64 = parts.iter().map(files).sum();
        let all: f64 = parts.iter().map(|part| files(part) * part.stands_for).sum();
        let pages = (cache_pages as f64 * few / all).round().max(1.0) as u32;
        let pages = pages.min(fleet.pages());
        let cache = TwoLists::standing_for(cache_pages.max(1), pages, fleet.pages());
        Some(Self { fleet, cache, method, parts })
    }

    /// Adds the effect of the updates of each kind.
    fn run<R: Readahead + Clone>(self, readahead: &R, seen: &mut [Seen]) {
        let Self { fleet, cache, method, parts } = self;
        let mut cold = Replay::new(fleet.clone(), cache.clone(), method, readahead);
        let mut waiting: Vec<usize> = (0..parts.len()).collect();
        while !waiting.is_empty() {
            let (nth, counts) = turn(&mut cold, parts);
            if let Some(at) = waiting.iter().position(|part| *part == nth) {
                waiting.swap_remove(at);
                seen[parts[nth].kind].first.add(&counts, f64::from(parts[nth].group.files));
            }
        }
        let turns = turns_of_a_period(parts);
        let mut warm = Replay::new(fleet, cache, method, readahead);
        // Pages that recur once in a turn of a long ring were used before, too.
        for page in warm.fleet().pages_by_age() {
            warm.cache_mut().read_ahead(page);
        }
        for number in 0..2 * turns {
            let (nth, counts) = turn(&mut warm, parts);
            if number >= turns {
                seen[parts[nth].kind].take(&counts, f64::from(parts[nth].group.files));
            }
        }
    }
}

/// Updates the files of the part whose turn it is; returns the effect.
fn turn<R: Readahead + Clone>(replay: &mut Replay<TwoLists, R>, parts: &[Part]) -> (usize, Counts) {
    let (nth, now_seconds) = replay.fleet().next_turn();
    let before = replay.cache().counts();
    replay.cycle();
    if is_written(now_seconds, parts[nth].turns.every_seconds) {
        replay.cache_mut().write_back_all();
    }
    (nth, replay.cache().counts().since(&before))
}

/// Whether dirty pages are written before the same files are updated again.
fn is_written(now_seconds: u64, every_seconds: u64) -> bool {
    let window = |seconds: u64| seconds / WRITE_BACK_SECONDS;
    every_seconds >= WRITE_BACK_SECONDS
        || window(now_seconds) != window(now_seconds + every_seconds)
}

/// The effect of the turns of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    first: Sum,
    counted: Sum,
    read_max: PagesRead,
}

/// Sums over updates.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    counts: Counts,
    updates: f64,
}

impl Sum {
    fn add(&mut self, counts: &Counts, updates: f64) {
        self.counts = self.counts.plus(counts);
        self.updates += updates;
    }

    fn read(&self) -> PagesRead {
        PagesRead::of(&self.counts, self.updates.max(1.0))
    }

    fn written(&self) -> f64 {
        self.counts.write_backs as f64 / self.updates.max(1.0)
    }
}

impl Seen {
    fn take(&mut self, counts: &Counts, files: f64) {
        self.counted.add(counts, files);
        let read = PagesRead::of(counts, files);
        if read > self.read_max {
            self.read_max = read;
        }
    }

    fn of_update(&self) -> PagesOfUpdate {
        PagesOfUpdate {
            read: self.counted.read(),
            read_max: self.read_max,
            read_first: self.first.read(),
            written: self.counted.written(),
        }
    }
}

/// The number of turns until all archives of all parts are at the same phase again, limited to what
/// can be simulated; at least one turn for each part.
fn turns_of_a_period(parts: &[Part]) -> u64 {
    let every = |part: &Part| part.turns.every_seconds;
    let period = parts
        .iter()
        .fold(1, |period, part| lcm(lcm(period, every(part)), part.group.shape.period_seconds()));
    let sum = |of: &dyn Fn(&Part) -> u64| parts.iter().map(of).fold(0, u64::saturating_add);
    let updates = sum(&|part| (period / every(part)).saturating_mul(part.group.files.into()));
    let seconds = period / updates.div_ceil(UPDATES_MAX).max(1);
    sum(&|part| seconds / every(part)).max(parts.len() as u64)
}

/// The least common multiple, if there is one below 2^64.
fn lcm(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).saturating_mul(b)
}
