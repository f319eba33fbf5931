//! What TREND.MIN, TREND.MAX, TREND.STDEV, TREND.MEDIAN and TREND.PERCENT make of their windows.
//!
//! Windows are calculated in blocks of at least as many windows as a window has rows. So a block
//! takes time `O(w log w)` for windows of `w` rows, and a series of `n` rows `O(n log w)`.

use super::column::Column;
use super::windows::WindowEnd;
use crate::{Moments, UNKNOWN};

/// The fewest windows of a block: short windows share the work of a block, too.
const BLOCK_WINDOWS_MIN: usize = 512;

/// What is made of the rows of a window. Where one of them is unknown, so is the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Statistic {
    /// TREND.MIN.
    Smallest,
    /// TREND.MAX.
    Largest,
    /// TREND.STDEV: of a sample, as the operator STDEV; unknown of one row.
    Deviation,
    /// TREND.MEDIAN: as the operator MEDIAN.
    Median,
    /// TREND.PERCENT: the nearest rank, as the operator PERCENT; of 0 the smallest value.
    Percentile(f64),
}

/// One of these operators at one place of an expression: the windows that were calculated last.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    /// The place.
    pub(super) node: usize,
    statistic: Statistic,
    rows: usize,
    /// The end of the first window of `answers`.
    first_end: usize,
    answers: Vec<f64>,
}

/// A window of a series.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) statistic: Statistic,
    pub(super) end: WindowEnd,
    pub(super) rows: usize,
    /// Whether the windows to come have as many rows and the same statistic.
    pub(super) moves_on: bool,
}

impl Moving {
    pub(super) fn new(node: usize) -> Self {
        let statistic = Statistic::Smallest;
        Self { node, statistic, rows: 0, first_end: 0, answers: Vec::new() }
    }

    /// The answer for a window, if it was calculated with those before it.
    pub(super) fn known(&self, asked: Asked) -> Option<f64> {
        let is_same = self.rows == asked.rows && self.statistic == asked.statistic;
        let nth = usize::try_from(asked.end.0).ok()?.checked_sub(self.first_end)?;
        self.answers.get(nth).copied().filter(|_| is_same)
    }

    /// Calculates the window that is asked for, and those after it if it moves on.
    pub(super) fn calculate(&mut self, column: &Column<'_>, asked: Asked) -> f64 {
        let Asked { statistic, end, rows, moves_on } = asked;
        let count = column.values.len();
        // A window that is not within the series has unknown rows.
        let within = |end: &usize| (rows..=count).contains(end);
        let Some(end) = usize::try_from(end.0).ok().filter(within) else { return UNKNOWN };
        let windows = match moves_on {
            true => rows.max(BLOCK_WINDOWS_MIN).min(count - end + 1),
            false => 1,
        };
        let values = &column.values[end - rows..end - 1 + windows];
        self.answers = statistic.of_windows(values, rows);
        (self.statistic, self.rows, self.first_end) = (statistic, rows, end);
        self.answers[0]
    }
}

impl Statistic {
    /// The answers for all windows of `rows` rows within `values`.
    fn of_windows(self, values: &[f64], rows: usize) -> Vec<f64> {
        let mut answers = match self {
            Self::Smallest => folded(values, rows, |value| value, f64::min, |least| least),
            Self::Largest => folded(values, rows, |value| value, f64::max, |most| most),
            Self::Deviation => {
                folded(values, rows, Moments::of, Moments::join, Moments::sample_deviation)
            }
            Self::Median => ranked(values, rows, &|ranks| {
                let upper = ranks.nth(rows / 2);
                if rows % 2 == 1 { upper } else { 0.5 * (upper + ranks.nth(rows / 2 - 1)) }
            }),
            Self::Percentile(percent) => {
                // Counted from 1, as the operator PERCENT does.
                let position = (percent * rows as f64 / 100.0).round().max(1.0) as usize;
                ranked(values, rows, &|ranks| ranks.nth(position - 1))
            }
        };
        let mut known = 0;
        for (nth, value) in values.iter().enumerate() {
            known = if value.is_nan() { 0 } else { known + 1 };
            if known < rows && nth + 1 >= rows {
                answers[nth + 1 - rows] = UNKNOWN;
            }
        }
        answers
    }
}

