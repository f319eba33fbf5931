//! The limits of the value axis.

use crate::arguments::{AutoScale, Settings, ValueGrid};

/// Values to which limits are rounded outwards, as multiples of the axis' unit.
const ROUND: [f64; 45] = [
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0,
    7.0, 8.0, 9.0, 10.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0, 80.0, 90.0, 100.0, 125.0,
    200.0, 250.0, 300.0, 400.0, 500.0, 600.0, 700.0, 750.0, 800.0, 900.0,
];

/// Values whose half and double are the limits of rrdtool's logarithmic axis that shows nothing.
const LOG_OF_NOTHING: (f64, f64) = (5.1e-9, 5.1);

/// The value axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueAxis {
    pub(crate) minimum: f64,
    pub(crate) maximum: f64,
    pub(crate) logarithmic: bool,
    /// The power of the base that numbers of this size have.
    pub(crate) magnitude: f64,
    /// The power of the base that labels are divided by.
    pub(crate) label_power: i32,
    base: f64,
}

impl ValueAxis {
    /// Fits the axis to the smallest and the largest value drawn, NaN if there is none.
    pub(crate) fn fit(settings: &Settings, smallest: f64, largest: f64) -> Self {
        let (minimum, maximum) = wished(settings, smallest, largest);
        let (minimum, maximum) = apart(minimum, maximum);
        let mut axis = Self {
            minimum,
            maximum,
            logarithmic: settings.logarithmic,
            magnitude: 1.0,
            label_power: 0,
            base: settings.base,
        };
        axis.find_unit(settings);
        if !settings.rigid && !settings.logarithmic {
            axis.expand(settings);
        }
        axis
    }

    /// The share of the axis' length at which a value lies; beyond 0 and 1 outside the limits.
    pub(crate) fn share(&self, value: f64) -> f64 {
        if !self.logarithmic {
            return (value - self.minimum) / (self.maximum - self.minimum);
        }
        if value < self.minimum {
            return 0.0;
        }
        (value / self.minimum).log10() / (self.maximum / self.minimum).log10()
    }

    /// What labels are divided by.
    pub(crate) fn label_factor(&self) -> f64 {
        self.base.powi(self.label_power)
    }

    /// What numbers that are divided by the magnitude are multiplied with for their labels.
    pub(crate) fn labels_per_magnitude(&self) -> f64 {
        // rrdtool loses the last digits of long numbers here.
        f64::from((self.magnitude / self.label_factor()) as f32)
    }

    fn find_unit(&mut self, settings: &Settings) {
        let size = self.minimum.abs().max(self.maximum.abs());
        let power = (size.ln() / self.base.ln()).floor().clamp(-100.0, 100.0) as i32;
        self.magnitude = self.base.powi(power);
        self.label_power = match settings.units_exponent {
            Some(exponent) => exponent.div_euclid(3),
            None => power,
        };
    }

    fn expand(&mut self, settings: &Settings) {
        if let ValueGrid::Custom { step, label_every } = settings.value_grid {
            let label_step = step * f64::from(label_every);
            if !label_step.is_finite() {
                return; // no label would ever stand on the axis
            }
            self.minimum = (self.minimum / label_step).floor() * label_step;
            self.maximum = (self.maximum / label_step).ceil() * label_step;
            return;
        }
        let range = self.maximum - self.minimum;
        match settings.auto_scale {
            AutoScale::Round => {
                let (low, high) = (self.minimum / self.magnitude, self.maximum / self.magnitude);
                self.minimum = round_down(low) * self.magnitude;
                self.maximum = -round_down(-high) * self.magnitude;
            }
            AutoScale::Both => {
                let size = self.minimum.abs().max(self.maximum.abs());
                let least = 2.0 * 10_f64.powf((size / self.magnitude).log10().floor() - 2.0);
                let margin = if range < least { (least - range) * 0.55 } else { range * 0.1 };
                self.minimum -= margin;
                self.maximum += margin;
            }
            AutoScale::Minimum => self.minimum -= range * 0.1,
            AutoScale::Maximum => self.maximum += range * 0.1,
        }
    }
}

