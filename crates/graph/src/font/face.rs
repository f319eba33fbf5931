//! One face of a font: its glyphs and their measures, as shares of the size.

use std::fmt;
use std::sync::OnceLock;

use ab_glyph::{Font as _, FontRef, GlyphId, Outline, OutlineCurve, Point};

use super::wanted::{Style, Wanted};

/// How far a slanted glyph leans, to the right a pixel up.
pub(crate) const SLANT: f32 = 0.2;

/// A face, read once a process.
pub(crate) struct Face {
    /// What CSS calls it, with alternatives.
    pub(crate) family: String,
    /// The style that is drawn.
    pub(crate) style: Style,
    /// Whether the glyphs are slanted here, because the font's own are upright.
    pub(crate) slanted: bool,
    pub(crate) ascent: f64,
    pub(crate) descent: f64,
    /// The height of a lower-case x.
    pub(crate) x_height: f64,
    /// Whether it is one of the faces inside the binary.
    pub(super) is_embedded: bool,
    /// The whole font file, and which face of it this is.
    pub(crate) bytes: &'static [u8],
    pub(crate) index: u32,
    pub(crate) units_per_em: f64,
    pub(super) font: FontRef<'static>,
    /// The glyphs and advances of ASCII, which is nearly all that graphs say.
    ascii_glyphs: [GlyphId; 128],
    ascii_advances: [f64; 128],
    is_monospaced: bool,
    shaper: OnceLock<Option<harfrust::Font>>,
}

impl Face {
    /// `None` if the bytes are no font.
    pub(crate) fn read(
        bytes: &'static [u8],
        index: u32,
        family: String,
        style: Style,
        slanted: bool,
    ) -> Option<Self> {
        let font = FontRef::try_from_slice_and_index(bytes, index).ok()?;
        let units_per_em = f64::from(font.units_per_em()?);
        let ascii_glyphs: [GlyphId; 128] =
            std::array::from_fn(|code| font.glyph_id(code as u8 as char));
        let ascii_advances =
            ascii_glyphs.map(|glyph| f64::from(font.h_advance_unscaled(glyph)) / units_per_em);
        let x = font.outline(font.glyph_id('x')).map_or(0.5, |outline| {
            f64::from(outline.bounds.max.y.max(outline.bounds.min.y)) / units_per_em
        });
        Some(Self {
            family,
            style,
            slanted,
            ascent: f64::from(font.ascent_unscaled()) / units_per_em,
            descent: f64::from(-font.descent_unscaled()) / units_per_em,
            x_height: if x > 0.1 { x } else { 0.5 },
            is_monospaced: ascii_advances[usize::from(b'i')] == ascii_advances[usize::from(b'W')],
            is_embedded: false,
            shaper: OnceLock::new(),
            bytes,
            index,
            units_per_em,
            font,
            ascii_glyphs,
            ascii_advances,
        })
    }

    /// The same face, as one of those inside the binary.
    pub(super) fn within_binary(self) -> Self {
        Self { is_embedded: true, ..self }
    }

    /// What this face was chosen by.
    pub(crate) fn wanted(&self) -> Wanted {
        let family = self.family.split(',').next().unwrap_or("");
        Wanted { families: vec![family.to_owned()], style: self.style }
    }

    pub(super) fn advance(&self, character: char) -> f64 {
        match self.ascii_advances.get(character as usize) {
            Some(advance) => *advance,
            None => self.advance_of(self.glyph(character)),
        }
    }

    /// The advance of a glyph, as a share of the size.
    pub(crate) fn advance_of(&self, glyph: GlyphId) -> f64 {
        f64::from(self.font.h_advance_unscaled(glyph)) / self.units_per_em
    }

    /// How much farther apart two characters stand.
    pub(super) fn kerning(&self, before: char, after: char) -> f64 {
        if self.is_monospaced {
            return 0.0;
        }
        let units = self.font.kern_unscaled(self.glyph(before), self.glyph(after));
        f64::from(units) / self.units_per_em
    }

    /// The glyph of a character; that of a missing one is 0.
    pub(crate) fn glyph(&self, character: char) -> GlyphId {
        match self.ascii_glyphs.get(character as usize) {
            Some(glyph) => *glyph,
            None => self.font.glyph_id(character),
        }
    }

    /// The face as the shaper reads it; `None` if it cannot.
    pub(super) fn shaper(&self) -> Option<&harfrust::Font> {
        self.shaper.get_or_init(|| harfrust::Font::new(self.bytes, self.index)).as_ref()
    }

    /// The outline of a glyph in the font's units, y upwards.
    pub(crate) fn outline(&self, glyph: GlyphId) -> Option<Outline> {
        let mut outline = self.font.outline(glyph)?;
        if self.slanted {
            let lean = |at: &mut Point| at.x += at.y * SLANT;
            outline.curves.iter_mut().for_each(|curve| match curve {
                OutlineCurve::Line(a, b) => [a, b].into_iter().for_each(lean),
                OutlineCurve::Quad(a, b, c) => [a, b, c].into_iter().for_each(lean),
                OutlineCurve::Cubic(a, b, c, d) => [a, b, c, d].into_iter().for_each(lean),
            });
            let (top, bottom) = (outline.bounds.min.y, outline.bounds.max.y);
            outline.bounds.min.x += top.min(bottom) * SLANT;
            outline.bounds.max.x += top.max(bottom) * SLANT;
        }
        Some(outline)
    }

    /// ab_glyph scales by the height of a line, not by the em.
    pub(super) fn scale(&self, em_pixels: f64) -> f32 {
        (em_pixels * f64::from(self.font.height_unscaled()) / self.units_per_em) as f32
    }
}

/// Faces are never given back, so that each has its own place.
impl PartialEq for Face {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.family, self.style)
    }
}
