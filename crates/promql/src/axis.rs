//! The times at which a query is evaluated.

/// Evenly spaced times, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// The first time, microseconds since 1970.
    pub(crate) start_micros: i64,
    /// Microseconds from one to the next; what it says of a single time is not used.
    pub(crate) step_micros: i64,
    /// How many there are.
    pub(crate) count: usize,
}

impl Axis {
    /// A single time.
    pub(crate) fn at(time_micros: i64) -> Self {
        Self { start_micros: time_micros, step_micros: 0, count: 1 }
    }

    /// The same time as often as another axis has one.
    pub(crate) fn fixed(time_micros: i64, count: usize) -> Self {
        Self { start_micros: time_micros, step_micros: 0, count }
    }

    /// The time of a step.
    pub(crate) fn time_micros(&self, nth: usize) -> i64 {
        self.start_micros.saturating_add(self.step_micros.saturating_mul(nth as i64))
    }

    /// The last time.
    pub(crate) fn end_micros(&self) -> i64 {
        self.time_micros(self.count - 1)
    }

    /// All times, in order.
    pub(crate) fn times_micros(&self) -> impl ExactSizeIterator<Item = i64> + use<> {
        let axis = *self;
        (0..self.count).map(move |nth| axis.time_micros(nth))
    }

    /// The axis moved into the past.
    pub(crate) fn earlier_by(&self, micros: i64) -> Self {
        Self { start_micros: self.start_micros.saturating_sub(micros), ..*self }
    }
}
