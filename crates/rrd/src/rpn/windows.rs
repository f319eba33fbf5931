//! The operators that look back along a series: TREND, TRENDNAN, PREDICT, PREDICTSIGMA and
//! PREDICTPERC.
//!
//! Each window is summed anew, from its newest row to its oldest, because that is rrdtool's order
//! and another order rounds otherwise. TREND gets its speed from summing the windows of several
//! rows side by side: the order within each stays.

use super::column::Column;
use super::sort::sort;
use crate::UNKNOWN;

/// How many windows are summed side by side.
const LANES: usize = 16;

/// The end of a window: how many rows of the series have ended when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowEnd(pub(super) i64);

impl Column<'_> {
    /// The end of the window that ends at a time.
    pub(super) fn window_end(&self, time_seconds: i64) -> WindowEnd {
        let step = self.step();
        WindowEnd(time_seconds.div_euclid(step) - self.start_seconds.div_euclid(step))
    }

    /// How many rows a length of time takes; a part of a row counts as a row.
    pub(super) fn rows_of(&self, ticks: f64) -> f64 {
        (ticks / self.step() as f64).ceil()
    }

    fn step(&self) -> i64 {
        i64::try_from(self.step_seconds.max(1)).unwrap_or(i64::MAX)
    }

    /// The value of a row; unknown before the first and after the last one. There rrdtool reads
    /// memory that is not the series'.
    fn at(&self, row: i64) -> f64 {
        usize::try_from(row).ok().and_then(|row| self.values.get(row).copied()).unwrap_or(UNKNOWN)
    }
}

/// TREND or TRENDNAN at one place of an expression.
#[derive(Clone, Debug)]
pub(super) struct Trend {
    /// The place.
    pub(super) node: usize,
    /// Whether unknown rows are left out (TRENDNAN) or make the mean unknown (TREND).
    pub(super) known_only: bool,
    rows: usize,
    /// The end of the first window of `means`.
    first_end: usize,
    means: [f64; LANES],
}

impl Trend {
    pub(super) fn new(node: usize, known_only: bool) -> Self {
        Self { node, known_only, rows: 0, first_end: 0, means: [0.0; LANES] }
    }

    /// The mean of `rows` rows up to `end`. `moves_on` says that the next call will ask for the
    /// window one row later: then the next windows are summed along with this one.
    pub(super) fn mean(
        &mut self,
        column: &Column<'_>,
        end: WindowEnd,
        rows: usize,
        moves_on: bool,
    ) -> f64 {
        let Some(end_row) = usize::try_from(end.0).ok().filter(|_| moves_on) else {
            return self.single(column, end, rows);
        };
        if self.rows == rows
            && let Some(mean) =
                end_row.checked_sub(self.first_end).and_then(|lane| self.means.get(lane))
        {
            return *mean;
        }
        if end_row < rows || end_row + LANES > column.values.len() {
            return self.single(column, end, rows);
        }
        (self.rows, self.first_end) = (rows, end_row);
        self.means = match self.known_only {
            true => means_of_known(column.values, end_row, rows),
            false => means(column.values, end_row, rows),
        };
        if !self.known_only {
            // Which unknown value comes out, that is with which sign, its row decides.
            for lane in 0..LANES {
                if self.means[lane].is_nan() {
                    let end = WindowEnd((end_row + lane) as i64);
                    self.means[lane] = self.single(column, end, rows);
                }
            }
        }
        self.means[0]
    }

    fn single(&self, column: &Column<'_>, end: WindowEnd, rows: usize) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for back in 1..=rows as i64 {
            let value = column.at(end.0 - back);
            if self.known_only && value.is_nan() {
                if end.0 < back {
                    break; // before the first row there is none that is known
                }
                continue;
            }
            sum += value;
            count += 1.0;
            if sum.is_nan() {
                return sum;
            }
        }
        if count > 0.0 { sum / count } else { UNKNOWN }
    }
}

/// The values of one row of all windows whose ends begin with `end`.
fn lanes(values: &[f64], end: usize, back: usize) -> &[f64] {
    &values[end - back..end - back + LANES]
}

fn means(values: &[f64], end: usize, rows: usize) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for back in 1..=rows {
        for (sum, value) in sums.iter_mut().zip(lanes(values, end, back)) {
            *sum += value;
        }
    }
    sums.map(|sum| sum / rows as f64)
}

fn means_of_known(values: &[f64], end: usize, rows: usize) -> [f64; LANES] {
    let (mut sums, mut counts) = ([0.0; LANES], [0.0; LANES]);
    for back in 1..=rows {
        let values = lanes(values, end, back);
        for ((sum, count), value) in sums.iter_mut().zip(&mut counts).zip(values) {
            let is_known = !value.is_nan();
            // A zero changes no sum that began with zero.
            *sum += if is_known { *value } else { 0.0 };
            *count += if is_known { 1.0 } else { 0.0 };
        }
    }
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = if count > 0.0 { *sum / count } else { UNKNOWN };
    }
    sums
}

/// What PREDICT and its like make of the rows of their windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Prediction {
    /// PREDICT.
    Mean,
    /// PREDICTSIGMA.
    Deviation,
    /// PREDICTPERC: a percentage, or less than 0 for the nearest row instead of a value between
    /// two.
    Percentile(f64),
}

/// The known values of windows that lie at some shifts before one end, in the order of shifts.
#[derive(Debug)]
pub(super) struct Past<'a> {
    pub(super) column: &'a Column<'a>,
    pub(super) end: WindowEnd,
    /// No window reaches further back than so many rows.
    pub(super) rows_max: i64,
    pub(super) values: &'a mut Vec<f64>,
}

impl Past<'_> {
    /// Adds the window of `rows` rows, and the one before them, `shift` rows back. Gives how many
    /// rows it looked at.
    pub(super) fn add(&mut self, shift: i64, rows: i64) -> u64 {
        let last = shift.saturating_add(rows).min(self.rows_max - 1);
        for back in shift..=last {
            let value = self.column.at(self.end.0 - back);
            if !value.is_nan() {
                self.values.push(value);
            }
        }
        last.saturating_sub(shift).saturating_add(1).max(0) as u64
    }
}

impl Prediction {
    pub(super) fn of(self, values: &mut [f64]) -> f64 {
        let count = values.len() as f64;
        match self {
            _ if values.is_empty() => UNKNOWN,
            Self::Mean => values.iter().fold(0.0, |sum, value| sum + value) / count,
            Self::Deviation if values.len() < 2 => UNKNOWN,
            Self::Deviation => {
                let sum = values.iter().fold(0.0, |sum, value| sum + value);
                let squares = values.iter().fold(0.0, |sum, value| sum + value * value);
                ((count * squares - sum * sum) / (count * (count - 1.0))).sqrt()
            }
            Self::Percentile(percent) => {
                sort(values);
                percentile(values, percent)
            }
        }
    }
}

fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = percent.abs() / 100.0 * last as f64;
    if percent < 0.0 {
        return sorted[(position.round() as usize).min(last)];
    }
    let row = position as usize;
    let share = position - row as f64;
    match sorted.get(row + 1) {
        // Not calculated where it changes nothing: infinities would make it unknown.
        Some(next) if share > 0.0 => sorted[row] + (next - sorted[row]) * share,
        _ => sorted[row.min(last)],
    }
}