/// Folds each window of `rows` values: the end of one part of `rows` values and the beginning of
/// the next are joined. Nothing is ever taken away from a sum, so that nothing cancels.
fn folded<T: Copy>(
    values: &[f64],
    rows: usize,
    one: impl Fn(f64) -> T,
    join: impl Fn(T, T) -> T,
    answer: impl Fn(T) -> f64,
) -> Vec<f64> {
    let mut suffixes: Vec<T> = values.iter().map(|value| one(*value)).collect();
    for part in suffixes.chunks_mut(rows) {
        for nth in (1..part.len()).rev() {
            part[nth - 1] = join(part[nth - 1], part[nth]);
        }
    }
    let mut answers = Vec::with_capacity(values.len() + 1 - rows);
    let mut prefix = one(UNKNOWN);
    for (nth, value) in values.iter().enumerate() {
        let begins = nth % rows == 0;
        prefix = if begins { one(*value) } else { join(prefix, one(*value)) };
        if let Some(first) = (nth + 1).checked_sub(rows) {
            let is_part = first % rows == 0;
            let whole = if is_part { prefix } else { join(suffixes[first], prefix) };
            answers.push(answer(whole));
        }
    }
    answers
}

/// Answers each window of `rows` values from its values in order. Unknown ones are left out: the
/// answers for their windows are replaced later.
fn ranked(values: &[f64], rows: usize, answer: &dyn Fn(&Ranks) -> f64) -> Vec<f64> {
    let mut ranks = Ranks::of(values);
    let mut answers = Vec::with_capacity(values.len() + 1 - rows);
    for nth in 0..values.len() {
        ranks.enter(nth);
        if let Some(first) = (nth + 1).checked_sub(rows) {
            answers.push(if ranks.count == rows { answer(&ranks) } else { UNKNOWN });
            ranks.leave(first);
        }
    }
    answers
}

/// The known values of a block in order, and which of them are in the window: a Fenwick tree.
struct Ranks {
    ascending: Vec<f64>,
    /// The rank of each value, counted from 1; 0 of unknown ones.
    rank_of: Vec<u32>,
    /// How many values of the window have the ranks that each place covers; place 0 is not used.
    tree: Vec<u32>,
    /// How many values the window has.
    count: usize,
}

impl Ranks {
    fn of(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).filter(|n| !values[*n].is_nan()).collect();
        order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
        let mut rank_of = vec![0; values.len()];
        for (rank, nth) in order.iter().enumerate() {
            rank_of[*nth] = rank as u32 + 1;
        }
        let tree = vec![0; order.len() + 1];
        let ascending = order.into_iter().map(|nth| values[nth]).collect();
        Self { ascending, rank_of, tree, count: 0 }
    }

    fn enter(&mut self, nth: usize) {
        self.change(nth, |covered| covered + 1, |count| count + 1);
    }

    fn leave(&mut self, nth: usize) {
        self.change(nth, |covered| covered - 1, |count| count - 1);
    }

    fn change(&mut self, nth: usize, place: fn(u32) -> u32, count: fn(usize) -> usize) {
        let mut rank = self.rank_of[nth] as usize;
        if rank == 0 {
            return;
        }
        self.count = count(self.count);
        while let Some(covered) = self.tree.get_mut(rank) {
            *covered = place(*covered);
            rank += rank & rank.wrapping_neg();
        }
    }

    /// The value with so many values of the window before it in order.
    fn nth(&self, before: usize) -> f64 {
        let mut rest = before as u32;
        let mut rank = 0;
        let mut stride = self.tree.len().next_power_of_two() / 2;
        while stride > 0 {
            if let Some(covered) = self.tree.get(rank + stride)
                && *covered <= rest
            {
                rank += stride;
                rest -= covered;
            }
            stride /= 2;
        }
        self.ascending.get(rank).copied().unwrap_or(UNKNOWN)
    }
}
