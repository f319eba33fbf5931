//! The number of different pages that other files touch in the meantime, averaged over the
//! positions of their rings.
//!
//! A ring of `rows` that advances by `n` touches a page with `r` of its rows with probability
//! `min(1, (n + r - 1) / rows)`, if all positions are equally likely. A page that several rings
//! share is touched unless none of them reaches it.

use std::collections::HashMap;
use std::rc::Rc;

use super::evenly::Evenly;
use super::life::Life;
use super::schedule::{Moment, Schedule, Step, slots_on};
use super::window::Window;
use crate::trace::{Ring, Shape};

/// The pages that a file of one shape touches in a number of updates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Expected {
    /// The mean.
    pub(super) pages: f64,
    pub(super) variance: f64,
    /// The pages that example files touch, each with other positions of its rings.
    examples: Vec<u64>,
}

impl Expected {
    /// The pages of a random example.
    pub(super) fn example(&self, evenly: &mut Evenly) -> u64 {
        match self.examples.len() as u64 {
            0 => 0,
            count => self.examples[evenly.by_chance(count) as usize],
        }
    }
}

/// The number of example files, which show the variance.
const EXAMPLES: usize = 256;

/// Pages, or indirect blocks, with the same rows of the same rings.
#[derive(Clone, Debug, PartialEq)]
struct Alike {
    count: u32,
    /// Each ring's index and its number of rows there.
    rows: Vec<(usize, u64)>,
}

/// Files of one shape, seen as neighbours.
#[derive(Clone, Debug)]
pub(super) struct Neighbours<'a> {
    shape: &'a Shape,
    schedule: &'a Schedule,
    /// Pages that every update touches.
    always: f64,
    alike: Vec<Alike>,
    known: HashMap<Vec<u64>, Rc<Expected>>,
    evenly: Evenly,
    window: Window,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(shape: &'a Shape, schedule: &'a Schedule) -> Self {
        let always = |page: u32| schedule.steps.contains(&Step::Page(page));
        let mut found = Self {
            shape,
            schedule,
            always: 0.0,
            alike: Vec::new(),
            known: HashMap::new(),
            evenly: Evenly::new(shape.archives()),
            window: Window::default(),
        };
        found.always += f64::from(u8::from(shape.has_inode()));
        for page in 0..shape.data_pages() {
            found.add(page, page, always(page));
        }
        for (first, last) in shape.indirect_ranges() {
            let last = last.min(shape.data_pages() - 1);
            let leads_to =
                |step: &Step| matches!(step, Step::Page(page) if (first..=last).contains(page));
            found.add(first, last, schedule.steps.iter().any(leads_to));
        }
        found
    }

    fn add(&mut self, first: u32, last: u32, is_always: bool) {
        if is_always {
            self.always += 1.0;
            return;
        }
        let rings = self.shape.rings().iter().enumerate();
        let on_it = |(index, ring): (usize, &Ring)| {
            let (low, high) = slots_on(self.shape, ring, first, last)?;
            Some((index, high - low + 1))
        };
        let rows: Vec<(usize, u64)> = rings.filter_map(on_it).collect();
        match self.alike.last_mut() {
            Some(before) if before.rows == rows => before.count += 1,
            _ => self.alike.push(Alike { count: 1, rows }),
        }
    }

    /// The pages that one file touches in the updates `first` to `last`.
    pub(super) fn expected(&mut self, first: u64, last: u64) -> Rc<Expected> {
        if first > last {
            return Rc::default();
        }
        let rings = self.shape.rings().iter();
        let rows = |ring: &Ring| last / ring.pdp_per_row - (first - 1) / ring.pdp_per_row;
        let counts: Vec<u64> = rings.map(|ring| rows(ring).min(ring.rows)).collect();
        if let Some(known) = self.known.get(&counts) {
            return Rc::clone(known);
        }
        let pages = self.mean(&counts);
        let examples = self.examples(first, last);
        let square = |each: &u64| (*each as f64 - pages).powi(2);
        let variance = examples.iter().map(square).sum::<f64>() / EXAMPLES as f64;
        let expected = Rc::new(Expected { pages, variance, examples });
        self.known.insert(counts, Rc::clone(&expected));
        expected
    }

    fn mean(&self, counts: &[u64]) -> f64 {
        let comes_there = |&(index, rows): &(usize, u64)| match counts[index] {
            0 => 0.0,
            count => ((count + rows - 1) as f64 / self.shape.rings()[index].rows as f64).min(1.0),
        };
        let touched = |alike: &Alike| {
            let missed: f64 = alike.rows.iter().map(|ring| 1.0 - comes_there(ring)).product();
            f64::from(alike.count) * (1.0 - missed)
        };
        self.always + self.alike.iter().map(touched).sum::<f64>()
    }

    fn examples(&mut self, first: u64, last: u64) -> Vec<u64> {
        let after = Moment { update: first - 1, place: self.schedule.end() };
        let before = Moment { update: last, place: self.schedule.end() };
        let rings = self.shape.rings();
        let mut of_file = || {
            self.evenly.next();
            let offset = |(index, ring): (usize, &Ring)| self.evenly.below(index, ring.rows);
            let offsets: Vec<u64> = rings.iter().enumerate().map(offset).collect();
            let life = Life { shape: self.shape, schedule: self.schedule, offsets: &offsets };
            self.window.pages(&life, after, before)
        };
        (0..EXAMPLES).map(|_| of_file()).collect()
    }
}

/// The whole updates of a file with another turn between two moments of a given file, numbered as
/// its own updates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) own_step_seconds: u64,
    pub(super) other_step_seconds: u64,
    /// Whether its turn comes after the given file's, at the same time.
    pub(super) is_later: bool,
}

impl Turn {
    pub(super) fn updates(&self, after: Moment, before: Moment) -> (u64, u64) {
        let (from, to) =
            (after.update * self.own_step_seconds, before.update * self.own_step_seconds);
        let step = self.other_step_seconds;
        if self.is_later {
            // Included at the first moment, excluded at the last.
            (from.div_ceil(step), to.div_ceil(step) - 1)
        } else {
            (from / step + 1, to / step)
        }
    }
}
