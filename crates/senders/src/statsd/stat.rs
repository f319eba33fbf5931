//! What is known of one name.

use std::collections::HashSet;

use super::line::{Measure, Number};

/// What came of a name in this interval.
#[derive(Debug)]
pub(super) enum Stat {
    Counter(f64),
    /// Kept from one interval to the next.
    Gauge(f64),
    Timer(Box<Timer>),
    /// Hashes of the values.
    Set(HashSet<u64>),
}

impl Stat {
    pub(super) fn new(measure: Measure) -> Self {
        match measure {
            Measure::Counter => Self::Counter(0.0),
            Measure::Gauge => Self::Gauge(0.0),
            Measure::Timer => Self::Timer(Box::default()),
            Measure::Set => Self::Set(HashSet::new()),
        }
    }

    /// Takes a number. Says whether it is kept by itself until the interval's end.
    pub(super) fn take(&mut self, it: &Number, rate: f64, may_keep: bool) -> bool {
        match self {
            Self::Counter(sum) => *sum += it.number / rate,
            Self::Gauge(value) if it.is_signed => *value += it.number,
            Self::Gauge(value) => *value = it.number,
            Self::Timer(timer) => return timer.take(it.number, rate, may_keep),
            Self::Set(_) => (),
        }
        false
    }

    /// How many values are kept by themselves.
    pub(super) fn kept(&self) -> usize {
        match self {
            Self::Timer(timer) => timer.values.len(),
            Self::Set(values) => values.len(),
            Self::Counter(_) | Self::Gauge(_) => 0,
        }
    }

    /// The names and numbers of the interval, which begins anew. The first text stands before the
    /// name, the second one behind it.
    pub(super) fn finish(
        &mut self,
        interval_seconds: f64,
        out: &mut dyn FnMut(&'static str, &'static str, f64),
    ) {
        match self {
            Self::Counter(sum) => {
                out("stats.counters.", ".rate", *sum / interval_seconds);
                out("stats.counters.", ".count", *sum);
                *sum = 0.0;
            }
            Self::Gauge(value) => out("stats.gauges.", "", *value),
            Self::Timer(timer) => {
                timer.finish(interval_seconds, &mut |what, number| {
                    out("stats.timers.", what, number)
                });
                **timer = Timer::default();
            }
            Self::Set(values) => {
                out("stats.sets.", ".count", values.len() as f64);
                *values = HashSet::new();
            }
        }
    }
}

/// Values of a timer.
#[derive(Debug, Default)]
pub(super) struct Timer {
    /// Those of which the percentile is taken.
    values: Vec<f64>,
    taken: u64,
    /// How many there were where `taken` came, by their rates.
    count: f64,
    sum: f64,
    sum_squares: f64,
    /// The mean of what `taken` counts, and the sum of the squares of what parts each from it. Both
    /// follow each value (Welford), so that the deviation needs no value again.
    mean: f64,
    squares_apart: f64,
    lower: f64,
    upper: f64,
}

impl Timer {
    fn take(&mut self, value: f64, rate: f64, may_keep: bool) -> bool {
        let is_first = self.taken == 0;
        self.lower = if is_first { value } else { self.lower.min(value) };
        self.upper = if is_first { value } else { self.upper.max(value) };
        self.taken += 1;
        self.count += 1.0 / rate;
        self.sum += value;
        self.sum_squares += value * value;
        let apart = value - self.mean;
        self.mean += apart / self.taken as f64;
        self.squares_apart += apart * (value - self.mean);
        if may_keep {
            self.values.push(value);
        }
        may_keep
    }

    fn finish(&mut self, interval_seconds: f64, out: &mut dyn FnMut(&'static str, f64)) {
        out(".count", self.count);
        out(".count_ps", self.count / interval_seconds);
        if self.taken == 0 {
            return;
        }
        out(".mean", self.sum / self.taken as f64);
        out(".upper", self.upper);
        out(".lower", self.lower);
        out(".sum", self.sum);
        out(".sum_squares", self.sum_squares);
        out(".std", (self.squares_apart / self.taken as f64).sqrt());
        self.values.sort_unstable_by(f64::total_cmp);
        if let Some(median) = self.median() {
            out(".median", median);
        }
        if let Some(part) = self.lowest_90() {
            out(".upper_90", part[part.len() - 1]);
            out(".mean_90", part.iter().sum::<f64>() / part.len() as f64);
        }
    }

    /// The middle one of the values, which are in order, or the mean of both in the middle; `None` if
    /// there are none.
    fn median(&self) -> Option<f64> {
        let middle = self.values.len() / 2;
        let upper = *self.values.get(middle)?;
        match self.values.len().is_multiple_of(2) {
            true => {
                self.values.get(middle.checked_sub(1)?).map(|lower| f64::midpoint(*lower, upper))
            }
            false => Some(upper),
        }
    }

    /// The lowest nine tenths of the values, which are in order, rounded to whole ones; `None` if
    /// there are none.
    fn lowest_90(&self) -> Option<&[f64]> {
        let count = (self.values.len() * 9 + 5) / 10;
        self.values.get(..count).filter(|part| !part.is_empty())
    }
}
