//! Pixels to a PNG file: with a palette where the colours allow it, which is smaller and faster.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

use super::canvas::Canvas;

/// The most colours of a palette.
const PALETTE_MAX: usize = 256;

/// Level 1: the crate's own fast mode leaves indexed pixels almost as large as they were.
const DEFLATE_LEVEL: u8 = 1;

/// Packs the pixels of a canvas.
pub(super) fn encode(canvas: &Canvas) -> Result<Vec<u8>, EncodingError> {
    let pixels = canvas.pixmap.data();
    match Indexed::of(pixels) {
        Some(indexed) => {
            let mut file = Vec::with_capacity(32 * 1024);
            let mut encoder = encoder(&mut file, canvas, ColorType::Indexed);
            encoder.set_palette(indexed.palette);
            if indexed.opacities.iter().any(|opacity| *opacity != 255) {
                encoder.set_trns(indexed.opacities);
            }
            encoder.set_filter(Filter::NoFilter);
            encoder.write_header()?.write_image_data(&indexed.indices)?;
            Ok(file)
        }
        None => {
            let mut file = Vec::with_capacity(64 * 1024);
            let mut encoder = encoder(&mut file, canvas, ColorType::Rgba);
            encoder.set_filter(Filter::Up);
            encoder.write_header()?.write_image_data(&straight(pixels))?;
            Ok(file)
        }
    }
}

fn encoder<'a>(
    file: &'a mut Vec<u8>,
    canvas: &Canvas,
    color: ColorType,
) -> Encoder<'a, &'a mut Vec<u8>> {
    let mut encoder = Encoder::new(file, canvas.pixmap.width(), canvas.pixmap.height());
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_deflate_compression(DeflateCompression::Level(DEFLATE_LEVEL));
    encoder
}

/// Colours as PNG wants them, not multiplied by their opacity.
fn straight(pixels: &[u8]) -> Vec<u8> {
    let mut straight = Vec::with_capacity(pixels.len());
    for pixel in pixels.chunks_exact(4) {
        straight.extend(divide([pixel[0], pixel[1], pixel[2], pixel[3]]));
    }
    straight
}

fn divide([red, green, blue, alpha]: [u8; 4]) -> [u8; 4] {
    let channel = |value: u8| match alpha {
        0 => 0,
        alpha => (u32::from(value) * 255 / u32::from(alpha)).min(255) as u8,
    };
    [channel(red), channel(green), channel(blue), alpha]
}

/// Pixels as positions in a palette.
struct Indexed {
    palette: Vec<u8>,
    opacities: Vec<u8>,
    indices: Vec<u8>,
}

impl Indexed {
    /// `None` if there are too many colours.
    fn of(pixels: &[u8]) -> Option<Self> {
        let mut known: HashMap<u32, u8, BuildHasherDefault<Spread>> = HashMap::default();
        let mut indexed = Self {
            palette: Vec::new(),
            opacities: Vec::new(),
            indices: Vec::with_capacity(pixels.len() / 4),
        };
        let mut last = (None, 0);
        for pixel in pixels.chunks_exact(4) {
            let color = u32::from_ne_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]);
            if last.0 != Some(color) {
                let next = known.len();
                let index = *known.entry(color).or_insert_with(|| {
                    let [red, green, blue, alpha] = divide(color.to_ne_bytes());
                    indexed.palette.extend([red, green, blue]);
                    indexed.opacities.push(alpha);
                    next as u8
                });
                if known.len() > PALETTE_MAX {
                    return None;
                }
                last = (Some(color), index);
            }
            indexed.indices.push(last.1);
        }
        Some(indexed)
    }
}

/// Colours come from our own drawing: a cheap hash does.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }
}
