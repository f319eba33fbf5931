//! The one font, inside the binary: metrics for the layout, coverage for PNG.

use std::sync::OnceLock;

use ab_glyph::{Font as _, FontRef, GlyphId, PxScale};

/// What CSS calls the font, with the alternatives rrdtool names.
pub(crate) const FAMILY: &str = "DejaVu Sans Mono,Bitstream Vera Sans Mono,monospace,Courier";

/// Pixels a point: rrdtool draws for 100 dots an inch.
const PIXELS_PER_POINT: f64 = 100.0 / 72.0;

/// A character's width, as a share of the font's size.
const ADVANCE: f64 = 1233.0 / 2048.0;

/// The height of a lower-case x, as a share of the font's size.
const X_HEIGHT: f64 = 1120.0 / 2048.0;

/// A size of the font, fitted to the pixel grid so that text is crisp: characters are whole
/// pixels wide, and so is the height of an x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// The size in pixels.
    pub(crate) pixels: f64,
    /// The width of a character, whole pixels.
    pub(crate) advance: f64,
}

impl Size {
    pub(crate) fn from_points(points: f64) -> Self {
        let pixels = points * PIXELS_PER_POINT;
        Self { pixels, advance: (pixels * ADVANCE).round().max(1.0) }
    }

    /// The width of a text in pixels, tabs at the next multiple of `tab_pixels`.
    pub(crate) fn width(self, text: &str, tab_pixels: f64) -> f64 {
        text.chars().fold(0.0, |x, character| match character {
            '\t' => ((x / tab_pixels).floor() + 1.0) * tab_pixels,
            _ => x + self.advance,
        })
    }

    /// The distance from the baseline up to the middle of a line of text.
    pub(crate) fn middle(self) -> f64 {
        self.pixels * (1901.0 - 483.0) / 2048.0 / 2.0
    }

    /// The distance from the top of a line of text to its baseline.
    pub(crate) fn ascent(self) -> f64 {
        (self.pixels * 1901.0 / 2048.0).ceil()
    }

    /// Pixels an em, each way, such that the pixel grid is met at `zoom`.
    fn scale(self, zoom: f64) -> PxScale {
        let x_height = (self.pixels * zoom * X_HEIGHT).round().max(1.0);
        PxScale {
            x: units_to_scale(self.advance * zoom / ADVANCE),
            y: units_to_scale(x_height / X_HEIGHT),
        }
    }
}

/// ab_glyph scales by the height of a line, not by the em.
fn units_to_scale(em_pixels: f64) -> f32 {
    let height = font().map_or(1.0, |font| f64::from(font.height_unscaled()) / 2048.0);
    (em_pixels * height) as f32
}

/// The font, read once a process.
fn font() -> Option<&'static FontRef<'static>> {
    static FONT: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    FONT.get_or_init(|| FontRef::try_from_slice(dejavu::sans_mono::regular()).ok()).as_ref()
}

/// The coverage of one character: where it lies from the start of the baseline, and how dark each
/// pixel is.
#[derive(Debug)]
pub(crate) struct Glyph {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: u32,
    pub(crate) coverage: Vec<u8>,
}

/// Draws a character at a size.
pub(crate) fn rasterize(character: char, size: Size, zoom: f64) -> Option<Glyph> {
    let font = font()?;
    let id: GlyphId = font.glyph_id(character);
    let outline = font.outline_glyph(id.with_scale(size.scale(zoom)))?;
    let bounds = outline.px_bounds();
    let (width, height) = (bounds.width() as u32, bounds.height() as u32);
    let mut coverage = vec![0; width as usize * height as usize];
    outline.draw(|x, y, share| {
        if let Some(pixel) = coverage.get_mut((y * width + x) as usize) {
            *pixel = (share.clamp(0.0, 1.0) * 255.0).round() as u8;
        }
    });
    Some(Glyph { left: bounds.min.x as i32, top: bounds.min.y as i32, width, coverage })
}
