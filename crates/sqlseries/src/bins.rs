//! Samples gathered by steps: five numbers for each.

use rrd::{Stretch, UNKNOWN};

/// The columns of an answer, in rrdtool's order.
const COLUMNS: [&str; 5] = ["min", "avg", "max", "count", "sigma"];
/// From so many samples on a step has a deviation of its own.
const DEVIATION_SAMPLES_MIN: u64 = 3;

/// Samples as they are, or their rates of change.
pub(crate) struct Rates {
    /// Rates over twice this time or more are unknown.
    max_seconds: Option<i64>,
    last: Option<Last>,
}

struct Last {
    seconds: i64,
    value: f64,
}

impl Rates {
    /// With a longest time, rates are given.
    pub(crate) fn new(max_seconds: Option<i64>) -> Self {
        Self { max_seconds, last: None }
    }

    /// What a value counts as. A rate that is not positive is unknown: a counter began anew.
    pub(crate) fn sample(&mut self, seconds: i64, value: f64) -> f64 {
        let Some(max_seconds) = self.max_seconds else { return value };
        let Some(last) = self.last.replace(Last { seconds, value }) else { return UNKNOWN };
        let passed = seconds.saturating_sub(last.seconds);
        if passed <= 0 || passed >= max_seconds.saturating_mul(2) {
            return UNKNOWN;
        }
        let rate = (value - last.value) / passed as f64;
        if rate > 0.0 { rate } else { UNKNOWN }
    }
}

/// The samples of each step.
pub(crate) struct Bins {
    start_seconds: i64,
    step_seconds: i64,
    /// One more than there are steps: what is filled reaches into it.
    bins: Vec<Bin>,
    /// The last sample, whatever it was.
    last_sample: f64,
}

#[derive(Clone, Copy, Default)]
struct Bin {
    count: u64,
    sum: f64,
    squares: f64,
    min: f64,
    max: f64,
}

impl Bins {
    pub(crate) fn new(start_seconds: i64, step_seconds: i64, rows: usize) -> Self {
        let bins = vec![Bin::default(); rows + 1];
        Self { start_seconds, step_seconds, bins, last_sample: UNKNOWN }
    }

    /// Adds a sample to the step that its time is in.
    pub(crate) fn add(&mut self, seconds: i64, value: f64) {
        self.last_sample = value;
        let nth = seconds.saturating_sub(self.start_seconds).div_euclid(self.step_seconds);
        let bin = usize::try_from(nth).ok().and_then(|nth| self.bins.get_mut(nth));
        if let Some(bin) = bin.filter(|_| !value.is_nan()) {
            bin.add(value);
        }
    }

    /// The answer. Steps without samples repeat the last one that has some, for so long; perhaps
    /// also the step behind the last one.
    pub(crate) fn stretch(self, fill_seconds: i64, fills_behind: bool) -> Stretch {
        let fill = usize::try_from(fill_seconds / self.step_seconds).unwrap_or(usize::MAX);
        let mut held = Vec::with_capacity(self.bins.len() * COLUMNS.len());
        let mut deviation = self.last_sample;
        let mut full: Option<Full> = None;
        let mut rows = self.bins.len() - 1;
        for (nth, bin) in self.bins.iter().enumerate() {
            let filled = full.filter(|full| nth - full.row <= fill);
            let row = match (bin.count, filled) {
                (0, Some(full)) => full.values,
                (0, None) => [UNKNOWN, UNKNOWN, UNKNOWN, 0.0, UNKNOWN],
                _ => {
                    let values = bin.values(&mut deviation);
                    full = Some(Full { row: nth, values });
                    values
                }
            };
            let is_filled = bin.count == 0 && filled.is_some();
            if nth < rows || (fills_behind && is_filled) {
                held.extend(row);
            }
        }
        rows = held.len() / COLUMNS.len();
        let seconds = i64::try_from(rows).unwrap_or(i64::MAX).saturating_mul(self.step_seconds);
        Stretch {
            tick: rrd::Tick::SECOND,
            start_seconds: self.start_seconds,
            end_seconds: self.start_seconds.saturating_add(seconds),
            step_seconds: self.step_seconds as u64,
            source_names: COLUMNS.map(str::to_owned).to_vec(),
            rows: rows as u64,
            rows_before: 0,
            held,
        }
    }
}

/// The last step that has samples.
#[derive(Clone, Copy)]
struct Full {
    row: usize,
    values: [f64; COLUMNS.len()],
}

impl Bin {
    fn add(&mut self, value: f64) {
        let is_first = self.count == 0;
        self.min = if is_first { value } else { self.min.min(value) };
        self.max = if is_first { value } else { self.max.max(value) };
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// A step of too few samples has the deviation of the one before it, or at first the last
    /// sample of all: so it does in rrdtool.
    fn values(&self, deviation: &mut f64) -> [f64; COLUMNS.len()] {
        let count = self.count as f64;
        if self.count >= DEVIATION_SAMPLES_MIN {
            // This order of operations gives rrdtool's digits, though others lose fewer.
            let spread = count * self.squares - self.sum * self.sum;
            *deviation = (spread / (count * (count - 1.0))).sqrt();
        }
        [self.min, self.sum / count, self.max, count, *deviation]
    }
}

#[cfg(test)]
mod tests {
    use super::{Bins, Rates};

    #[test]
    fn rates_need_growth_and_no_gap() {
        let mut rates = Rates::new(Some(600));
        assert!(rates.sample(0, 1.0).is_nan());
        assert_eq!(rates.sample(10, 2.0), 0.1);
        assert!(rates.sample(20, 2.0).is_nan(), "no growth");
        assert!(rates.sample(30, 1.0).is_nan(), "less");
        assert!(rates.sample(30, 9.0).is_nan(), "no time");
        assert_eq!(rates.sample(1229, 1208.0), 1.0);
        assert!(rates.sample(2429, 9999.0).is_nan(), "a gap");
        assert_eq!(Rates::new(None).sample(0, -1.0), -1.0);
    }

    #[test]
    fn steps_without_samples_repeat_for_a_while() {
        let mut bins = Bins::new(0, 100, 5);
        [(10, 1.0), (20, 3.0), (450, 7.0)].iter().for_each(|(at, value)| bins.add(*at, *value));
        let stretch = bins.stretch(250, true);
        let averages: Vec<f64> = stretch.held.chunks(5).map(|row| row[1]).collect();
        assert_eq!(averages[..3], [2.0, 2.0, 2.0]);
        assert!(averages[3].is_nan());
        assert_eq!((averages[4], averages[5], stretch.rows), (7.0, 7.0, 6));
        assert_eq!(Bins::new(0, 100, 5).stretch(250, false).rows, 5);
    }

    #[test]
    fn times_elsewhere_and_no_values_are_left_out() {
        let mut bins = Bins::new(1000, 100, 2);
        for seconds in [i64::MIN, 0, 999, 1300, i64::MAX] {
            bins.add(seconds, 1.0);
        }
        bins.add(1000, f64::NAN);
        let stretch = bins.stretch(0, true);
        assert_eq!((stretch.rows, stretch.end_seconds), (2, 1200));
        assert_eq!((stretch.held[3], stretch.held[8]), (0.0, 0.0));
    }
}
