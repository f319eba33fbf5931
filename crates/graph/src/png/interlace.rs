//! Adam7: an image as seven ever finer ones, so that a reader who has the beginning sees the whole
//! in few pixels. The `png` crate writes no such images, only their header and chunks.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use png::{EncodingError, Writer, chunk};

/// No pass of Adam7 gains by a filter: neighbours in a pass are up to eight pixels apart.
const NO_FILTER: u8 = 0;

/// Which pixels a pass takes: from a first one on, each so many, both ways.
#[derive(Clone, Copy)]
struct Pass {
    left: usize,
    top: usize,
    right_step: usize,
    down_step: usize,
}

const fn pass(left: usize, top: usize, right_step: usize, down_step: usize) -> Pass {
    Pass { left, top, right_step, down_step }
}

/// The passes in the order of the file (PNG specification, section 8.1).
const PASSES: [Pass; 7] = [
    pass(0, 0, 8, 8),
    pass(4, 0, 8, 8),
    pass(0, 4, 4, 8),
    pass(2, 0, 4, 4),
    pass(0, 2, 2, 4),
    pass(1, 0, 2, 2),
    pass(0, 1, 1, 2),
];

/// Writes pixels of whole bytes, `width` of them a row, as the data of an interlaced image.
pub(super) fn write<W: std::io::Write>(
    writer: &mut Writer<W>,
    pixels: &[u8],
    width: usize,
    bytes_per_pixel: usize,
    deflate_level: u8,
) -> Result<(), EncodingError> {
    let packed = Vec::with_capacity(pixels.len() / 16);
    let mut packer = ZlibEncoder::new(packed, Compression::new(deflate_level.into()));
    for pass in PASSES.iter().filter(|pass| pass.left < width) {
        for row in
            pixels.chunks_exact(width * bytes_per_pixel).skip(pass.top).step_by(pass.down_step)
        {
            packer.write_all(&[NO_FILTER])?;
            let row = row.chunks_exact(bytes_per_pixel).skip(pass.left).step_by(pass.right_step);
            packer.write_all(&row.flatten().copied().collect::<Vec<u8>>())?;
        }
    }
    writer.write_chunk(chunk::IDAT, &packer.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_colours_are_read_back() {
        let sizes = [(1, 1), (1, 9), (9, 1), (4, 4), (5, 5), (8, 8), (13, 31)];
        for ((width, height), color) in sizes
            .into_iter()
            .flat_map(|size| [png::ColorType::Rgb, png::ColorType::Rgba].map(|color| (size, color)))
        {
            let bytes = width * height * color.samples();
            let pixels: Vec<u8> = (0..bytes).map(|nth| (nth * 7919 % 251) as u8).collect();
            let mut file = Vec::new();
            let mut info = png::Info::with_size(width as u32, height as u32);
            (info.color_type, info.interlaced) = (color, true);
            let encoder = png::Encoder::with_info(&mut file, info).expect("no animation");
            let mut writer = encoder.write_header().expect("a header");
            write(&mut writer, &pixels, width, color.samples(), 3).expect("pixels");
            drop(writer);
            let mut reader =
                png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("PNG");
            let mut read = vec![0; bytes];
            reader.next_frame(&mut read).expect("a whole image");
            assert!(read == pixels, "{width}x{height} {color:?}");
        }
    }
}
