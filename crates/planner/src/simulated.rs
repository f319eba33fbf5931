//! A few hundred files that stand for all: which pages they read and write, in a page cache that is
//! smaller in the same proportion.
//!
//! What a cache does to files depends on pages a file, not on how many files there are, once there
//! are many. So the kernel's two lists, with its readahead, are gone through for [`FILES`] files:
//! first until every archive has had its longest row and the cache is as it will stay, then once
//! more, counted.

use capacity::cache::{Cache as _, Counts, TwoLists};
use capacity::policy::{NoReadahead, OnDemand, ReadAround, Readahead};
use capacity::replay::{Method, Replay};
use capacity::trace::{self, BlockMap, Group, Scatter, Shape};

use crate::{Access, Fleet, FleetGroup, PlanError};

pub(crate) const PAGE_BYTES: u64 = 4096;
/// Files that stand for all.
const FILES: u64 = 384;
/// The most updates that are gone through, first to warm up and then as many to count: a day of all
/// files once a minute.
const UPDATES_MAX: u64 = FILES * 1440;
/// When a simulation begins, in seconds: a midnight UTC.
const START_SECONDS: u64 = 1_799_971_200;
const SEED: u64 = 0x005e_ed0f_9a9e;
/// Seconds that a dirty page waits until it is written: the kernel's `dirty_expire_centisecs` and
/// `dirty_writeback_centisecs`, as they are unless somebody changes them.
const WRITE_BACK_SECONDS: u64 = 35;

/// What each update of a file does, in each group of a fleet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PagesOfUpdate {
    /// Pages read: the mean.
    pub(crate) read: PagesRead,
    /// In the turn that reads most.
    pub(crate) read_max: PagesRead,
    /// In the first turn, with nothing in memory.
    pub(crate) read_first: PagesRead,
    /// Pages written.
    pub(crate) written: f64,
}

/// Pages that an update reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(crate) struct PagesRead {
    /// All, those included that nobody asked for.
    pub(crate) pages: f64,
    /// Those that somebody waits for.
    pub(crate) waits: f64,
}

impl PagesRead {
    fn of(counts: &Counts, updates: f64) -> Self {
        let pages = counts.pages_read() as f64 / updates;
        Self { pages, waits: counts.page_ins as f64 / updates }
    }
}

/// What the updates of each group do, if all files together have so many pages of page cache, and
/// each is updated once in so many seconds.
pub(crate) fn pages_of_updates(
    fleet: &Fleet,
    cadences_seconds: &[u64],
    access: Access,
    readahead_bytes: u64,
    cache_pages: u64,
) -> Result<Vec<PagesOfUpdate>, PlanError> {
    let few = few(fleet)?;
    let files: u64 = few.iter().map(|group| u64::from(group.files)).sum();
    let scale = files as f64 / fleet.databases() as f64;
    let fleet = trace::Fleet::with_cadences(
        few,
        cadences_seconds.to_vec(),
        START_SECONDS,
        Scatter::ByChance(SEED),
    )
    .ok_or(PlanError::TooLarge { group: 0 })?;
    let small_pages = (cache_pages as f64 * scale).round().max(1.0);
    let small_pages = (small_pages as u32).min(fleet.pages());
    let cache = TwoLists::standing_for(cache_pages.max(1), small_pages, fleet.pages());
    let window_pages = (readahead_bytes / PAGE_BYTES).clamp(1, 1 << 20) as u32;
    let window = match (access.has_advice, access.method) {
        (true, _) => return Ok(run(fleet, cache, access.method, &NoReadahead, cadences_seconds)),
        (false, Method::Mapping) => {
            let around = ReadAround::new(window_pages);
            return Ok(run(fleet, cache, access.method, &around, cadences_seconds));
        }
        (false, _) => OnDemand::new(window_pages),
    };
    Ok(run(fleet, cache, access.method, &window, cadences_seconds))
}

