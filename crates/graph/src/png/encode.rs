//! Pixels to a PNG file: with a palette where the colours allow it, which is smaller and faster.

use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter, Info};

use super::canvas::Canvas;
use super::interlace;
use super::palette::Indexed;

/// The level from which indexed pixels take fewer bytes than rrdtool's.
const DEFLATE_LEVEL: u8 = 3;

/// Packs the pixels of a canvas, interlaced or row by row.
pub(super) fn encode(canvas: &Canvas, interlaced: bool) -> Result<Vec<u8>, EncodingError> {
    let pixels = canvas.pixmap.data();
    match Indexed::of(pixels, canvas.pixmap.width() as usize) {
        Some(indexed) => {
            let mut file = Vec::with_capacity(32 * 1024);
            let mut encoder = encoder(&mut file, canvas, ColorType::Indexed, interlaced)?;
            let colors: Vec<[u8; 4]> = indexed.palette.into_iter().map(divide).collect();
            if colors.iter().any(|[.., alpha]| *alpha != 255) {
                encoder.set_trns(colors.iter().map(|[.., alpha]| *alpha).collect::<Vec<u8>>());
            }
            let palette: Vec<u8> =
                colors.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
            encoder.set_palette(palette);
            encoder.set_filter(Filter::NoFilter);
            write(encoder, canvas, &indexed.indices, interlaced)?;
            Ok(file)
        }
        None => {
            let is_opaque = pixels.chunks_exact(4).all(|pixel| pixel[3] == 255);
            let (color, samples) = match is_opaque {
                true => (ColorType::Rgb, 3),
                false => (ColorType::Rgba, 4),
            };
            let mut file = Vec::with_capacity(64 * 1024);
            let mut encoder = encoder(&mut file, canvas, color, interlaced)?;
            encoder.set_filter(Filter::Up);
            write(encoder, canvas, &straight(pixels, samples), interlaced)?;
            Ok(file)
        }
    }
}

fn encoder<'a>(
    file: &'a mut Vec<u8>,
    canvas: &Canvas,
    color: ColorType,
    interlaced: bool,
) -> Result<Encoder<'a, &'a mut Vec<u8>>, EncodingError> {
    let mut info = Info::with_size(canvas.pixmap.width(), canvas.pixmap.height());
    info.interlaced = interlaced;
    let mut encoder = Encoder::with_info(file, info)?;
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_deflate_compression(DeflateCompression::Level(DEFLATE_LEVEL));
    Ok(encoder)
}

/// Writes the header and the pixels.
fn write(
    encoder: Encoder<'_, &mut Vec<u8>>,
    canvas: &Canvas,
    pixels: &[u8],
    interlaced: bool,
) -> Result<(), EncodingError> {
    let mut writer = encoder.write_header()?;
    if !interlaced {
        return writer.write_image_data(pixels);
    }
    let (width, height) = (canvas.pixmap.width() as usize, canvas.pixmap.height() as usize);
    let bytes_per_pixel = pixels.len() / (width * height);
    interlace::write(&mut writer, pixels, width, bytes_per_pixel, DEFLATE_LEVEL)
}

/// Colours as PNG wants them, not multiplied by their opacity.
fn straight(pixels: &[u8], samples: usize) -> Vec<u8> {
    let mut straight = Vec::with_capacity(pixels.len());
    for pixel in pixels.chunks_exact(4) {
        let pixel = divide([pixel[0], pixel[1], pixel[2], pixel[3]]);
        straight.extend(pixel.into_iter().take(samples));
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
