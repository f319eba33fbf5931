//! A line of text where it stands on an image: for renderers that draw glyphs as shapes.

use crate::font::Placed;
use crate::scene::{Anchor, Point, point};
use crate::text::{Line, Piece, width_of};

/// A line of text at its place.
pub(crate) struct PlacedLine<'a> {
    pub(crate) pieces: Vec<Piece<'a>>,
    at: Point,
    /// How far before that point it begins, along the line.
    start: f64,
    /// Along the line, rightwards and downwards on the image.
    along: Point,
}

/// Where a glyph stands and which way: what is one to its right and one above it, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    pub(crate) origin: Point,
    pub(crate) right: Point,
    pub(crate) up: Point,
}

impl Line {
    /// Puts the line at a point, turned clockwise about it.
    pub(crate) fn placed(&self, at: Point, anchor: Anchor, degrees: i32) -> PlacedLine<'_> {
        let pieces = self.pieces();
        let start = anchor.start(width_of(&pieces));
        let along = match degrees {
            0 => point(1.0, 0.0),
            90 => point(0.0, 1.0),
            -90 => point(0.0, -1.0),
            other => {
                let (sine, cosine) = f64::from(other).to_radians().sin_cos();
                point(cosine, sine)
            }
        };
        PlacedLine { pieces, at, start, along }
    }
}

impl PlacedLine<'_> {
    fn point(&self, along: f64, above: f64) -> Point {
        let Point { x, y } = self.along;
        point(self.at.x + x * along + y * above, self.at.y + y * along - x * above)
    }

    /// Where a glyph of a piece stands.
    pub(crate) fn stand(&self, piece: &Piece<'_>, glyph: &Placed<'_>) -> Stand {
        let origin = self.point(self.start + piece.x + glyph.x, piece.span.rise + glyph.y);
        let right = self.along;
        let up = point(right.y, -right.x);
        Stand { origin, right, up }
    }

    /// The lines under and through a piece, as polygons.
    pub(crate) fn bars(&self, piece: &Piece<'_>) -> Vec<[Point; 4]> {
        let start = self.start + piece.x;
        let end = start + piece.run.width;
        let (bars, thickness) = piece.span.bars();
        let bars = bars.map(|below| piece.span.rise - below);
        bars.map(|top| {
            let bottom = top - thickness;
            [
                self.point(start, top),
                self.point(end, top),
                self.point(end, bottom),
                self.point(start, bottom),
            ]
        })
        .collect()
    }
}
