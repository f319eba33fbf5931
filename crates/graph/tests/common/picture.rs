//! Pictures of two programs, held against each other.

/// The pixels of a PNG file.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Red, green and blue of each pixel, row by row.
    pub(crate) pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(crate) fn read(file: &[u8]) -> Self {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().expect("a PNG file");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("a whole image");
        bytes.truncate(info.buffer_size());
        let samples = info.color_type.samples();
        let pixels = bytes.chunks_exact(samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        let (width, height) = (info.width as usize, info.height as usize);
        Self { width, height, pixels: pixels.collect() }
    }

    /// How many pixels have no like among the nine pixels at their place in the other picture:
    /// gyre moves lines by up to half a pixel, so that their edges meet those of pixels.
    pub(crate) fn strangers_in(&self, other: &Self) -> usize {
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        places.filter(|(x, y)| !other.has_near(*x, *y, self.pixels[y * self.width + x])).count()
    }

    fn has_near(&self, x: usize, y: usize, color: [u8; 3]) -> bool {
        let rows = y.saturating_sub(1)..=(y + 1).min(self.height - 1);
        let like = |pixel: &[u8; 3]| pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 130);
        rows.into_iter().any(|row| {
            let columns = x.saturating_sub(1)..=(x + 1).min(self.width - 1);
            self.pixels[row * self.width..][columns].iter().any(like)
        })
    }
}
