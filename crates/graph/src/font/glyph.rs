//! Glyphs as coverage: how dark each pixel is.

use ab_glyph::{Font as _, GlyphId, OutlinedGlyph, PxScale, ScaleFont as _};

use super::Face;

/// So many shades of grey are as good as all, and leave room in a palette.
const SHADES: f32 = 15.0;

/// The coverage of one glyph: where it lies from the start of the baseline, and how dark each
/// pixel is.
#[derive(Debug)]
pub(crate) struct Glyph {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: u32,
    pub(crate) coverage: Vec<u8>,
}

/// Draws a glyph of a face, at the size that a font has.
pub(crate) fn rasterize(face: &Face, glyph: GlyphId, pixels: f64, zoom: f64) -> Option<Glyph> {
    let scale = scale(face, glyph, pixels, zoom);
    let outline = face.outline(glyph)?;
    let factor = face.font.as_scaled(scale).scale_factor();
    let outline = OutlinedGlyph::new(glyph.with_scale(scale), outline, factor);
    let bounds = outline.px_bounds();
    let (width, height) = (bounds.width() as u32, bounds.height() as u32);
    let mut coverage = vec![0; width as usize * height as usize];
    outline.draw(|x, y, share| {
        if let Some(pixel) = coverage.get_mut((y * width + x) as usize) {
            *pixel = ((share.clamp(0.0, 1.0) * SHADES).round() * (255.0 / SHADES)) as u8;
        }
    });
    Some(Glyph { left: bounds.min.x as i32, top: bounds.min.y as i32, width, coverage })
}

/// Pixels an em, each way, such that the pixel grid is met at `zoom`.
fn scale(face: &Face, glyph: GlyphId, pixels: f64, zoom: f64) -> PxScale {
    let x_height = (pixels * zoom * face.x_height).round().max(1.0);
    let natural = face.advance_of(glyph) * pixels;
    let whole = natural.round();
    let widened = if natural > 0.0 && whole > 0.0 { whole / natural } else { 1.0 };
    PxScale { x: face.scale(pixels * zoom * widened), y: face.scale(x_height / face.x_height) }
}
