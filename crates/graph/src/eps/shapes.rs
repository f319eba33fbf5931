//! Shapes that are painted, and that bound what is painted.

use std::fmt::Write as _;

use super::numbers::{Number, hundredths, write_hundredths};
use crate::scene::{Point, Stroke};

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Rect(Bounds),
    Polygon(Vec<Point>),
    Line(Vec<Point>, Stroke),
}

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Bounds {
    pub(super) fn new(at: Point, width: f64, height: f64) -> Self {
        Self { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height }
    }

    fn around(points: &[Point], margin: f64) -> Self {
        let none = Self {
            left: f64::INFINITY,
            top: f64::INFINITY,
            right: f64::NEG_INFINITY,
            bottom: f64::NEG_INFINITY,
        };
        points.iter().fold(none, |bounds, at| Self {
            left: bounds.left.min(at.x - margin),
            top: bounds.top.min(at.y - margin),
            right: bounds.right.max(at.x + margin),
            bottom: bounds.bottom.max(at.y + margin),
        })
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        let across = self.left < other.right && other.left < self.right;
        across && self.top < other.bottom && other.top < self.bottom
    }

    pub(super) fn within(&self, other: &Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    pub(super) fn covers(&self, other: &Self) -> bool {
        let across = self.left <= other.left && other.right <= self.right;
        across && self.top <= other.top && other.bottom <= self.bottom
    }

    pub(super) fn contains(&self, at: Point) -> bool {
        (self.left..=self.right).contains(&at.x) && (self.top..=self.bottom).contains(&at.y)
    }
}

impl Shape {
    pub(super) fn bounds(&self) -> Bounds {
        match self {
            Self::Rect(bounds) => *bounds,
            Self::Polygon(points) => Bounds::around(points, 0.0),
            // Corners and ends reach no farther than this from the line's middle.
            Self::Line(points, stroke) => Bounds::around(points, 2.0 * stroke.width),
        }
    }

    /// How it is drawn, if it is a line.
    pub(super) fn stroke(&self) -> Option<&Stroke> {
        match self {
            Self::Line(_, stroke) => Some(stroke),
            Self::Rect(_) | Self::Polygon(_) => None,
        }
    }

    /// How many points it has.
    pub(super) fn points(&self) -> usize {
        match self {
            Self::Rect(_) => 4,
            Self::Polygon(points) | Self::Line(points, _) => points.len(),
        }
    }

    /// The operators that make its path.
    pub(super) fn path(&self) -> String {
        match self {
            Self::Rect(it) => format!(
                "{} {} {} {} b",
                Number(it.left),
                Number(it.top),
                Number(it.right - it.left),
                Number(it.bottom - it.top)
            ),
            Self::Polygon(points) => path(points) + " h",
            Self::Line(points, _) => path(points),
        }
    }
}

/// A path: steps from point to point, which are shorter than the points.
fn path(points: &[Point]) -> String {
    let mut out = String::with_capacity(points.len() * 6);
    let mut before: Option<[i64; 2]> = None;
    for (nth, at) in points.iter().enumerate() {
        let here = [at.x, at.y].map(hundredths);
        let (numbers, operator) = match before {
            None => (here.to_vec(), "m"),
            Some([x, y]) => match [here[0] - x, here[1] - y] {
                [0, 0] => continue,
                [across, 0] => (vec![across], "x"),
                [0, down] => (vec![down], "y"),
                step => (step.to_vec(), "r"),
            },
        };
        for number in numbers {
            // A String takes all.
            let _ = write_hundredths(&mut out, number);
            out.push(' ');
        }
        out.push_str(operator);
        // Lines of a PostScript file are to be short.
        out.push(if nth % 20 == 19 { '\n' } else { ' ' });
        before = Some(here);
    }
    out.truncate(out.trim_end().len());
    out
}

/// The operators that set how a line is drawn.
pub(super) fn style(stroke: &Stroke) -> String {
    let mut out = format!("{} w[", Number(stroke.width));
    let dashes: Vec<String> = stroke.dashes.iter().map(|it| Number(*it).to_string()).collect();
    let _ = write!(out, "{}]{} d", dashes.join(" "), Number(stroke.dash_offset));
    if stroke.round {
        out.push_str(" 1 setlinecap 1 setlinejoin");
    }
    out
}