/// The nearest round value that is not above; beyond either end of the table the value itself.
fn round_down(value: f64) -> f64 {
    if value.abs() < ROUND[0] || value.abs() > 1000.0 {
        return value;
    }
    if value > 0.0 {
        // A value that is round itself gets room below, as in rrdtool.
        let below = ROUND.iter().rev().find(|round| **round < value);
        return below.copied().unwrap_or(value);
    }
    if value == -ROUND[0] {
        return -ROUND[1]; // the end of rrdtool's table
    }
    let above = ROUND.iter().chain(&[1000.0]).find(|round| **round >= -value);
    above.map_or(value, |round| -round)
}

/// The limits that the options ask for, widened by the data unless they are rigid.
fn wished(settings: &Settings, smallest: f64, largest: f64) -> (f64, f64) {
    let log = settings.logarithmic;
    let (smallest, largest) = known(log, smallest, largest);
    let (mut minimum, mut maximum) = (settings.lower, settings.upper);
    let fits_low = settings.allow_shrink && minimum < smallest;
    if minimum.is_nan() || fits_low || (!settings.rigid && minimum > smallest) {
        minimum = if log { smallest / 2.0 } else { smallest };
    }
    let fits_high = settings.allow_shrink && maximum > largest;
    if maximum.is_nan() || fits_high || (!settings.rigid && maximum < largest) {
        maximum = if log { largest * 2.0 } else { largest };
    }
    if log {
        // Only options lead here with limits up to zero.
        let maximum = if maximum > 0.0 { maximum } else { 1.0 };
        return (if minimum > 0.0 { minimum } else { maximum / 1e4 }, maximum);
    }
    (minimum, maximum)
}

/// The smallest and the largest value, or those of an axis that shows none.
fn known(log: bool, smallest: f64, largest: f64) -> (f64, f64) {
    // A logarithmic axis shows no value up to zero.
    if log && !(smallest > 0.0 && largest > 0.0) {
        return LOG_OF_NOTHING;
    }
    let smallest = if smallest.is_nan() { 0.0 } else { smallest };
    (smallest, if largest.is_nan() { 1.0 } else { largest })
}

/// Limits that differ, the lower first.
fn apart(mut minimum: f64, mut maximum: f64) -> (f64, f64) {
    if minimum > maximum {
        minimum = if maximum > 0.0 { 0.99 * maximum } else { 1.01 * maximum };
    }
    if taken_as_equal(minimum, maximum) {
        maximum *= if maximum > 0.0 { 1.01 } else { 0.99 };
        if taken_as_equal(maximum, 0.0) {
            maximum = 1.0;
        }
    }
    if !minimum.is_finite() || !maximum.is_finite() {
        return (
            if minimum.is_finite() { minimum } else { 0.0 },
            if minimum.is_finite() { minimum.abs() + 1.0 } else { 1.0 },
        );
    }
    (minimum, maximum)
}

/// Whether rrdtool takes two limits as one: as single floats at most 4 steps apart, which it
/// counts in 32 bits, so that -4 and 1, exactly 2^31 steps apart, are one as well.
fn taken_as_equal(one: f64, other: f64) -> bool {
    let nth = |value: f64| {
        let bits = (value as f32).to_bits().cast_signed();
        if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits }
    };
    nth(one).wrapping_sub(nth(other)).wrapping_abs() <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_too_far_apart_for_numbers_leave_the_limits() {
        let value_grid = ValueGrid::Custom { step: 1e300, label_every: u32::MAX };
        let settings = Settings { value_grid, ..Settings::default() };
        let axis = ValueAxis::fit(&settings, 2.0, 5.0);
        assert_eq!((axis.minimum, axis.maximum), (2.0, 5.0));
    }

    #[test]
    fn limits_that_rrdtool_takes_as_one_are_moved_apart() {
        let maximum_of = |minimum, maximum| {
            let limits = Settings { lower: minimum, upper: maximum, ..Settings::default() };
            ValueAxis::fit(&limits, f64::NAN, f64::NAN).maximum
        };
        assert_eq!(maximum_of(-4.0, 1.0), 1.2);
        assert_eq!(maximum_of(-3.0, 1.5), 1.8);
        assert_eq!(maximum_of(-3.0, 1.0), 1.0);
    }
}
