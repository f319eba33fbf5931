//! Samples every kind of reference at evenly spread times and positions, with its stack distance.

use super::evenly::Evenly;
use super::life::Life;
use super::neighbours::{Neighbours, Turn};
use super::sample::{DAY_SECONDS, Precision, Sample};
use super::schedule::{Moment, Part, Region, Schedule, Step, slots_on};
use super::window::Window;
use crate::trace::{Group, Shape};

/// Up to this many files, each neighbour is calculated separately, with random positions.
const FILES_APART_MAX: u64 = 6;
/// Up to this many files, each is a random example; for more, the sum is normally distributed.
const FILES_DRAWN_MAX: u64 = 64;
/// The dimensions that are sampled evenly: the time, the file's turn, the position of each ring.
const TIME: usize = 0;
const TURN: usize = 1;
const RINGS: usize = 2;
/// The sampled update: so far from the epoch that every ring has wrapped.
const NOW: u64 = 1 << 40;
/// The largest hyperperiod that is sampled evenly.
const HYPERPERIOD_MAX: u64 = 1 << 38;

/// Takes the samples for one group's files.
pub(super) struct Sampler<'a> {
    groups: &'a [Group],
    schedules: &'a [Schedule],
    neighbours: Vec<Neighbours<'a>>,
    group: usize,
    /// The number of updates until all archives are at the same phase again.
    hyperperiod: u64,
    evenly: Evenly,
    window: Window,
    offsets: Vec<u64>,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(groups: &'a [Group], schedules: &'a [Schedule], group: usize) -> Self {
        let neighbours = groups.iter().zip(schedules);
        let neighbours = neighbours.map(|(group, of)| Neighbours::new(&group.shape, of)).collect();
        Self {
            groups,
            schedules,
            neighbours,
            group,
            hyperperiod: hyperperiod(groups, group),
            evenly: Evenly::new(RINGS + groups[group].shape.archives()),
            window: Window::default(),
            offsets: Vec::new(),
        }
    }

    fn shape(&self) -> &'a Shape {
        &self.groups[self.group].shape
    }

    pub(super) fn take_all(&mut self, precision: Precision, samples: &mut Vec<Sample>) {
        let (shape, schedule) = (self.shape(), &self.schedules[self.group]);
        let updates_a_day = DAY_SECONDS / shape.step_seconds() as f64;
        for (step, what) in schedule.steps.iter().enumerate() {
            let Step::Row(archive) = *what else {
                self.take_fixed(step, *what, updates_a_day, precision.of_rows / 4, samples);
                continue;
            };
            let rows_a_day = updates_a_day / shape.rings()[archive].pdp_per_row as f64;
            self.take_rows(step, archive, rows_a_day, precision.of_rows, samples);
            self.take_new_pages(step, archive, rows_a_day, precision.of_new_pages, samples);
        }
    }

    /// A page that every update touches.
    fn take_fixed(
        &mut self,
        step: usize,
        what: Step,
        a_day: f64,
        count: u32,
        samples: &mut Vec<Sample>,
    ) {
        for _ in 0..count {
            let update = NOW + self.evenly.next().below(TIME, self.hyperperiod);
            self.offset_rings();
            let per_day = a_day / f64::from(count);
            match what {
                Step::Page(page) => {
                    self.take_indirect(step, update, (page, page), per_day, samples);
                    self.take(step, update, data(page), per_day, samples);
                }
                _ => self.take(step, update, Region::Inode, per_day, samples),
            }
        }
    }

    /// A row in the same page as the row before; and its indirect blocks.
    fn take_rows(
        &mut self,
        step: usize,
        archive: usize,
        a_day: f64,
        count: u32,
        samples: &mut Vec<Sample>,
    ) {
        let shape = self.shape();
        let ring = &shape.rings()[archive];
        let per_day = a_day / f64::from(count);
        for nth in 0..count {
            let slot = self.evenly.next().part_below(nth, count, ring.rows);
            let update = self.put(archive, slot);
            let (low, high) = shape.pages_of_rows(ring, slot, 1);
            self.take_indirect(step, update, (low, high), per_day, samples);
            for page in low..=high {
                let on_page = slots_on(shape, ring, page, page);
                if on_page.is_some_and(|(first, _)| first != slot) {
                    self.take(step, update, data(page), per_day, samples);
                }
            }
        }
    }

    /// The first row in a page.
    fn take_new_pages(
        &mut self,
        step: usize,
        archive: usize,
        a_day: f64,
        count: u32,
        samples: &mut Vec<Sample>,
    ) {
        let shape = self.shape();
        let ring = &shape.rings()[archive];
        let (low, high) = shape.pages_of_rows(ring, 0, ring.rows);
        let pages = high - low + 1;
        let count = count.max(pages.min(4 * count));
        let per_day = a_day * f64::from(pages) / ring.rows as f64 / f64::from(count);
        for nth in 0..count {
            let page = low + (u64::from(nth) * u64::from(pages) / u64::from(count)) as u32;
            let Some((slot, _)) = slots_on(shape, ring, page, page) else { continue };
            self.evenly.next();
            let update = self.put(archive, slot);
            self.take(step, update, data(page), per_day, samples);
        }
    }

    /// Sets the position of an archive's ring at some update; the other rings get random positions.
    fn put(&mut self, archive: usize, slot: u64) -> u64 {
        let ring = self.shape().rings()[archive];
        let periods = (self.hyperperiod / ring.pdp_per_row).max(1);
        let row = NOW / self.hyperperiod * periods + self.evenly.below(TIME, periods);
        self.offset_rings();
        self.offsets[archive] = (slot + ring.rows - row % ring.rows) % ring.rows;
        row * ring.pdp_per_row
    }

    fn offset_rings(&mut self) {
        let shape = self.shape();
        self.offsets.clear();
        for (index, ring) in shape.rings().iter().enumerate() {
            self.offsets.push(self.evenly.below(RINGS + index, ring.rows));
        }
    }

    fn take_indirect(
        &mut self,
        step: usize,
        update: u64,
        (low, high): (u32, u32),
        per_day: f64,
        samples: &mut Vec<Sample>,
    ) {
        for page in low..=high {
            for block in self.shape().indirect_blocks(page).blocks() {
                let (first, last) = self.shape().range_of_indirect_block(*block);
                let region = Region::Pages { first, last, part: Part::Indirect };
                self.take(step, update, region, per_day, samples);
            }
        }
    }

    fn take(
        &mut self,
        step: usize,
        update: u64,
        region: Region,
        per_day: f64,
        samples: &mut Vec<Sample>,
    ) {
        let part = match region {
            Region::Pages { part, .. } => part,
            Region::Inode => Part::Data,
        };
        let now = Moment { update, place: Schedule::place(step, part) };
        let schedule = &self.schedules[self.group];
        let life = Life { shape: self.shape(), schedule, offsets: &self.offsets };
        let last = life.last_touch(region, now);
        let own = self.window.pages(&life, last, now) + 1;
        let (others, variance) = self.others(last, now);
        samples.push(Sample {
            group: self.group,
            is_metadata: region == Region::Inode || part == Part::Indirect,
            per_day,
            distance: own as f64 + others,
            deviation: variance.sqrt(),
        });
    }

    /// The pages that all other files touch between two moments, and the variance.
    fn others(&mut self, last: Moment, now: Moment) -> (f64, f64) {
        let files: u64 = self.groups.iter().map(|group| u64::from(group.files)).sum();
        let own = self.evenly.below(TURN, u64::from(self.groups[self.group].files));
        let (mut pages, mut variance) = (0.0, 0.0);
        for group in 0..self.groups.len() {
            let all = u64::from(self.groups[group].files);
            let (earlier, later) = match group.cmp(&self.group) {
                std::cmp::Ordering::Less => (all, 0),
                std::cmp::Ordering::Equal => (own, all - own - 1),
                std::cmp::Ordering::Greater => (0, all),
            };
            for (count, is_later) in [(earlier, false), (later, true)] {
                let turn = Turn {
                    own_step_seconds: self.shape().step_seconds(),
                    other_step_seconds: self.groups[group].shape.step_seconds(),
                    is_later,
                };
                let (first, last) = turn.updates(last, now);
                if files <= FILES_APART_MAX {
                    pages += self.pages_apart(group, count, first, last);
                } else if files <= FILES_DRAWN_MAX {
                    let expected = self.neighbours[group].expected(first, last);
                    let example = |_| expected.example(&mut self.evenly);
                    pages += (0..count).map(example).sum::<u64>() as f64;
                } else {
                    let expected = self.neighbours[group].expected(first, last);
                    pages += count as f64 * expected.pages;
                    variance += count as f64 * expected.variance;
                }
            }
        }
        (pages, variance)
    }

    /// The pages that files of a group touch in the updates `first` to `last`, with random
    /// positions.
    fn pages_apart(&mut self, group: usize, files: u64, first: u64, last: u64) -> f64 {
        if first > last {
            return 0.0;
        }
        let (shape, schedule) = (&self.groups[group].shape, &self.schedules[group]);
        let after = Moment { update: first - 1, place: schedule.end() };
        let before = Moment { update: last, place: schedule.end() };
        let mut pages = 0;
        for _ in 0..files {
            let rings = shape.rings().iter();
            let offsets: Vec<u64> = rings.map(|ring| self.evenly.by_chance(ring.rows)).collect();
            let life = Life { shape, schedule, offsets: &offsets };
            pages += self.window.pages(&life, after, before);
        }
        pages as f64
    }
}

fn data(page: u32) -> Region {
    Region::Pages { first: page, last: page, part: Part::Data }
}

/// The number of a group's updates until all archives of all groups are at the same phase again.
fn hyperperiod(groups: &[Group], group: usize) -> u64 {
    let own_step_seconds = groups[group].shape.step_seconds();
    let row_seconds = |group: &Group| {
        let step_seconds = group.shape.step_seconds();
        group.shape.rings().iter().map(move |ring| ring.pdp_per_row * step_seconds).collect()
    };
    let all = groups.iter().flat_map(|group| -> Vec<u64> { row_seconds(group) });
    all.fold(own_step_seconds, least_common_multiple) / own_step_seconds
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b).filter(|multiple| *multiple < HYPERPERIOD_MAX).unwrap_or(a.max(b))
}
