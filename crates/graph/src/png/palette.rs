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
const ERROR_MAX: u8 = 24;

/// The bytes of a pixel.
const BYTES: usize = 4;

/// A colour, its channels multiplied by its opacity.
type Pixel = [u8; BYTES];

/// Pixels as positions in a palette.
pub(super) struct Indexed {
    pub(super) palette: Vec<Pixel>,
    pub(super) indices: Vec<u8>,
}

impl Indexed {
    /// Takes rows of `width` pixels of four bytes; `None` if a palette would show.
    pub(super) fn of(pixels: &[u8], width: usize) -> Option<Self> {
        let numbered = Numbered::of(pixels, width)?;
        if numbered.colors.len() <= PALETTE_MAX {
            let indices = numbered.indices.iter().map(|index| *index as u8).collect();
            return Some(Self { palette: numbered.colors, indices });
        }
        let palette = numbered.reduced();
        let kept = palette.iter().zip(0_u8..=255).map(|(id, index)| (usize::from(*id), index));
        let mut nearest: Vec<Option<u8>> = vec![None; numbered.colors.len()];
        kept.for_each(|(id, index)| nearest[id] = Some(index));
        let palette: Vec<Pixel> =
            palette.iter().map(|id| numbered.colors[usize::from(*id)]).collect();
        for (nearest, color) in nearest.iter_mut().zip(&numbered.colors) {
            if nearest.is_none() {
                let distances = palette.iter().map(|other| distance(*color, *other));
                let (error, index) = distances.zip(0_u8..=255).min()?;
                *nearest = (error <= ERROR_MAX).then_some(index);
            }
        }
        let nearest: Vec<u8> = nearest.into_iter().collect::<Option<_>>()?;
        let indices = numbered.indices.iter().map(|index| nearest[usize::from(*index)]).collect();
        Some(Self { palette, indices })
    }
}

/// The farthest that two colours are apart in a channel.
fn distance(a: Pixel, b: Pixel) -> u8 {
    // Written out, because a `map` is called: this is asked for each pair of many colours.
    let apart = |channel: usize| a[channel].abs_diff(b[channel]);
    apart(0).max(apart(1)).max(apart(2)).max(apart(3))
}

/// The colours of a picture, and which of them each pixel has.
#[derive(Default)]
struct Numbered {
    colors: Vec<Pixel>,
    indices: Vec<u16>,
    known: HashMap<u32, u16, BuildHasherDefault<Spread>>,
}

/// A colour that has no place in the palette yet, and how far it is from those that have one.
struct Rare {
    distance: u8,
    id: u16,
}

impl Numbered {
    /// `None` if there are too many colours.
    fn of(pixels: &[u8], width: usize) -> Option<Self> {
        let mut numbered =
            Self { indices: Vec::with_capacity(pixels.len() / BYTES), ..Self::default() };
        let mut above: &[u8] = &[];
        for row in pixels.chunks_exact((width * BYTES).max(1)) {
            // Most rows are like the one above them.
            if row == above {
                let start = numbered.indices.len() - width;
                numbered.indices.extend_from_within(start..);
            } else {
                numbered.row(row)?;
            }
            above = row;
        }
        Some(numbered)
    }

    /// Takes a row: one search for each run of pixels of one colour.
    fn row(&mut self, mut row: &[u8]) -> Option<()> {
        while let Some((pixel, _)) = row.split_first_chunk::<BYTES>() {
            let length = run_length(row, *pixel);
            let index = self.index(*pixel)?;
            self.indices.extend(std::iter::repeat_n(index, length));
            row = &row[length * BYTES..];
        }
        Some(())
    }

    fn index(&mut self, pixel: Pixel) -> Option<u16> {
        let next = self.colors.len();
        let index = *self.known.entry(u32::from_ne_bytes(pixel)).or_insert(next as u16);
        if usize::from(index) == next {
            self.colors.push(pixel);
        }
        (next <= COLORS_MAX).then_some(index)
    }

    /// How many pixels have each colour.
    fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.colors.len()];
        self.indices.iter().for_each(|index| counts[usize::from(*index)] += 1);
        counts
    }

    /// The colours of a full palette.
    fn reduced(&self) -> Vec<u16> {
        let color = |id: u16| self.colors[usize::from(id)];
        let counts = self.counts();
        let mut by_count: Vec<u16> = (0_u16..).take(self.colors.len()).collect();
        by_count.sort_by_key(|id| (std::cmp::Reverse(counts[usize::from(*id)]), *id));
        let (frequent, rare) = by_count.split_at(FREQUENT.min(by_count.len()));
        let mut palette = frequent.to_vec();
        let mut rare: Vec<Rare> = rare
            .iter()
            .map(|id| {
                let distances = palette.iter().map(|other| distance(color(*id), color(*other)));
                Rare { distance: distances.min().unwrap_or(0), id: *id }
            })
            .collect();
        while palette.len() < PALETTE_MAX {
            let farthest = rare.iter().max_by_key(|rare| rare.distance);
            let Some(&Rare { distance: 1.., id }) = farthest else { break };
            palette.push(id);
            for rare in &mut rare {
                rare.distance = rare.distance.min(distance(color(rare.id), color(id)));
            }
        }
        palette
    }
}

/// How many pixels at the start of a row are `pixel`; the first one is.
fn run_length(row: &[u8], pixel: Pixel) -> usize {
    /// So many pixels are compared at once.
    const LANES: usize = 4;
    let same = u128::from_ne_bytes(std::array::from_fn(|at| pixel[at % BYTES]));
    let (lanes, _) = row.as_chunks::<{ LANES * BYTES }>();
    let is_same = |lane: &&[u8; LANES * BYTES]| u128::from_ne_bytes(**lane) == same;
    let whole = lanes.iter().take_while(is_same).count() * LANES;
    let (rest, _) = row[whole * BYTES..].as_chunks::<BYTES>();
    whole + rest.iter().take_while(|other| **other == pixel).count()
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
        let indexed = Indexed::of(&pixels, 100).expect("shades lie close together");
        assert!(indexed.palette.len() <= PALETTE_MAX);
        for (pixel, index) in pixels.chunks_exact(4).zip(&indexed.indices) {
            let drawn = [pixel[0], pixel[1], pixel[2], pixel[3]];
            assert!(distance(drawn, indexed.palette[usize::from(*index)]) <= ERROR_MAX);
        }
        let few: Vec<u8> = (0..256).flat_map(shade).collect();
        assert_eq!(Indexed::of(&few, 8).expect("few colours").palette.len(), 256);
        let many = |nth: u32| [(nth % 256) as u8, (nth / 256) as u8, 9, 255];
        assert!(Indexed::of(&(0..5000).flat_map(many).collect::<Vec<u8>>(), 50).is_none());
    }
}
