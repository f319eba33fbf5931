//! Pixels as positions in a palette. Smoothed edges have more shades than a palette holds: the
//! rarest become the nearest of the others.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The most colours of a palette.
const PALETTE_MAX: usize = 256;

/// So many places of a full palette go to the most frequent colours; the others to those that are
/// farthest from all before.
const FREQUENT: usize = 160;

/// A picture of more colours than this is one of gradients: no palette suits it.
const COLORS_MAX: usize = 4096;

/// How far a channel may be from what was drawn, of 255.
const ERROR_MAX: u32 = 24;

/// A colour, its channels multiplied by its opacity.
type Pixel = [u8; 4];

/// Pixels as positions in a palette.
pub(super) struct Indexed {
    pub(super) palette: Vec<Pixel>,
    pub(super) indices: Vec<u8>,
}

impl Indexed {
    /// `None` if a palette would show.
    pub(super) fn of(pixels: &[u8]) -> Option<Self> {
        let counted = Counted::of(pixels)?;
        if counted.colors.len() <= PALETTE_MAX {
            let indices = counted.indices.iter().map(|index| *index as u8).collect();
            return Some(Self { palette: counted.colors, indices });
        }
        let palette = counted.reduced();
        let nearest = counted.colors.iter().map(|color| {
            let distances = palette.iter().map(|other| distance(*color, *other));
            let (index, error) = distances.enumerate().min_by_key(|(_, distance)| *distance)?;
            (error <= ERROR_MAX).then_some(index as u8)
        });
        let nearest: Vec<u8> = nearest.collect::<Option<_>>()?;
        let indices = counted.indices.iter().map(|index| nearest[usize::from(*index)]).collect();
        Some(Self { palette, indices })
    }
}

/// The farthest that two colours are apart in a channel.
fn distance(a: Pixel, b: Pixel) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).max().unwrap_or(0)
}

/// The colours of a picture, and how often each is there.
struct Counted {
    colors: Vec<Pixel>,
    counts: Vec<u32>,
    /// The colour of each pixel.
    indices: Vec<u16>,
}

impl Counted {
    /// `None` if there are too many colours.
    fn of(pixels: &[u8]) -> Option<Self> {
        let mut known: HashMap<u32, u16, BuildHasherDefault<Spread>> = HashMap::default();
        let indices = Vec::with_capacity(pixels.len() / 4);
        let mut counted = Self { colors: Vec::new(), counts: Vec::new(), indices };
        let mut last = (None, 0);
        for pixel in pixels.chunks_exact(4) {
            let pixel = [pixel[0], pixel[1], pixel[2], pixel[3]];
            if last.0 != Some(pixel) {
                let next = counted.colors.len();
                if next > COLORS_MAX {
                    return None;
                }
                let index = *known.entry(u32::from_ne_bytes(pixel)).or_insert_with(|| {
                    counted.colors.push(pixel);
                    counted.counts.push(0);
                    next as u16
                });
                last = (Some(pixel), index);
            }
            counted.counts[usize::from(last.1)] += 1;
            counted.indices.push(last.1);
        }
        Some(counted)
    }

    /// A full palette.
    fn reduced(&self) -> Vec<Pixel> {
        let mut by_count: Vec<(u32, Pixel)> =
            self.counts.iter().copied().zip(self.colors.iter().copied()).collect();
        by_count.sort_by_key(|(count, color)| (std::cmp::Reverse(*count), *color));
        let (frequent, rare) = by_count.split_at(FREQUENT.min(by_count.len()));
        let mut palette: Vec<Pixel> = frequent.iter().map(|(_, color)| *color).collect();
        let nearest = |color: Pixel, palette: &[Pixel]| {
            palette.iter().map(|other| distance(color, *other)).min().unwrap_or(0)
        };
        let mut rare: Vec<(u32, Pixel)> =
            rare.iter().map(|(_, color)| (nearest(*color, &palette), *color)).collect();
        while palette.len() < PALETTE_MAX {
            let farthest = rare.iter().max_by_key(|(distance, _)| *distance);
            let Some((1.., color)) = farthest.copied() else { break };
            palette.push(color);
            rare.iter_mut().for_each(|it| it.0 = it.0.min(distance(it.1, color)));
        }
        palette
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_beyond_a_palette_become_their_neighbours() {
        let shade = |nth: u32| [(nth % 256) as u8, (nth / 3 % 256) as u8, 9, 255];
        let pixels: Vec<u8> = (0..600).flat_map(shade).collect();
        let indexed = Indexed::of(&pixels).expect("shades lie close together");
        assert!(indexed.palette.len() <= PALETTE_MAX);
        for (pixel, index) in pixels.chunks_exact(4).zip(&indexed.indices) {
            let drawn = [pixel[0], pixel[1], pixel[2], pixel[3]];
            assert!(distance(drawn, indexed.palette[usize::from(*index)]) <= ERROR_MAX);
        }
        let few: Vec<u8> = (0..256).flat_map(shade).collect();
        assert_eq!(Indexed::of(&few).expect("few colours").palette.len(), 256);
        let many = |nth: u32| [(nth % 256) as u8, (nth / 256) as u8, 9, 255];
        assert!(Indexed::of(&(0..5000).flat_map(many).collect::<Vec<u8>>()).is_none());
    }
}
