//! The values of every LINE, AREA and TICK, one for each pixel of the canvas.

use crate::arguments::{Element, Shape, ShapeKind};
use crate::calculate::Values;
use crate::plan::Plan;
use crate::time_window::TimeWindow;

/// A shape with its values.
#[derive(Clone, Debug)]
pub(crate) struct Curve<'a> {
    pub(crate) shape: &'a Shape,
    /// The upper edge at each pixel; NaN where nothing is drawn.
    pub(crate) upper: Vec<f64>,
    /// The lower edge of a stacked shape; `None` for the base line.
    pub(crate) lower: Option<Vec<f64>>,
}

/// The curves in drawing order, and the smallest and largest value among them.
pub(crate) struct Curves<'a> {
    pub(crate) curves: Vec<Curve<'a>>,
    pub(crate) smallest: f64,
    pub(crate) largest: f64,
}

impl<'a> Curves<'a> {
    /// Samples every shape at the beginning of each pixel.
    pub(crate) fn sample(plan: &'a Plan, values: &Values, pixels: usize) -> Self {
        let mut curves = Self { curves: Vec::new(), smallest: f64::NAN, largest: f64::NAN };
        let mut stacked = Vec::new();
        for element in &plan.script.elements {
            let Element::Shape(shape) = element else {
                continue;
            };
            let mut upper = sample(values, shape, pixels);
            let lower = shape.stack.then(|| stack(&mut upper, &stacked));
            if !matches!(shape.kind, ShapeKind::Tick { .. }) {
                if !shape.skip_scale {
                    curves.widen(&upper, plan.settings.logarithmic);
                }
                pile(&mut stacked, &upper, shape.stack);
            }
            curves.curves.push(Curve { shape, upper, lower });
        }
        curves
    }

    fn widen(&mut self, values: &[f64], positive_only: bool) {
        // rrdtool piles each on a zero: none is a negative zero then.
        for value in values.iter().map(|value| value + 0.0).filter(|value| value.is_finite()) {
            if !positive_only || value > 0.0 {
                self.smallest = self.smallest.min(value);
            }
            self.largest = self.largest.max(value);
        }
    }
}

fn sample(values: &Values, shape: &Shape, pixels: usize) -> Vec<f64> {
    let TimeWindow { start_seconds, end_seconds, .. } = values.window;
    let span_seconds = (end_seconds - start_seconds) as f64;
    let pixel_seconds = span_seconds / pixels.max(1) as f64;
    (0..pixels)
        .map(|pixel| {
            let seconds = (start_seconds as f64 + pixel_seconds * pixel as f64).floor();
            values.at(shape.value, seconds)
        })
        .collect()
}

/// Adds what lies below, where something does, and returns it.
fn stack(upper: &mut [f64], below: &[f64]) -> Vec<f64> {
    let mut lower = below.to_vec();
    lower.resize(upper.len(), f64::NAN);
    for (value, below) in upper.iter_mut().zip(&lower).filter(|(_, below)| !below.is_nan()) {
        *value += below;
    }
    lower
}

/// The pile that the next shape stands on: where a stacked one is unknown, what lay below it.
fn pile(pile: &mut Vec<f64>, upper: &[f64], on_top: bool) {
    if !on_top || pile.len() != upper.len() {
        upper.clone_into(pile);
        return;
    }
    for (height, value) in pile.iter_mut().zip(upper).filter(|(_, value)| !value.is_nan()) {
        *height = *value;
    }
}
