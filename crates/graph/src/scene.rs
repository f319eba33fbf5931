//! A picture as a short list of primitives: built once, drawn by either renderer.

use crate::color::Color;
use crate::text::Line;

/// A point; y grows downwards, both in pixels before zoom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

pub(crate) const fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

/// Which part of a text its position means, along the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    /// Where a text of this width begins, from the position that it is given.
    pub(crate) fn start(self, width: f64) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => -(width / 2.0).round(),
            Self::End => -width,
        }
    }
}

/// How a line is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) color: Color,
    pub(crate) width: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub(crate) dashes: Vec<f64>,
    pub(crate) dash_offset: f64,
    /// Whether ends and corners are round.
    pub(crate) round: bool,
}

impl Stroke {
    /// A solid line.
    pub(crate) const fn solid(color: Color, width: f64) -> Self {
        Self { color, width, dashes: Vec::new(), dash_offset: 0.0, round: false }
    }
}

/// A gradient, downwards or upwards: it ends in this colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fade {
    pub(crate) color: Color,
    /// Where the polygon still has its own colour.
    pub(crate) from_y: f64,
    /// Where it has this one.
    pub(crate) to_y: f64,
}

/// Something to draw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Primitive {
    /// A filled rectangle.
    Rect { at: Point, width: f64, height: f64, color: Color },
    /// A filled polygon.
    Polygon { points: Vec<Point>, color: Color, fade: Option<Fade> },
    /// A line through points.
    Polyline { points: Vec<Point>, stroke: Stroke },
    /// One line of text on a baseline that begins, is centred or ends at a point.
    Text {
        at: Point,
        line: Line,
        anchor: Anchor,
        /// Clockwise, about the point.
        degrees: i32,
    },
    /// What follows is cut off outside this rectangle, until [`Primitive::Unclip`].
    Clip { at: Point, width: f64, height: f64 },
    /// Ends a clip.
    Unclip,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scene {
    /// Pixels before zoom.
    pub(crate) width: u32,
    /// Pixels before zoom.
    pub(crate) height: u32,
    /// In drawing order.
    pub(crate) primitives: Vec<Primitive>,
    /// Whether thin lines along an axis are drawn on whole pixels.
    pub(crate) snap: bool,
}
