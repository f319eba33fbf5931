//! Glyphs of a text, each at its place.

use ab_glyph::GlyphId;

use super::face::Face;

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