/// A few files of each group: its share, but one at least.
fn few(fleet: &Fleet) -> Result<Vec<Group>, PlanError> {
    let all = fleet.databases();
    let groups = fleet.groups.iter().enumerate().map(|(nth, group)| {
        let share = group.databases as f64 / all as f64 * FILES as f64;
        let files = (share.round() as u64).max(1).min(group.databases.max(1));
        Ok(Group { shape: shape(nth, group)?, files: files as u32 })
    });
    groups.collect()
}

/// The pages of a group's files.
pub(crate) fn shape(nth: usize, group: &FleetGroup) -> Result<Shape, PlanError> {
    let shape = Shape::new(&group.definition, PAGE_BYTES, BlockMap::DataOnly);
    shape.ok_or(PlanError::TooLarge { group: nth })
}

fn run<R: Readahead + Clone>(
    fleet: trace::Fleet,
    cache: TwoLists,
    method: Method,
    readahead: &R,
    cadences_seconds: &[u64],
) -> Vec<PagesOfUpdate> {
    let turns = turns_of_a_period(&fleet, cadences_seconds);
    let files: Vec<f64> = fleet.groups().iter().map(|group| f64::from(group.files)).collect();
    let mut replay = Replay::new(fleet, cache, method, readahead);
    let mut seen = vec![Seen::default(); files.len()];
    for turn in 0..2 * turns {
        let (group, now_seconds) = replay.fleet().next_turn();
        let before = replay.cache().counts();
        replay.cycle();
        if is_written(now_seconds, cadences_seconds[group]) {
            replay.cache_mut().write_back_all();
        }
        seen[group].take(replay.cache().counts().since(&before), files[group], turn >= turns);
    }
    seen.iter().zip(files).map(|(seen, files)| seen.of_update(files)).collect()
}

/// Whether what is dirty is written before the same files come again.
fn is_written(now_seconds: u64, cadence_seconds: u64) -> bool {
    let window = |seconds: u64| seconds / WRITE_BACK_SECONDS;
    cadence_seconds >= WRITE_BACK_SECONDS
        || window(now_seconds) != window(now_seconds + cadence_seconds)
}

/// What the turns of a group did.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    first: Option<PagesRead>,
    turns: u64,
    sum: Counts,
    read_max: PagesRead,
}

impl Seen {
    fn take(&mut self, counts: Counts, files: f64, is_counted: bool) {
        let read = PagesRead::of(&counts, files);
        self.first.get_or_insert(read);
        if is_counted {
            self.turns += 1;
            self.sum = self.sum.plus(&counts);
            if read > self.read_max {
                self.read_max = read;
            }
        }
    }

    fn of_update(&self, files: f64) -> PagesOfUpdate {
        let updates = files * self.turns.max(1) as f64;
        PagesOfUpdate {
            read: PagesRead::of(&self.sum, updates),
            read_max: self.read_max,
            read_first: self.first.unwrap_or_default(),
            written: self.sum.write_backs as f64 / updates,
        }
    }
}

/// Turns until all archives of all groups are at the same place again, as far as that can be gone
/// through.
fn turns_of_a_period(fleet: &trace::Fleet, cadences_seconds: &[u64]) -> u64 {
    let groups = || fleet.groups().iter().zip(cadences_seconds);
    let period = groups().fold(1, |period, (group, cadence)| {
        lcm(lcm(period, *cadence), group.shape.period_seconds())
    });
    let turns =
        |seconds: u64| groups().map(|(_, cadence)| seconds / cadence).fold(0, u64::saturating_add);
    let updates =
        |(group, cadence): (&Group, &u64)| (period / cadence).saturating_mul(group.files.into());
    let updates = groups().map(updates).fold(0, u64::saturating_add);
    let times_too_long = updates.div_ceil(UPDATES_MAX).max(1);
    // Each group gets a turn at least.
    turns(period / times_too_long).max(cadences_seconds.len() as u64)
}

fn lcm(a: u64, b: u64) -> u64 {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    (a / gcd(a, b)).saturating_mul(b)
}
