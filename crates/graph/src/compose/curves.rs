//! Lines, areas and ticks, cut off at the edges of the canvas.

use super::Painter;
use super::edge::runs;
use super::fit::Fit;
use crate::arguments::{Ink, Shape, ShapeKind};
use crate::color::Color;
use crate::curves::{Curve, Curves};
use crate::scene::{Primitive, Stroke, point};

/// A line that is not wider stays on the canvas if its values do.
const UNCLIPPED_WIDTH_PIXELS: f64 = 2.0;

impl Painter<'_> {
    pub(super) fn curves(&mut self, curves: &Curves<'_>) {
        // A mask costs more than most curves: only those that leave the canvas get one.
        let beyond = curves.curves.iter().any(|curve| self.leaves_canvas(curve));
        if beyond {
            self.clip();
        }
        for curve in &curves.curves {
            let Some(color) = curve.shape.ink.color else {
                continue;
            };
            match curve.shape.kind {
                ShapeKind::Area { gradient } => self.area(curve, color, gradient),
                ShapeKind::Line { width } => self.curve_line(curve, color, width),
                ShapeKind::Tick { fraction } => self.ticks(curve, color, fraction),
            }
        }
        if beyond {
            self.put(Primitive::Unclip);
        }
    }

    fn leaves_canvas(&self, curve: &Curve<'_>) -> bool {
        let outside = |value: &f64| *value < self.axis.minimum || *value > self.axis.maximum;
        let lower = curve.lower.iter().flatten();
        match curve.shape.kind {
            ShapeKind::Tick { .. } => false,
            ShapeKind::Line { .. } if self.is_cut_off(curve.shape) => true,
            ShapeKind::Line { .. } => curve.upper.iter().any(outside),
            ShapeKind::Area { .. } => curve.upper.iter().chain(lower).any(outside),
        }
    }

    /// Whether a line reaches over the edges of the canvas although its values do not: a wide one
    /// does, and a dashed one, whose dashes are counted from outside.
    fn is_cut_off(&self, shape: &Shape) -> bool {
        let ShapeKind::Line { width } = shape.kind else { return false };
        width > UNCLIPPED_WIDTH_PIXELS || !shape.ink.dashes.is_empty()
    }

    fn curve_line(&mut self, curve: &Curve<'_>, color: Color, width: f64) {
        if width <= 0.0 {
            return;
        }
        let slope = self.plan.settings.slope;
        for run in runs(&curve.upper, slope) {
            let first = *run.start();
            let heights = self.heights(curve.upper.get(run).unwrap_or_default());
            let mut points = self.path(&heights, first, slope);
            points.iter_mut().for_each(|at| *at = self.fit.curve(*at, width, slope));
            if self.fit == Fit::Pixels && !self.is_cut_off(curve.shape) {
                // The fit moves the first point out of the canvas.
                let first_x = self.layout.left + width / 2.0;
                points.iter_mut().for_each(|at| at.x = at.x.max(first_x));
            }
            let stroke = inked(&curve.shape.ink, color, width, true);
            self.put(Primitive::Polyline { points, stroke });
        }
    }

    /// A tick at each pixel whose value is neither unknown nor 0; neighbours are one rectangle. On
    /// rrdtool's pixels each is one to the left.
    fn ticks(&mut self, curve: &Curve<'_>, color: Color, fraction: f64) {
        let height = fraction.abs() * self.layout.height;
        let is_fitted = self.fit == Fit::Pixels;
        let bottom = if is_fitted { self.layout.bottom() + 1.0 } else { self.layout.bottom() };
        let top = if fraction < 0.0 { self.layout.top } else { bottom - height };
        let is_set = |pixel: &usize| {
            curve.upper.get(*pixel).is_some_and(|value| !value.is_nan() && *value != 0.0)
        };
        let mut pixels = (usize::from(is_fitted)..curve.upper.len()).filter(is_set).peekable();
        while let Some(first) = pixels.next() {
            let mut last = first;
            while let Some(next) = pixels.next_if_eq(&(last + 1)) {
                last = next;
            }
            let column = first - usize::from(is_fitted);
            let at = point(self.layout.left + column as f64, top);
            self.put(Primitive::Rect { at, width: (last - first + 1) as f64, height, color });
        }
    }
}

pub(super) fn inked(ink: &Ink, color: Color, width: f64, round: bool) -> Stroke {
    Stroke { color, width, dashes: ink.dashes.clone(), dash_offset: ink.dash_offset, round }
}
