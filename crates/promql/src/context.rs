//! What all parts of an evaluation share: the source, the bounds, and what is to be told.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use series::Source;

use crate::axis::Axis;
use crate::error::Failed;

/// So much work lies between two looks at the deadline.
const WORK_BETWEEN_LOOKS: u64 = 1 << 18;
/// So many notes go with an answer.
const INFOS_MAX: usize = 10;

/// What a query may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps of a range query.
    pub steps: usize,
    /// Values that are read or calculated for a query, those in between too.
    pub values: u64,
}

/// Those of Prometheus.
impl Default for Limits {
    fn default() -> Self {
        Self { steps: 11_000, values: 50_000_000 }
    }
}

/// The times that a query is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Each of them.
    pub(crate) axis: Axis,
    /// The end that was given; the last of them may be before it.
    pub(crate) end_micros: i64,
}

/// What all parts of an evaluation share.
pub(crate) struct Context<'a> {
    pub(crate) source: &'a dyn Source,
    /// What was asked for: `start()` and `end()` mean it within subqueries too.
    pub(crate) asked: Asked,
    goes_on: &'a dyn Fn() -> bool,
    limit: u64,
    values: Cell<u64>,
    work: Cell<u64>,
    infos: RefCell<BTreeSet<String>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        source: &'a dyn Source,
        asked: Asked,
        limits: &Limits,
        goes_on: &'a dyn Fn() -> bool,
    ) -> Self {
        let (values, work) = (Cell::new(0), Cell::new(0));
        Self {
            source,
            asked,
            goes_on,
            limit: limits.values,
            values,
            work,
            infos: RefCell::default(),
        }
    }

    /// Counts values that are about to be made.
    ///
    /// # Errors
    ///
    /// They are too many, or the deadline passed.
    pub(crate) fn take_values(&self, series: usize, width: usize) -> Result<(), Failed> {
        let count = (series as u64).saturating_mul(width as u64);
        self.values.set(self.values.get().saturating_add(count));
        if self.values.get() > self.limit {
            return Err(Failed::TooMuch { limit: self.limit });
        }
        self.work(count)
    }

    /// Counts looks at values.
    ///
    /// # Errors
    ///
    /// The deadline passed.
    pub(crate) fn work(&self, count: u64) -> Result<(), Failed> {
        self.work.set(self.work.get().saturating_add(count).saturating_add(1));
        if self.work.get() < WORK_BETWEEN_LOOKS {
            return Ok(());
        }
        self.work.set(0);
        if (self.goes_on)() { Ok(()) } else { Err(Failed::Timeout) }
    }

    /// Notes what the reader of the answer should know.
    pub(crate) fn tell(&self, info: impl FnOnce() -> String) {
        if self.infos.borrow().len() < INFOS_MAX {
            self.infos.borrow_mut().insert(info());
        }
    }

    /// The notes, sorted.
    pub(crate) fn into_infos(self) -> Vec<String> {
        self.infos.into_inner().into_iter().collect()
    }
}
