//! Values at even steps.

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its start, microseconds since 1970; what ends then is not in it.
    pub start_micros: i64,
    /// Its end, microseconds since 1970; what ends then is in it.
    pub end_micros: i64,
}

/// Values of a series at even steps, oldest first.
///
/// A row of a round robin database says what was measured in the step that ends at its time: the
/// value at `end_micros(nth)` stands for the time after `end_micros(nth) - step_micros` up to then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// When the step of the first row begins, microseconds since 1970.
    pub start_micros: i64,
    /// Microseconds of a step, at least 1 where there is a row.
    pub step_micros: i64,
    /// The values; NaN is unknown.
    pub values: Vec<f64>,
}

impl Rows {
    /// When the step of a row ends.
    #[must_use]
    pub fn end_micros(&self, nth: usize) -> i64 {
        self.start_micros + (nth as i64 + 1) * self.step_micros
    }

    /// The known values with the time at which each one's step ends.
    pub fn known(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        let known = self.values.iter().enumerate().filter(|(_, value)| !value.is_nan());
        known.map(|(nth, value)| (self.end_micros(nth), *value))
    }
}
