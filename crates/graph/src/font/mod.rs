//! Fonts: which face a name stands for, how wide its texts are, and the coverage of its glyphs.

mod wanted;
mod face;
mod library;
mod glyph;

pub use library::{FontFile, FontFinder};
pub use wanted::{Style, Wanted};

pub(crate) use ab_glyph::{GlyphId, OutlineCurve, Point as OutlinePoint};
pub(crate) use face::{Face, SLANT};
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
}

/// A glyph of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    /// Of which face it is: a font lacks some characters, which another then has.
    pub(crate) face: &'static Face,
    pub(crate) glyph: GlyphId,
    /// Where it begins, pixels from the start of the text.
    pub(crate) x: f64,
    /// How far it stands above the baseline, pixels.
    pub(crate) y: f64,
    /// The characters that it stands for; those of several glyphs belong to the first.
    pub(crate) text: &'a str,
}

/// The glyphs of a text without tabs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run<'a> {
    /// From left to right.
    pub(crate) glyphs: Vec<Placed<'a>>,
    /// Pixels.
    pub(crate) width: f64,
}

impl Font {
    pub(crate) fn new(face: &'static Face, points: f64) -> Self {
        Self { face, pixels: points * PIXELS_PER_POINT }
    }

    /// The default face.
    pub(crate) fn plain(points: f64) -> Self {
        Self::new(embedded(&Wanted::default()), points)
    }

    /// The width of one character.
    pub(crate) fn advance(self, character: char) -> f64 {
        (self.face.advance(character) * self.pixels).round()
    }

    /// The glyphs of a text without tabs. A character and what the next one is moved by are rounded
    /// together, as in rrdtool.
    pub(crate) fn place(self, text: &str) -> Run<'_> {
        let face = self.face;
        let mut run = Run { glyphs: Vec::with_capacity(text.len()), width: 0.0 };
        let mut before = None;
        for (at, character) in text.char_indices() {
            if let Some(before) = before {
                let kerning = face.kerning(before, character);
                run.width += ((face.advance(before) + kerning) * self.pixels).round();
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
