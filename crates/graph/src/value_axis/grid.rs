//! The lines and labels of the value axis.

use super::grid_line::GridLine;
use super::label::Labels;
use super::{ValueAxis, logarithmic};
use crate::arguments::{Settings, ValueGrid};
use crate::format::si_unit;

/// The distances that grid lines may have, and how many of them a label may span.
const STEPS: [(f64, [u32; 4]); 12] = [
    (0.1, [1, 2, 5, 10]),
    (0.2, [1, 5, 10, 20]),
    (0.5, [1, 2, 4, 10]),
    (1.0, [1, 2, 5, 10]),
    (2.0, [1, 5, 10, 20]),
    (5.0, [1, 2, 4, 10]),
    (10.0, [1, 2, 5, 10]),
    (20.0, [1, 5, 10, 20]),
    (50.0, [1, 2, 4, 10]),
    (100.0, [1, 2, 5, 10]),
    (200.0, [1, 5, 10, 20]),
    (500.0, [1, 2, 4, 10]),
];

/// Lines closer than this many pixels are too dense.
const LINE_PIXELS_MIN: f64 = 5.0;

/// The most lines of a grid.
const LINES_MAX: f64 = 2000.0;

/// The grid of an axis of `height` pixels.
pub(crate) fn grid(axis: &ValueAxis, settings: &Settings, height: f64) -> Vec<GridLine> {
    if settings.value_grid == ValueGrid::None {
        return Vec::new();
    }
    if axis.logarithmic {
        return logarithmic::grid(axis, &Labels::new(settings, 0.0), height);
    }
    let Some(rule) = Spacing::choose(axis, settings, height) else {
        return Vec::new();
    };
    let first = (axis.minimum / rule.step - 1.0).trunc();
    let last = (axis.maximum / rule.step + 1.0).trunc();
    if !(last - first).is_finite() || last - first > LINES_MAX {
        return Vec::new();
    }
    let words = Labels::new(settings, rule.step * (first + last) / 2.0);
    let largest_label = rule.step * last / axis.label_factor();
    let mut lines = Vec::new();
    let mut labels = 0;
    for nth in first as i64..=last as i64 {
        let share = axis.share(rule.step * nth as f64);
        if !visible(share, height) {
            continue;
        }
        let next = rule.step * (nth + 1) as f64 - axis.minimum;
        let next_outside = height / (axis.maximum - axis.minimum) * next > height;
        let labelled = nth % i64::from(rule.label_every) == 0 || (labels == 1 && next_outside);
        labels += usize::from(labelled);
        let number = rule.number(nth, axis);
        let value = rule.step * nth as f64;
        let label = labelled.then(|| {
            let plain = || rule.label(number, largest_label, axis, nth == 0);
            words.left(value, number).unwrap_or_else(plain)
        });
        let decimals = usize::from(largest_label < 10.0);
        let right = if labelled { words.right(value, decimals) } else { None };
        lines.push(GridLine { share, label, right });
    }
    lines
}

/// Whether a line lies on the canvas, once rounded to a pixel.
fn visible(share: f64, height: f64) -> bool {
    let pixel = (share * height - 0.5).ceil();
    (0.0..=height).contains(&pixel)
}

struct Spacing {
    step: f64,
    label_every: u32,
    /// Digits behind the point, where the alternative grid says so.
    decimals: Option<usize>,
}

impl Spacing {
    fn choose(axis: &ValueAxis, settings: &Settings, height: f64) -> Option<Self> {
        let range = axis.maximum - axis.minimum;
        if !range.is_finite() || range <= 0.0 {
            return None;
        }
        if let ValueGrid::Custom { step, label_every } = settings.value_grid {
            return Some(Self { step, label_every, decimals: None });
        }
        if settings.alternative_value_grid {
            return Some(Self::alternative(axis, settings, range));
        }
        let scaled = range / axis.magnitude;
        // rrdtool counts whole pixels.
        let pixels = |step: f64| (height / (scaled / step)).trunc();
        let (step, every) =
            STEPS.iter().find(|(step, _)| pixels(*step) >= LINE_PIXELS_MIN).or(STEPS.last())?;
        let label_pixels = 1.8 * settings.fonts.axis.points;
        let label_every = every
            .iter()
            .find(|every| pixels(*step) * f64::from(**every) >= label_pixels)
            .or(every.last())?;
        Some(Self { step: step * axis.magnitude, label_every: *label_every, decimals: None })
    }

    /// `-Y`: lines at powers of ten of the range, labels with as many digits as they need.
    fn alternative(axis: &ValueAxis, settings: &Settings, range: f64) -> Self {
        let per_magnitude = axis.labels_per_magnitude();
        let labelled_range = range / axis.magnitude * per_magnitude;
        // Not quite a power of ten where rrdtool lost digits, which decides at the edges below.
        let power = 10_f64.powf(labelled_range.log10().floor());
        let mut step = power / per_magnitude * axis.magnitude;
        if range / step < 5.0 && step >= 30.0 {
            step /= 10.0;
        }
        if range / step > 15.0 {
            step *= 10.0;
        }
        let label_every = if range / step > 5.0 {
            let dense = range / step > 8.0 || step < 1.8 * settings.fonts.axis.points;
            if dense { 2 } else { 1 }
        } else {
            step /= 5.0;
            5
        };
        let label_step = step * f64::from(label_every) / axis.magnitude * per_magnitude;
        let fraction = label_step.log10().floor();
        Self { step, label_every, decimals: Some((-fraction).clamp(0.0, 30.0) as usize) }
    }

    /// What the label of the `nth` line says.
    fn number(&self, nth: i64, axis: &ValueAxis) -> f64 {
        if nth == 0 {
            return 0.0; // and never -0
        }
        self.step / axis.magnitude * axis.labels_per_magnitude() * nth as f64
    }

    fn label(&self, number: f64, largest: f64, axis: &ValueAxis, zero: bool) -> String {
        let digits = match self.decimals {
            Some(decimals) => format!("{number:.decimals$}"),
            None if largest < 10.0 => format!("{number:.1}"),
            None => format!("{number:.0}"),
        };
        match si_unit(axis.label_power) {
            " " => digits,
            _ if zero => format!("{digits}  "),
            unit => format!("{digits} {unit}"),
        }
    }
}
