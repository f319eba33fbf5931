//! Text: glyphs are drawn once a process and then copied.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::canvas::Canvas;
use crate::font::{Glyph, Placed, rasterize};
use crate::rounding::whole;
use crate::scene::{Anchor, Point};
use crate::text::{Line, Piece, Span, width_of};

/// How many glyphs are kept; a page's graphs need about 100.
const GLYPHS_MAX: usize = 4096;

/// Larger glyphs are drawn anew each time.
const CACHED_BYTES_MAX: usize = 64 << 10;

/// A letter that is not smoothed has the pixels that it covers so far.
const HALF: u8 = 128;

/// A glyph: its face by its place in memory, which it keeps.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    face: usize,
    glyph: u16,
    pixels: u64,
    zoom: u64,
}

/// A glyph from the cache.
fn glyph(placed: &Placed<'_>, pixels: f64, zoom: f64) -> Option<Arc<Glyph>> {
    static CACHE: OnceLock<Mutex<HashMap<Key, Option<Arc<Glyph>>>>> = OnceLock::new();
    let cache = CACHE.get_or_init(Mutex::default);
    let face = std::ptr::from_ref(placed.face).addr();
    let glyph = placed.glyph.0;
    let key = Key { face, glyph, pixels: pixels.to_bits(), zoom: zoom.to_bits() };
    // A cache is whole after every step: another thread's panic does not spoil it.
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= GLYPHS_MAX {
        cache.clear();
    }
    if let Some(known) = cache.get(&key) {
        return known.clone();
    }
    let drawn = rasterize(placed.face, placed.glyph, pixels, zoom).map(Arc::new);
    if drawn.as_ref().is_none_or(|glyph| glyph.coverage.len() <= CACHED_BYTES_MAX) {
        cache.insert(key, drawn.clone());
    }
    drawn
}

/// Where a line of text begins, and which way it runs.
#[derive(Clone, Copy)]
struct Baseline {
    x: i64,
    y: i64,
    degrees: i32,
}

impl Baseline {
    /// The pixel at a distance along the line and below it.
    fn pixel(self, along: i64, below: i64) -> (i64, i64) {
        match self.degrees {
            90 => (self.x - below, self.y + along),
            -90 => (self.x + below, self.y - along),
            _ => (self.x + along, self.y + below),
        }
    }
}

impl Canvas {
    pub(super) fn draw_text(&mut self, at: Point, line: &Line, anchor: Anchor, degrees: i32) {
        let line = line.zoomed(self.zoom);
        let pieces = line.pieces();
        let start = anchor.start(width_of(&pieces));
        let pixel = |position: f64| (position * self.zoom).round() as i64;
        let baseline = Baseline { x: pixel(at.x), y: pixel(at.y), degrees };
        for piece in pieces {
            self.draw_piece(baseline, start + piece.x, &piece);
            self.decorate(baseline, start + piece.x, piece.run.width, piece.span);
        }
    }

    fn draw_piece(&mut self, baseline: Baseline, start: f64, piece: &Piece<'_>) {
        let span = piece.span;
        for placed in &piece.run.glyphs {
            let Some(glyph) = glyph(placed, span.font.pixels, self.zoom) else {
                continue;
            };
            let along = whole((start + placed.x) * self.zoom) + i64::from(glyph.left);
            let rise = whole((span.rise + placed.y) * self.zoom);
            let below = i64::from(glyph.top) - rise;
            let rows = glyph.coverage.chunks_exact(glyph.width.max(1) as usize).zip(below..);
            let smooth = self.smoothing.letters;
            for (row, below) in rows {
                for (coverage, along) in row.iter().zip(along..).filter(|(dark, _)| **dark > 0) {
                    let (x, y) = baseline.pixel(along, below);
                    match smooth {
                        true => self.blend(x, y, span.color, u32::from(*coverage)),
                        false if *coverage >= HALF => self.blend(x, y, span.color, 255),
                        false => {}
                    }
                }
            }
        }
    }

    /// Draws the lines under and through a piece.
    fn decorate(&mut self, baseline: Baseline, start: f64, width: f64, span: &Span) {
        let (bars, thickness) = span.bars();
        let thickness = (thickness * self.zoom).round().max(1.0) as i64;
        for below in bars {
            let below = ((below - span.rise) * self.zoom).round() as i64;
            let first = (start * self.zoom).round() as i64;
            let end = ((start + width) * self.zoom).round() as i64;
            for (along, below) in
                (first..end).flat_map(|along| (below..below + thickness).map(move |y| (along, y)))
            {
                let (x, y) = baseline.pixel(along, below);
                self.blend(x, y, span.color, 255);
            }
        }
    }
}
