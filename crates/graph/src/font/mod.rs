//! Fonts: which face a name stands for, how wide its texts are, and the coverage of its glyphs.

mod wanted;
mod face;
mod library;
mod glyph;

pub use library::{FontFile, FontFinder};
pub use wanted::{Style, Wanted};

pub(crate) use face::Face;
pub(crate) use glyph::{Glyph, rasterize};
pub(crate) use library::{embedded, found};

/// Pixels a point: rrdtool draws for 100 dots an inch.
const PIXELS_PER_POINT: f64 = 100.0 / 72.0;

/// A face at a size, fitted to the pixel grid so that text is crisp: each character is a whole
/// number of pixels wide, as in rrdtool, and the height of an x is one, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Font {
    pub(crate) face: &'static Face,
    /// The size in pixels.
    pub(crate) pixels: f64,
    /// How many pixels of the image's grid one pixel is.
    zoom: f64,
}

/// A character of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) character: char,
    /// Where it begins, pixels.
    pub(crate) x: f64,
}

impl Font {
    pub(crate) fn new(face: &'static Face, points: f64) -> Self {
        Self { face, pixels: points * PIXELS_PER_POINT, zoom: 1.0 }
    }

    /// The same font, fitted to the grid of an image that is so many times as large.
    pub(crate) fn zoomed(self, zoom: f64) -> Self {
        Self { zoom, ..self }
    }

    /// The default face.
    pub(crate) fn plain(points: f64) -> Self {
        Self::new(embedded(&Wanted::default()), points)
    }

    /// The width of one character.
    pub(crate) fn advance(self, character: char) -> f64 {
        self.fitted(self.face.advance(character))
    }

    /// The width of a text without tabs.
    pub(crate) fn width(self, text: &str) -> f64 {
        self.place(text).last().map_or(0.0, |placed| placed.x + self.advance(placed.character))
    }

    /// Where each character of a text without tabs begins. A character and what the next one is
    /// moved by are rounded together, as in rrdtool.
    pub(crate) fn place(self, text: &str) -> impl Iterator<Item = Placed> {
        let mut x = 0.0;
        let mut before = None;
        text.chars().map(move |character| {
            if let Some(before) = before {
                let kerning = self.face.kerning(before, character);
                x += self.fitted(self.face.advance(before) + kerning);
            }
            before = Some(character);
            Placed { character, x }
        })
    }

    /// A share of the size as whole pixels of the image's grid.
    fn fitted(self, share: f64) -> f64 {
        (share * self.pixels * self.zoom).round() / self.zoom
    }

    /// The distance from the baseline up to the middle of a line of text.
    pub(crate) fn middle(self) -> f64 {
        self.pixels * (self.face.ascent - self.face.descent) / 2.0
    }

    /// The distance from the top of a line of text to its baseline.
    pub(crate) fn ascent(self) -> f64 {
        (self.pixels * self.face.ascent).ceil()
    }

    /// The distance of two lines of text.
    pub(crate) fn line(self) -> f64 {
        self.ascent() + (self.pixels * self.face.descent).ceil()
    }
}
