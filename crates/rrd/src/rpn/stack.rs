//! The stack, and the operators that work on several of its values.

use super::RpnError;
use super::sort::sort;
use crate::UNKNOWN;

/// The most values that an expression may pile up.
const DEPTH_MAX: usize = 1 << 20;

/// The values of one evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    values: Vec<f64>,
}

impl Stack {
    pub(super) fn clear(&mut self) {
        self.values.clear();
    }

    pub(super) fn depth(&self) -> usize {
        self.values.len()
    }

    pub(super) fn push(&mut self, value: f64) {
        self.values.push(value);
    }

    pub(super) fn pop(&mut self) -> Result<f64, RpnError> {
        self.values.pop().ok_or(RpnError::Underflow)
    }

    /// The one value that an expression leaves.
    pub(super) fn answer(&self) -> Result<f64, RpnError> {
        match self.values[..] {
            [answer] => Ok(answer),
            _ => Err(RpnError::Leftover),
        }
    }

    /// Moves the `count` topmost values to `taken`, the deepest first.
    pub(super) fn take(&mut self, count: usize, taken: &mut Vec<f64>) -> Result<(), RpnError> {
        taken.extend_from_slice(self.top(count)?);
        self.values.truncate(self.values.len() - count);
        Ok(())
    }

    /// Takes a count; fractions are cut off as C does.
    fn pop_count(&mut self) -> Result<usize, RpnError> {
        let count = self.pop()?.trunc();
        if (0.0..=DEPTH_MAX as f64).contains(&count) {
            Ok(count as usize)
        } else {
            Err(RpnError::Underflow)
        }
    }

    /// The `count` topmost values.
    fn top(&mut self, count: usize) -> Result<&mut [f64], RpnError> {
        let depth = self.values.len();
        let start = depth.checked_sub(count).ok_or(RpnError::Underflow)?;
        Ok(&mut self.values[start..])
    }

    /// `n COPY`: the `n` topmost values once more.
    pub(super) fn copy(&mut self) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        let copied = self.top(count)?.to_vec();
        if self.values.len() + copied.len() > DEPTH_MAX {
            return Err(RpnError::Leftover);
        }
        self.values.extend(copied);
        Ok(())
    }

    /// `n INDEX`: the `n`th value from the top, 1 being the topmost, once more; 0 is `n` itself.
    pub(super) fn index(&mut self) -> Result<(), RpnError> {
        let count = *self.values.last().ok_or(RpnError::Underflow)?;
        let position = self.pop_count()?;
        let value = self.top(position)?.first().copied();
        self.push(value.unwrap_or(count));
        Ok(())
    }

    /// `n m ROLL`: the `n` topmost values turned `m` places towards the top.
    pub(super) fn roll(&mut self) -> Result<(), RpnError> {
        let distance = self.pop()?;
        let count = self.pop_count()?;
        let values = self.top(count)?;
        if count > 0 && distance.is_finite() {
            let places = (distance.trunc() as i64).rem_euclid(count as i64);
            values.rotate_right(places as usize);
        }
        Ok(())
    }

    /// `n SORT`: ascending, unknowns first.
    pub(super) fn sort(&mut self) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        sort(self.top(count)?);
        Ok(())
    }

    /// `n REV`.
    pub(super) fn reverse(&mut self) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        self.top(count)?.reverse();
        Ok(())
    }

    /// Takes a count and as many values, and leaves `fold` of those that are known, the topmost
    /// first.
    pub(super) fn fold(&mut self, fold: fn(&mut [f64]) -> f64) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        let kept = self.values.len() - self.top(count)?.len();
        // What is known gathers at the front of the values that are taken.
        let mut known = kept;
        for nth in kept..self.values.len() {
            if !self.values[nth].is_nan() {
                self.values.swap(known, nth);
                known += 1;
            }
        }
        let values = &mut self.values[kept..known];
        values.reverse();
        let folded = fold(values);
        self.values.truncate(kept);
        self.push(folded);
        Ok(())
    }

    /// `n SMIN` and `n SMAX`: the known value that is beyond all others, the topmost of equals.
    /// Where none is known the deepest stays, with its sign.
    pub(super) fn extreme(&mut self, is_beyond: fn(&f64, &f64) -> bool) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        let values = self.top(count)?;
        let known = values.iter().rev().copied().filter(|value| !value.is_nan());
        let found = known.reduce(|most, value| if is_beyond(&value, &most) { value } else { most });
        let found = found.or(values.first().copied()).unwrap_or(UNKNOWN);
        self.values.truncate(self.values.len() - count);
        self.push(found);
        Ok(())
    }

    /// `n MEDIAN`: the middle one of the known values, or the mean of the two in the middle.
    pub(super) fn median(&mut self) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        let median = median(self.top(count)?);
        self.values.truncate(self.values.len() - count);
        self.push(median);
        Ok(())
    }

    /// `percent n PERCENT`: the percentile of the `n` values below, unknowns counting as lowest.
    pub(super) fn percentile(&mut self) -> Result<(), RpnError> {
        if self.depth() < 3 {
            return Err(RpnError::Underflow);
        }
        let count = self.pop_count()?;
        let percent = self.pop()?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(RpnError::Percent);
        }
        sort(self.top(count)?);
        let kept = self.values.len() - count;
        // Counted from 1: where a low percentage gives 0, rrdtool takes the value below them.
        let position = (percent * count as f64 / 100.0).round() as usize;
        let value = (kept + position).checked_sub(1).map(|nth| self.values[nth]);
        self.values.truncate(kept);
        self.push(value.ok_or(RpnError::Underflow)?);
        Ok(())
    }
}

/// The mean, unknown of nothing.
pub(super) fn mean(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return UNKNOWN;
    }
    values.iter().fold(0.0, |sum, value| sum + value) / values.len() as f64
}

fn median(values: &mut [f64]) -> f64 {
    // The last value takes the place of an unknown one. The order matters: see `sort`.
    let (mut nth, mut known) = (0, values.len());
    while nth < known {
        if values[nth].is_nan() {
            known -= 1;
            values[nth] = values[known];
        } else {
            nth += 1;
        }
    }
    let first = values.first().copied().unwrap_or(UNKNOWN);
    let values = &mut values[..known];
    sort(values);
    let middle = known / 2;
    match known {
        // What stands there is unknown, with its own sign.
        0 => first,
        odd if odd % 2 == 1 => values[middle],
        _ => 0.5 * (values[middle] + values[middle - 1]),
    }
}

/// The standard deviation of a sample (divided by one less than the count).
pub(super) fn deviation(values: &mut [f64]) -> f64 {
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for value in values.iter() {
        count += 1.0;
        let delta = value - mean;
        mean += delta / count;
        squares += delta * (value - mean);
    }
    if count < 2.0 { UNKNOWN } else { (squares / (count - 1.0)).sqrt() }
}
