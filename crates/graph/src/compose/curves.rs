//! Lines, areas and ticks, cut off at the edges of the canvas.

use super::Painter;
use super::edge::runs;
use crate::arguments::{Ink, ShapeKind};
use crate::color::Color;
use crate::curves::{Curve, Curves};
use crate::scene::{Point, Primitive, Stroke, point};

/// A line wider than this reaches over the edges of the canvas although its values do not.
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
            ShapeKind::Line { width } if width > UNCLIPPED_WIDTH_PIXELS => true,
            ShapeKind::Line { .. } => curve.upper.iter().any(outside),
            ShapeKind::Area { .. } => curve.upper.iter().chain(lower).any(outside),
        }
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
            if self.plan.settings.grid_fit && !slope {
                points.iter_mut().for_each(|at| *at = crisp(*at, width));
            }
            let stroke = inked(&curve.shape.ink, color, width, true);
            self.put(Primitive::Polyline { points, stroke });
        }
    }

    /// A tick at each pixel whose value is neither unknown nor 0; neighbours are one rectangle.
    fn ticks(&mut self, curve: &Curve<'_>, color: Color, fraction: f64) {
        let height = fraction.abs() * self.layout.height;
        let top = if fraction < 0.0 { self.layout.top } else { self.layout.bottom() - height };
        let is_set = |pixel: &usize| {
            curve.upper.get(*pixel).is_some_and(|value| !value.is_nan() && *value != 0.0)
        };
        let mut pixels = (0..curve.upper.len()).filter(is_set).peekable();
        while let Some(first) = pixels.next() {
            let mut last = first;
            while let Some(next) = pixels.next_if_eq(&(last + 1)) {
                last = next;
            }
            let at = point(self.layout.left + first as f64, top);
            self.put(Primitive::Rect { at, width: (last - first + 1) as f64, height, color });
        }
    }
}

pub(super) fn inked(ink: &Ink, color: Color, width: f64, round: bool) -> Stroke {
    Stroke {
        color,
        width,
        dashes: ink.dashes.clone(),
        dash_offset: ink.dash_offset,
        round: round && ink.dashes.is_empty(),
    }
}

/// A point of a stepped line moved so that its edges meet those of pixels.
fn crisp(at: Point, width: f64) -> Point {
    if width.round() as i64 % 2 == 1 {
        point(at.x.floor() + 0.5, at.y.floor() + 0.5)
    } else {
        point(at.x.round(), at.y.round())
    }
}
