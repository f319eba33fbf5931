//! Glyphs as coverage: how dark each pixel is.

use ab_glyph::{Font as _, OutlineCurve, OutlinedGlyph, Point, PxScale, ScaleFont as _};

use super::Font;

/// How far a slanted glyph leans, to the right a pixel up.
const SLANT: f32 = 0.2;

/// So many shades of grey are as good as all, and leave room in a palette.
const SHADES: f32 = 15.0;

/// The coverage of one character: where it lies from the start of the baseline, and how dark each
/// pixel is.
#[derive(Debug)]
pub(crate) struct Glyph {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: u32,
    pub(crate) coverage: Vec<u8>,
}

/// Draws a character.
pub(crate) fn rasterize(character: char, font: Font, zoom: f64) -> Option<Glyph> {
    let face = font.face;
    let id = face.glyph(character);
    let scale = scale(character, font, zoom);
    let mut outline = face.font.outline(id)?;
    if face.slanted {
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
    let factor = face.font.as_scaled(scale).scale_factor();
    let outline = OutlinedGlyph::new(id.with_scale(scale), outline, factor);
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
fn scale(character: char, font: Font, zoom: f64) -> PxScale {
    let face = font.face;
    let x_height = (font.pixels * zoom * face.x_height).round().max(1.0);
    let (natural, whole) = (face.advance(character) * font.pixels, font.advance(character));
    let widened = if natural > 0.0 && whole > 0.0 { whole / natural } else { 1.0 };
    PxScale { x: face.scale(font.pixels * zoom * widened), y: face.scale(x_height / face.x_height) }
}
