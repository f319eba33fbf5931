//! Fonts: which face a name stands for, how wide its texts are, and the coverage of its glyphs.

mod wanted;
mod face;
mod library;
mod placed;
mod shape;
mod glyph;

pub use library::{FontFile, FontFinder};
pub use wanted::{Style, Wanted};

pub(crate) use ab_glyph::{GlyphId, OutlineCurve, Point as OutlinePoint};
pub(crate) use face::{Face, SLANT};
pub(crate) use glyph::{Glyph, rasterize};
pub(crate) use library::{embedded, found};
pub(crate) use placed::{Placed, Run};
pub(crate) use shape::PANGO_UNITS;

use shape::Shaping;

/// Pixels a point: rrdtool draws for 100 dots an inch.
const PIXELS_PER_POINT: f64 = 100.0 / 72.0;

/// A face at a size, fitted to the pixel grid so that text is crisp: each character is a whole
/// number of pixels wide, as in rrdtool, and the height of an x is one, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Font {
    pub(crate) face: &'static Face,
    /// The size in pixels.
    pub(crate) pixels: f64,
    /// Where other faces come from.
    finder: Option<FontFinder>,
    /// How many pixels of the image's grid one pixel is.
    zoom: f64,
}

/// Fonts that look alike.
impl PartialEq for Font {
    fn eq(&self, other: &Self) -> bool {
        self.face == other.face && self.pixels == other.pixels && self.zoom == other.zoom
    }
}

/// Whether letters of a text may share one glyph: `ff`, `fi`, `fl`.
fn may_ligate(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| matches!(pair, b"ff" | b"fi" | b"fl"))
}

/// From here on characters combine, or run from right to left, or have no glyph in most fonts.
const COMPLEX: char = '\u{300}';

impl Font {
    pub(crate) fn new(face: &'static Face, points: f64, finder: Option<FontFinder>) -> Self {
        Self { face, pixels: points * PIXELS_PER_POINT, finder, zoom: 1.0 }
    }

    /// The same font, fitted to the grid of an image that is so many times as large.
    pub(crate) fn zoomed(self, zoom: f64) -> Self {
        Self { zoom, ..self }
    }

    /// The default face.
    pub(crate) fn plain(points: f64) -> Self {
        Self::new(embedded(&Wanted::default()), points, None)
    }

    /// The width of one character.
    pub(crate) fn advance(self, character: char) -> f64 {
        self.fitted(self.face.advance(character))
    }

    /// Takes the face that is wanted.
    pub(crate) fn choose(&mut self, wanted: &Wanted) {
        self.face = match self.finder {
            Some(finder) => found(wanted, finder),
            None => embedded(wanted),
        };
    }

    /// The glyphs of a text without tabs that runs one way.
    pub(crate) fn place(self, text: &str, right_to_left: bool) -> Run<'_> {
        let Self { face, pixels, finder, zoom } = self;
        let is_simple = |character: char| {
            character.is_ascii() || (character < COMPLEX && face.glyph(character).0 != 0)
        };
        // The embedded fonts have their kerning where it is found without shaping.
        let is_plain = text.chars().all(is_simple) && !may_ligate(text);
        if !right_to_left && face.is_embedded && is_plain {
            return self.place_simple(text);
        }
        Shaping { face, finder, pixels, zoom, right_to_left }.shape(text)
    }

    /// One glyph beside the other. A character and what the next one is moved by are rounded
    /// together, as in rrdtool.
    fn place_simple(self, text: &str) -> Run<'_> {
        let face = self.face;
        let mut run = Run { glyphs: Vec::with_capacity(text.len()), width: 0.0 };
        let mut before = None;
        for (at, character) in text.char_indices() {
            if let Some(before) = before {
                let kerning = face.kerning(before, character);
                run.width += self.fitted(face.advance(before) + kerning);
            }
            before = Some(character);
            let end = at + character.len_utf8();
            let text = text.get(at..end).unwrap_or_default();
            let glyph = face.glyph(character);
            run.glyphs.push(Placed { face, glyph, x: run.width, y: 0.0, text });
        }
        run.width += before.map_or(0.0, |last| self.advance(last));
        run
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
