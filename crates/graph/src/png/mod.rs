//! A scene as PNG.

mod canvas;
mod paths;
mod text;
mod palette;
mod interlace;
mod encode;

use crate::Error;
use crate::scene::{Primitive, Scene};
use canvas::{Canvas, Clip};

/// How pixels are made and packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Image pixels a pixel of the scene.
    pub(crate) zoom: f64,
    pub(crate) smoothing: Smoothing,
    /// Whether the file has a coarse image first, and then ever finer ones.
    pub(crate) interlaced: bool,
}

/// Whose edges are smoothed: pixels on them are mixed with what is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Smoothing {
    pub(crate) shapes: bool,
    pub(crate) letters: bool,
}

impl Smoothing {
    pub(crate) const ALL: Self = Self { shapes: true, letters: true };
}

/// Draws a scene and packs it.
pub(crate) fn render(scene: &Scene, look: Look) -> Result<Vec<u8>, Error> {
    let zoom = look.zoom;
    let pixels = |length: u32| ((f64::from(length) * zoom).round() as u32).max(1);
    let (width, height) = (pixels(scene.width), pixels(scene.height));
    let mut canvas = Canvas::new(width, height, zoom, look.smoothing)
        .ok_or(Error::TooLarge { width: width.into(), height: height.into() })?;
    canvas.snap = scene.snap;
    for primitive in &scene.primitives {
        draw(&mut canvas, primitive);
    }
    let file = encode::encode(&canvas, look.interlaced);
    canvas.recycle();
    file.map_err(|error| Error::Option(format!("Could not save png: {error}")))
}

fn draw(canvas: &mut Canvas, primitive: &Primitive) {
    match primitive {
        Primitive::Rect { at, width, height, color } => {
            canvas.fill_rect(*at, *width, *height, *color)
        }
        Primitive::Polygon { points, color, fade } => canvas.fill_polygon(points, *color, *fade),
        Primitive::Polyline { points, stroke } => canvas.stroke(points, stroke),
        Primitive::Text { at, line, anchor, degrees } => {
            canvas.draw_text(*at, line, *anchor, *degrees)
        }
        Primitive::Clip { at, width, height } => {
            canvas.set_clip(Clip::around(*at, *width, *height, canvas.zoom));
        }
        Primitive::Unclip => canvas.set_clip(Clip::ALL),
    }
}
