//! Pictures as pixels: read, put side by side, written.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Red, green, blue, opacity.
pub(crate) type Pixel = [u8; 4];

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Vec<Pixel>,
}

impl Picture {
    pub(crate) fn filled(width: usize, height: usize, pixel: Pixel) -> Self {
        Self { width, height, pixels: vec![pixel; width * height] }
    }

    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| told(&error))?;
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|error| told(&error))?;
        let bytes = reader.output_buffer_size().ok_or_else(|| told(&"too large"))?;
        let mut bytes = vec![0; bytes];
        let frame = reader.next_frame(&mut bytes).map_err(|error| told(&error))?;
        let samples = frame.color_type.samples();
        let pixel = |part: &[u8]| match *part {
            [grey] => [grey, grey, grey, 255],
            [grey, opacity] => [grey, grey, grey, opacity],
            [red, green, blue] => [red, green, blue, 255],
            [red, green, blue, opacity, ..] => [red, green, blue, opacity],
            [] => [0; 4],
        };
        let pixels = bytes[..frame.buffer_size()].chunks(samples).map(pixel).collect();
        Ok(Self { width: frame.width as usize, height: frame.height as usize, pixels })
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = File::create(path).map_err(|error| told(&error))?;
        let mut encoder = png::Encoder::new(file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().map_err(|error| told(&error))?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(|error| told(&error))
    }

    /// The pixel at a place; `None` beyond the picture.
    pub(crate) fn at(&self, x: usize, y: usize) -> Option<Pixel> {
        (x < self.width && y < self.height).then(|| self.pixels[y * self.width + x])
    }

    pub(crate) fn set(&mut self, x: usize, y: usize, pixel: Pixel) {
        self.pixels[y * self.width + x] = pixel;
    }

    /// Lays another picture over this one, its left upper corner at a place.
    pub(crate) fn lay(&mut self, other: &Self, left: usize, top: usize) {
        for y in 0..other.height.min(self.height - top) {
            for x in 0..other.width.min(self.width - left) {
                self.set(left + x, top + y, other.pixels[y * other.width + x]);
            }
        }
    }
}
