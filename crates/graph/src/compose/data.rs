//! Lines, areas, ticks and rules.

use super::Painter;
use crate::arguments::{Element, Ink, Quantity, Rule, ShapeKind};
use crate::calculate::Values;
use crate::color::Color;
use crate::curves::{Curve, Curves};
use crate::scene::{Point, Primitive, Stroke, point};

impl Painter<'_> {
    pub(super) fn curves(&mut self, curves: &Curves<'_>) {
        // A mask costs more than most curves: only those that leave the canvas get one.
        let axis = self.axis;
        let fits = !(curves.smallest < axis.minimum || curves.largest > axis.maximum);
        let beyond = !fits || curves.curves.iter().any(|curve| curve.shape.skip_scale);
        if beyond {
            self.clip();
        }
        for curve in &curves.curves {
            let Some(color) = curve.shape.ink.color else {
                continue;
            };
            match curve.shape.kind {
                ShapeKind::Area { base_color } => self.area(curve, color, base_color),
                ShapeKind::Line { width } => self.curve_line(curve, color, width),
                ShapeKind::Tick { fraction } => self.ticks(curve, color, fraction),
            }
        }
        if beyond {
            self.put(Primitive::Unclip);
        }
    }

    /// The points of an edge: a step at each change, or a slope through them.
    fn edge(&self, values: &[f64], first: usize, last: usize, base: Option<f64>) -> Vec<Point> {
        let left = self.layout.left;
        let mut points: Vec<Point> = Vec::new();
        for pixel in first..=last {
            let value = values.get(pixel).copied().unwrap_or(f64::NAN);
            let value = if value.is_nan() { base.unwrap_or(value) } else { value };
            let y = self.y(value);
            let (from, to) = (left + pixel as f64 - 1.0, left + pixel as f64);
            match points.last_mut() {
                Some(before) if before.y == y => before.x = to,
                _ if self.plan.settings.slope => points.push(point(to, y)),
                _ => {
                    points.push(point(from, y));
                    points.push(point(to, y));
                }
            }
        }
        points
    }

    fn area(&mut self, curve: &Curve<'_>, color: Color, base_color: Option<Color>) {
        let base = 0.0_f64.clamp(self.axis.minimum, self.axis.maximum);
        for (first, last) in runs(&curve.upper) {
            let mut points = self.edge(&curve.upper, first, last, None);
            match &curve.lower {
                Some(lower) => {
                    let mut lower = self.edge(lower, first, last, Some(base));
                    lower.reverse();
                    points.extend(lower);
                }
                None => {
                    let (Some(start), Some(end)) = (points.first(), points.last()) else {
                        continue;
                    };
                    let y = self.y(base);
                    let (start, end) = (point(start.x, y), point(end.x, y));
                    points.push(end);
                    points.push(start);
                }
            }
            self.put(Primitive::Polygon { points, color, fade: base_color });
        }
    }

    fn curve_line(&mut self, curve: &Curve<'_>, color: Color, width: f64) {
        if width <= 0.0 {
            return;
        }
        for (first, last) in runs(&curve.upper) {
            let mut points = self.edge(&curve.upper, first, last, None);
            if !self.plan.settings.slope {
                points.iter_mut().for_each(|at| *at = crisp(*at, width));
            }
            let stroke = inked(&curve.shape.ink, color, width, true);
            self.put(Primitive::Polyline { points, stroke });
        }
    }

    fn ticks(&mut self, curve: &Curve<'_>, color: Color, fraction: f64) {
        let length = fraction.abs() * self.layout.height;
        let top = if fraction < 0.0 { self.layout.top } else { self.layout.bottom() - length };
        for (pixel, value) in curve.upper.iter().enumerate() {
            if value.is_nan() || *value == 0.0 {
                continue;
            }
            self.put(Primitive::Rect {
                at: point(self.layout.left + pixel as f64, top),
                width: 1.0,
                height: length,
                color,
            });
        }
    }

    pub(super) fn rules(&mut self, values: &Values) {
        for element in &self.plan.script.elements {
            if let Element::Rule(rule) = element {
                self.rule(rule, values);
            }
        }
    }

    fn rule(&mut self, rule: &Rule, values: &Values) {
        let Some(color) = rule.ink.color else {
            return;
        };
        let fact = match rule.at {
            Quantity::Number(number) => (number, number),
            Quantity::Of(position) => {
                values.fact(position).map_or((f64::NAN, f64::NAN), |fact| (fact.value, fact.when()))
            }
        };
        let stroke = inked(&rule.ink, color, 1.0, false);
        let layout = *self.layout;
        if rule.vertical {
            if (self.plan.start_seconds as f64..=self.plan.end_seconds as f64).contains(&fact.1) {
                let x = self.x(fact.1) + 0.5;
                self.line(point(x, layout.bottom()), point(x, layout.top), stroke);
            }
        } else if (self.axis.minimum..=self.axis.maximum).contains(&fact.0) {
            let y = self.y(fact.0).floor().min(layout.bottom() - 1.0) + 0.5;
            self.line(point(layout.left, y), point(layout.right(), y), stroke);
        }
    }
}

fn inked(ink: &Ink, color: Color, width: f64, round: bool) -> Stroke {
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

/// The stretches of known values: first and last pixel. Pixel 0 has no width and starts none.
fn runs(values: &[f64]) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for pixel in 1..=values.len() {
        let known = values.get(pixel).is_some_and(|value| !value.is_nan());
        match (known, start) {
            (true, None) => start = Some(pixel),
            (false, Some(first)) => {
                runs.push((first, pixel - 1));
                start = None;
            }
            _ => {}
        }
    }
    runs
}
