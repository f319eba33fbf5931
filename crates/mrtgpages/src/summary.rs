//! Maximum, average and current value of a picture, as MRTG tells them.

use mrtg::Period;
use rrd::Stretch;

/// MRTG draws this many rows.
const ROWS: i64 = 400;

/// The rows that a picture shows: 400, the last one whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The time before the first row.
    pub start_seconds: i64,
    /// The end of the last row.
    pub end_seconds: i64,
    /// The length of a row.
    pub row_seconds: u64,
}

impl Window {
    /// Those of a picture that is drawn at a moment.
    #[must_use]
    pub fn of(period: Period, now_seconds: i64) -> Self {
        let row_seconds = match period {
            Period::Day => 300,
            Period::Week => 1800,
            Period::Month => 7200,
            Period::Year => 86_400,
        };
        let end_seconds = now_seconds.div_euclid(row_seconds) * row_seconds;
        Self {
            start_seconds: end_seconds - ROWS * row_seconds,
            end_seconds,
            row_seconds: row_seconds.unsigned_abs(),
        }
    }

    /// The known values of both sources within the window; each row counts once.
    fn rows<'r>(&self, rows: &'r Stretch) -> impl Iterator<Item = [f64; 2]> + use<'r> {
        let (start, end) = (self.start_seconds, self.end_seconds);
        rows.iter().filter(move |(at, _)| *at > start && *at <= end).map(|(_, row)| {
            let value = |nth: usize| row.and_then(|row| row.get(nth)).copied();
            [value(0).unwrap_or(f64::NAN), value(1).unwrap_or(f64::NAN)]
        })
    }
}

/// What the rows of a picture say, of the incoming and the outgoing value, in the units of the
/// database. `None` is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// The largest value; the largest maximum if the picture draws maxima.
    pub maximum: [Option<f64>; 2],
    /// The average.
    pub average: [Option<f64>; 2],
    /// The newest value.
    pub current: [Option<f64>; 2],
    /// The average of the maxima.
    pub average_peak: [Option<f64>; 2],
    /// The incoming value as a share of the outgoing one.
    pub ratios: Ratios,
}

/// The incoming value in percent of the outgoing one. `None` is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ratios {
    /// The largest of all rows.
    pub maximum_percent: Option<f64>,
    /// That of both averages.
    pub average_percent: Option<f64>,
    /// That of both newest values.
    pub current_percent: Option<f64>,
}

impl Summary {
    /// Summarizes the averages and the maxima of a window's rows. `with_peak`: the picture draws
    /// the maxima.
    #[must_use]
    pub fn of(window: &Window, averages: &Stretch, maxima: &Stretch, with_peak: bool) -> Self {
        let mut of_averages = Gathered::default();
        window.rows(averages).for_each(|row| of_averages.put(row));
        let mut of_maxima = Gathered::default();
        window.rows(maxima).for_each(|row| of_maxima.put(row));
        let average = of_averages.average();
        let current = of_averages.newest;
        Self {
            maximum: if with_peak { of_maxima.largest } else { of_averages.largest },
            average,
            current,
            average_peak: of_maxima.average(),
            ratios: Ratios {
                maximum_percent: of_averages.largest_percent,
                average_percent: percent(average),
                current_percent: percent(current),
            },
        }
    }
}

/// What is gathered of rows, one after the other.
#[derive(Default)]
struct Gathered {
    largest: [Option<f64>; 2],
    newest: [Option<f64>; 2],
    sums: [f64; 2],
    counts: [u32; 2],
    largest_percent: Option<f64>,
}

impl Gathered {
    fn put(&mut self, row: [f64; 2]) {
        for (nth, value) in row.into_iter().enumerate().filter(|(_, value)| value.is_finite()) {
            self.largest[nth] = Some(self.largest[nth].map_or(value, |known| known.max(value)));
            self.newest[nth] = Some(value);
            self.sums[nth] += value;
            self.counts[nth] += 1;
        }
        if let Some(percent) = percent(row.map(|value| value.is_finite().then_some(value))) {
            let largest = self.largest_percent.unwrap_or(percent);
            self.largest_percent = Some(largest.max(percent));
        }
    }

    fn average(&self) -> [Option<f64>; 2] {
        let of = |nth: usize| {
            let count = self.counts[nth];
            (count > 0).then(|| self.sums[nth] / f64::from(count))
        };
        [of(0), of(1)]
    }
}

fn percent([incoming, outgoing]: [Option<f64>; 2]) -> Option<f64> {
    let outgoing = outgoing.filter(|outgoing| *outgoing > 0.0)?;
    Some(100.0 * incoming? / outgoing)
}

#[cfg(test)]
mod tests {
    use mrtg::Period;
    use rrd::{Stretch, Tick};

    use super::{Summary, Window};

    fn rows(start_seconds: i64, rows: &[[f64; 2]]) -> Stretch {
        Stretch {
            tick: Tick::SECOND,
            start_seconds,
            end_seconds: start_seconds + 300 * rows.len() as i64,
            step_seconds: 300,
            source_names: ["ds0", "ds1"].map(str::to_owned).into(),
            rows: rows.len() as u64,
            rows_before: 0,
            held: rows.iter().flatten().copied().collect(),
        }
    }

    #[test]
    fn whole_rows_of_the_window_count() {
        let window = Window::of(Period::Day, 120_299);
        assert_eq!((window.start_seconds, window.end_seconds), (0, 120_000));
        // The first row ends before the window, and the last one is not whole yet.
        let last = [[f64::NAN, 90.0], [30.0, 10.0], [f64::NAN, 20.0], [99.0, 99.0]];
        let mut all = vec![[99.0, 99.0]];
        all.extend([[10.0, 40.0]; 397]);
        all.extend(last);
        let averages = rows(-300, &all);
        let maxima = rows(-300, &[[7.0, 8.0]; 402]);
        let told = Summary::of(&window, &averages, &maxima, false);
        assert_eq!(told.maximum, [Some(30.0), Some(90.0)]);
        assert_eq!(told.current, [Some(30.0), Some(20.0)]);
        assert_eq!(told.average, [Some(4000.0 / 398.0), Some(16_000.0 / 400.0)]);
        assert_eq!(told.average_peak, [Some(7.0), Some(8.0)]);
        assert_eq!(told.ratios.maximum_percent, Some(300.0));
        assert_eq!(told.ratios.current_percent, Some(150.0));
        let with_peak = Summary::of(&window, &averages, &maxima, true);
        assert_eq!(with_peak.maximum, [Some(7.0), Some(8.0)]);
    }

    #[test]
    fn what_is_unknown_stays_so() {
        let unknown = rows(0, &[[f64::NAN; 2]; 400]);
        let window = Window::of(Period::Day, 120_000);
        assert_eq!(Summary::of(&window, &unknown, &unknown, true), Summary::default());
    }
}
