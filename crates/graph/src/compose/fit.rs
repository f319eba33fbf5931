//! The grid fit: where lines and edges come to lie on whole pixels.
//!
//! In a PNG they lie on the pixels that rrdtool chooses: a line of one pixel covers the pixel
//! before its moment and the one below its value, and an area reaches one row further down. A
//! browser may enlarge an SVG: grids and axes lie where they belong, as in rrdtool's, and
//! steps are moved by up to half a pixel, so that they are sharp where it is not enlarged.

use super::Painter;
use crate::arguments::{Format, Settings};
use crate::rounding::rounded;
use crate::scene::{Point, Stroke, point};

/// What is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Nothing: `--no-gridfit`, and documents, which are for printers.
    Off,
    /// Steps and rules.
    Steps,
    /// All lines and edges, to rrdtool's pixels.
    Pixels,
}

impl Fit {
    pub(super) fn of(settings: &Settings) -> Self {
        match settings.format {
            _ if !settings.grid_fit => Self::Off,
            Format::Png => Self::Pixels,
            Format::Pdf | Format::Eps => Self::Off,
            _ => Self::Steps,
        }
    }

    /// A point of a curve of this width.
    pub(super) fn curve(self, at: Point, width: f64, slope: bool) -> Point {
        match self {
            Self::Pixels => pixel(at, width),
            Self::Steps if !slope => match is_odd(width) {
                true => point(at.x.floor() + 0.5, at.y.floor() + 0.5),
                false => point(rounded(at.x), rounded(at.y)),
            },
            _ => at,
        }
    }

    /// The height at which an area or a tick ends.
    pub(super) fn edge(self, y: f64, slope: bool) -> f64 {
        match self {
            Self::Pixels => (y + 1.0).floor(),
            Self::Steps if !slope => rounded(y),
            _ => y,
        }
    }
}

impl Painter<'_> {
    /// A line of the grid, or an axis.
    pub(super) fn grid_line(&mut self, from: Point, to: Point, stroke: Stroke) {
        let ends = [from, to].map(|end| match self.fit {
            Fit::Pixels => pixel(end, stroke.width),
            _ => end,
        });
        let [from, to] = ends;
        self.line(from, to, stroke);
    }

    /// HRULE and VRULE.
    pub(super) fn rule_line(&mut self, from: Point, to: Point, stroke: Stroke) {
        if self.fit != Fit::Steps {
            return self.grid_line(from, to, stroke);
        }
        let (from, to) = match from.x == to.x {
            true => (point(from.x + 0.5, from.y), point(to.x + 0.5, to.y)),
            false => {
                let y = from.y.floor().min(self.layout.bottom() - 1.0) + 0.5;
                (point(from.x, y), point(to.x, y))
            }
        };
        self.line(from, to, stroke);
    }
}

fn is_odd(width: f64) -> bool {
    width.round().max(1.0) as i64 % 2 == 1
}

/// A point of a line of this width whose edges meet those of rrdtool's pixels. Halves go to the row
/// above.
fn pixel(at: Point, width: f64) -> Point {
    let (x, y) = (rounded(at.x), (at.y - 0.5).ceil());
    if is_odd(width) { point(x - 0.5, y + 0.5) } else { point(x - 1.0, y + 1.0) }
}
