//! The stack, and the operators that work on several of its values.

use crate::UNKNOWN;

use super::RpnError;

/// The most values that an expression may pile up.
const DEPTH_MAX: usize = 1 << 20;

/// The values of one evaluation.
#[derive(Default)]
pub(super) struct Stack {
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

    /// Takes a count; fractions are cut off as C does.
    fn pop_count(&mut self) -> Result<usize, RpnError> {
        let count = self.pop()?;
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

    /// `n INDEX`: the `n`th value from the top, 1 being the topmost, once more.
    pub(super) fn index(&mut self) -> Result<(), RpnError> {
        let position = self.pop_count()?;
        let value = self.top(position)?.first().copied();
        self.push(value.ok_or(RpnError::Underflow)?);
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
        self.top(count)?.sort_by(unknown_first);
        Ok(())
    }

    /// `n REV`.
    pub(super) fn reverse(&mut self) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        self.top(count)?.reverse();
        Ok(())
    }

    /// Takes a count and as many values, and leaves `fold` of those that are known.
    pub(super) fn fold(&mut self, fold: fn(&mut [f64]) -> f64) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        let mut known = self.top(count)?.to_vec();
        known.retain(|value| !value.is_nan());
        self.values.truncate(self.values.len() - count);
        self.push(fold(&mut known));
        Ok(())
    }

    /// `percent n PERCENT`: the percentile of the `n` values below, unknowns counting as lowest.
    pub(super) fn percentile(&mut self) -> Result<(), RpnError> {
        let count = self.pop_count()?;
        let percent = self.pop()?;
        let mut values = self.top(count)?.to_vec();
        values.sort_by(unknown_first);
        self.values.truncate(self.values.len() - count);
        let last = count as f64 - 1.0;
        let position = (percent / 100.0 * count as f64).ceil() - 1.0;
        let position = position.clamp(0.0, last.max(0.0)) as usize;
        self.push(values.get(position).copied().unwrap_or(UNKNOWN));
        Ok(())
    }
}

fn unknown_first(a: &f64, b: &f64) -> std::cmp::Ordering {
    b.is_nan().cmp(&a.is_nan()).then(a.total_cmp(b))
}

/// The mean, unknown of nothing.
pub(super) fn mean(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return UNKNOWN;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// The middle value, or the mean of the two in the middle.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => UNKNOWN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// The standard deviation of a sample (divided by one less than the count).
pub(super) fn deviation(values: &mut [f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

pub(super) fn smallest(values: &mut [f64]) -> f64 {
    values.iter().copied().reduce(f64::min).unwrap_or(UNKNOWN)
}

pub(super) fn largest(values: &mut [f64]) -> f64 {
    values.iter().copied().reduce(f64::max).unwrap_or(UNKNOWN)
}
