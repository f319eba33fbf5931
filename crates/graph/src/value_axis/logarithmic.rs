//! The lines and labels of a logarithmic value axis.

use super::ValueAxis;
use super::grid_line::GridLine;
use super::label::Labels;

/// The room that labels of two powers of ten need, pixels.
const POWER_PIXELS: f64 = 24.0;

/// The room that the last label within a power of ten needs before the next power, pixels.
const MULTIPLE_PIXELS: f64 = 16.0;

/// Which multiples of a power of ten may have labels, fewest first.
const LABELLED: [&[i32]; 5] =
    [&[1], &[1, 5], &[1, 2, 5, 7], &[1, 2, 4, 6, 8], &[1, 2, 3, 4, 5, 6, 7, 8, 9]];

/// The most powers of ten that an axis may have.
const POWERS_MAX: f64 = 600.0;

/// The grid of a logarithmic axis of `height` pixels.
pub(super) fn grid(axis: &ValueAxis, words: &Labels<'_>, height: f64) -> Vec<GridLine> {
    let powers = (axis.maximum / axis.minimum).log10();
    if !powers.is_finite() || powers <= 0.0 || powers > POWERS_MAX {
        return Vec::new();
    }
    let power_pixels = height / powers;
    let line = |value: f64, is_labelled: bool| GridLine {
        share: axis.share(value),
        label: is_labelled.then(|| words.logarithmic(value)),
        right: if is_labelled { words.logarithmic_right(value) } else { None },
    };
    if power_pixels >= POWER_PIXELS {
        return multiples(axis, power_pixels, height, line);
    }
    let every =
        (1..).map(|nth| 3 * nth).find(|many| f64::from(*many) * power_pixels >= POWER_PIXELS);
    let every = every.unwrap_or(3);
    let labelled = exponents(axis, every, height);
    let all = exponents(axis, every / 3, height);
    all.into_iter().map(|it| line(10_f64.powi(it), labelled.contains(&it))).collect()
}

/// Each multiple of each power of ten.
fn multiples(
    axis: &ValueAxis,
    power_pixels: f64,
    height: f64,
    line: impl Fn(f64, bool) -> GridLine,
) -> Vec<GridLine> {
    let has_room = |multiples: &&&[i32]| {
        let last = multiples.last().copied().unwrap_or(1);
        power_pixels * (10.0 / f64::from(last)).log10() >= MULTIPLE_PIXELS
    };
    let labelled = LABELLED.iter().rev().find(has_room).unwrap_or(&LABELLED[0]);
    let first = axis.minimum.log10().floor() as i32;
    let last = axis.maximum.log10().ceil() as i32;
    let values = (first..=last).flat_map(|power| (1..10).map(move |multiple| (power, multiple)));
    values
        .map(|(power, multiple)| (f64::from(multiple) * 10_f64.powi(power), multiple))
        .filter(|(value, _)| is_on(axis, *value, height))
        .map(|(value, multiple)| line(value, labelled.contains(&multiple)))
        .collect()
}

/// The powers of ten that get a line if every so manyth does. On axes above 1 rrdtool begins to
/// count at another one than the multiples.
fn exponents(axis: &ValueAxis, every: i32, height: f64) -> Vec<i32> {
    let first = (axis.minimum.log10() - 1e-9).ceil() as i32;
    let first = first + (first % every).abs();
    let on = |power: &i32| is_on(axis, 10_f64.powi(*power), height);
    (0..).map(|nth| first + nth * every).take_while(on).collect()
}

/// The lower limit has a line; what lies on the pixel of the upper has none.
fn is_on(axis: &ValueAxis, value: f64, height: f64) -> bool {
    let pixels = (axis.share(value) * height).round();
    value >= axis.minimum * (1.0 - 1e-9) && pixels < height
}
