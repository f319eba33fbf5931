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

    /// The values of both sources within the window; each row counts once. Shorter rows, of a
    /// target with a shorter interval, are put together to those of the window.
    fn rows(&self, rows: &Stretch, reading: &Reading, put: Together) -> Vec<[f64; 2]> {
        let within = |at: i64| at > self.start_seconds && at <= self.end_seconds;
        let length = self.row_seconds.max(1).cast_signed();
        let mut whole: Vec<Joined> = Vec::new();
        for (at, row) in rows.iter().filter(|(at, _)| within(*at)) {
            let values = [0, 1].map(|nth| {
                let value = row.and_then(|row| row.get(nth)).copied().unwrap_or(f64::NAN);
                reading.value(value, at)
            });
            // A row is named by its end.
            let number = (at - 1).div_euclid(length);
            match whole.last_mut() {
                Some(last) if last.number == number => last.add(values, put),
                _ => whole.push(Joined::begun(number, values)),
            }
        }
        whole.into_iter().map(|row| row.values(put)).collect()
    }
}

/// How the rows of a database are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Whether the picture draws the maxima.
    pub with_peak: bool,
    /// `unknaszero`: until this time, in seconds since 1970, an unknown value is 0. It is that of
    /// the last update: what has not come yet is not 0.
    pub zero_until_seconds: Option<i64>,
}

impl Reading {
    fn value(&self, value: f64, at_seconds: i64) -> f64 {
        let is_zero = self.zero_until_seconds.is_some_and(|until| at_seconds <= until);
        if is_zero && !value.is_finite() { 0.0 } else { value }
    }
}

/// How shorter rows become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Together {
    Average,
    Maximum,
}

/// Shorter rows that become one.
struct Joined {
    number: i64,
    /// The sum or the maximum of known values.
    held: [f64; 2],
    counts: [u32; 2],
}

impl Joined {
    fn begun(number: i64, values: [f64; 2]) -> Self {
        let counts = values.map(|value| u32::from(value.is_finite()));
        Self { number, held: values, counts }
    }

    fn add(&mut self, values: [f64; 2], put: Together) {
        for (nth, value) in values.into_iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let held = self.held[nth];
            self.held[nth] = match put {
                _ if self.counts[nth] == 0 => value,
                Together::Average => held + value,
                Together::Maximum => held.max(value),
            };
            self.counts[nth] += 1;
        }
    }

    fn values(&self, put: Together) -> [f64; 2] {
        match put {
            Together::Average => [0, 1].map(|nth| self.held[nth] / f64::from(self.counts[nth])),
            Together::Maximum => self.held,
        }
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
    /// Summarizes the averages and the maxima of a window's rows.
    #[must_use]
    pub fn of(window: &Window, averages: &Stretch, maxima: &Stretch, reading: &Reading) -> Self {
        let of_averages = Gathered::of(window.rows(averages, reading, Together::Average));
        let of_maxima = Gathered::of(window.rows(maxima, reading, Together::Maximum));
        let average = of_averages.average();
        let current = of_averages.newest;
        Self {
            maximum: if reading.with_peak { of_maxima.largest } else { of_averages.largest },
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
    fn of(rows: Vec<[f64; 2]>) -> Self {
        let mut gathered = Self::default();
        rows.into_iter().for_each(|row| gathered.put(row));
        gathered
    }

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

    use super::{Reading, Summary, Window};

    const WITH_PEAK: Reading = Reading { with_peak: true, zero_until_seconds: None };

    fn rows(start_seconds: i64, rows: &[[f64; 2]]) -> Stretch {
        rows_of(300, start_seconds, rows)
    }

    fn rows_of(step_seconds: u64, start_seconds: i64, rows: &[[f64; 2]]) -> Stretch {
        Stretch {
            tick: Tick::SECOND,
            start_seconds,
            end_seconds: start_seconds + step_seconds as i64 * rows.len() as i64,
            step_seconds,
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
        let told = Summary::of(&window, &averages, &maxima, &Reading::default());
        assert_eq!(told.maximum, [Some(30.0), Some(90.0)]);
        assert_eq!(told.current, [Some(30.0), Some(20.0)]);
        assert_eq!(told.average, [Some(4000.0 / 398.0), Some(16_000.0 / 400.0)]);
        assert_eq!(told.average_peak, [Some(7.0), Some(8.0)]);
        assert_eq!(told.ratios.maximum_percent, Some(300.0));
        assert_eq!(told.ratios.current_percent, Some(150.0));
        let with_peak = Summary::of(&window, &averages, &maxima, &WITH_PEAK);
        assert_eq!(with_peak.maximum, [Some(7.0), Some(8.0)]);
    }

    #[test]
    fn what_is_unknown_stays_so() {
        let unknown = rows(0, &[[f64::NAN; 2]; 400]);
        let window = Window::of(Period::Day, 120_000);
        assert_eq!(Summary::of(&window, &unknown, &unknown, &WITH_PEAK), Summary::default());
    }

    #[test]
    fn shorter_rows_are_put_together() {
        let window = Window::of(Period::Day, 120_000);
        let unknown = f64::NAN;
        // The last two rows of five minutes, of a target that is polled each minute.
        let last = [[1.0, unknown], [2.0, unknown], [3.0, unknown], [4.0, unknown], [5.0, unknown]];
        let newest = [[60.0, 1.0], [unknown, 1.0], [20.0, 1.0], [unknown, 1.0], [10.0, 1.0]];
        let all = [last, newest].concat();
        let told = Summary::of(
            &window,
            &rows_of(60, 120_000 - 600, &all),
            &rows_of(60, 120_000 - 600, &all),
            &Reading::default(),
        );
        assert_eq!(told.maximum, [Some(30.0), Some(1.0)]);
        assert_eq!(told.average, [Some(16.5), Some(1.0)]);
        assert_eq!(told.current, [Some(30.0), Some(1.0)]);
        assert_eq!(told.average_peak, [Some(32.5), Some(1.0)]);
    }

    #[test]
    fn unknown_values_may_be_zeros_until_the_last_update() {
        let window = Window::of(Period::Day, 120_000);
        let all = rows(120_000 - 900, &[[9.0, 9.0], [f64::NAN, 3.0], [f64::NAN; 2]]);
        let reading = Reading { with_peak: false, zero_until_seconds: Some(119_700) };
        let told = Summary::of(&window, &all, &all, &reading);
        assert_eq!(told.average, [Some(4.5), Some(6.0)]);
        assert_eq!(told.current, [Some(0.0), Some(3.0)]);
    }
}
