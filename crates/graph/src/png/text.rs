//! Text: glyphs are drawn once a process and then copied.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::canvas::Canvas;
use crate::color::Color;
use crate::font::{Glyph, Size, rasterize};
use crate::scene::{Anchor, Point};

/// How many glyphs are kept; a page's graphs need about 100.
const GLYPHS_MAX: usize = 4096;

type Key = (char, u64, u64);

/// A glyph from the cache.
fn glyph(character: char, size: Size, zoom: f64) -> Option<Arc<Glyph>> {
    static CACHE: OnceLock<Mutex<HashMap<Key, Option<Arc<Glyph>>>>> = OnceLock::new();
    let cache = CACHE.get_or_init(Mutex::default);
    let key = (character, size.pixels.to_bits(), zoom.to_bits());
    // A cache is whole after every step: another thread's panic does not spoil it.
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= GLYPHS_MAX {
        cache.clear();
    }
    cache.entry(key).or_insert_with(|| rasterize(character, size, zoom).map(Arc::new)).clone()
}

impl Canvas {
    pub(super) fn draw_text(
        &mut self,
        at: Point,
        text: &str,
        size: Size,
        color: Color,
        anchor: Anchor,
        degrees: i32,
    ) {
        let length = size.width(text, 1.0);
        let start = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -(length / 2.0).round(),
            Anchor::End => -length,
        };
        let origin_x = (at.x * self.zoom).round() as i64;
        let origin_y = (at.y * self.zoom).round() as i64;
        for (nth, character) in text.chars().enumerate() {
            let Some(glyph) = glyph(character, size, self.zoom) else {
                continue;
            };
            let along = ((start + nth as f64 * size.advance) * self.zoom).round() as i64;
            for (index, coverage) in glyph.coverage.iter().enumerate() {
                if *coverage == 0 {
                    continue;
                }
                let column = (index % glyph.width as usize) as i64;
                let row = (index / glyph.width as usize) as i64;
                let dx = along + i64::from(glyph.left) + column;
                let dy = i64::from(glyph.top) + row;
                let (x, y) = match degrees {
                    90 => (origin_x - dy, origin_y + dx),
                    -90 => (origin_x + dy, origin_y - dx),
                    _ => (origin_x + dx, origin_y + dy),
                };
                self.blend(x, y, color, u32::from(*coverage));
            }
        }
    }
}
