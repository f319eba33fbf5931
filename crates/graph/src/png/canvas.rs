//! The pixels, and rectangles on them.

use std::cell::Cell;

use tiny_skia::{IntSize, Mask, Pixmap, PremultipliedColorU8};

use super::Smoothing;
use crate::color::Color;
use crate::rounding::whole;
use crate::scene::Point;

/// The pixels that may be touched: first and one past the last, each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clip {
    pub(super) left: i64,
    pub(super) top: i64,
    pub(super) right: i64,
    pub(super) bottom: i64,
}

impl Clip {
    pub(super) const ALL: Self = Self { left: 0, top: 0, right: i64::MAX, bottom: i64::MAX };

    pub(super) fn around(at: Point, width: f64, height: f64, zoom: f64) -> Self {
        let pixel = |position: f64| whole(position * zoom);
        Self {
            left: pixel(at.x),
            top: pixel(at.y),
            right: pixel(at.x + width),
            bottom: pixel(at.y + height),
        }
    }
}

const PIXEL_BYTES: usize = 4;

/// Memory of more than this is given back: few images are larger.
const SPARE_BYTES_MAX: usize = 4 << 20;

thread_local! {
    /// The memory of the last image.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// An image in the making.
pub(super) struct Canvas {
    pub(super) pixmap: Pixmap,
    pub(super) zoom: f64,
    pub(super) smoothing: Smoothing,
    clip: Clip,
    /// The clip for paths, unless everything may be touched.
    pub(super) mask: Option<Mask>,
    /// Whether thin lines along an axis are drawn on whole pixels.
    pub(super) snap: bool,
}

impl Canvas {
    pub(super) fn new(width: u32, height: u32, zoom: f64, smoothing: Smoothing) -> Option<Self> {
        let size = IntSize::from_wh(width, height)?;
        let length = (width as usize).checked_mul(height as usize)?.checked_mul(PIXEL_BYTES)?;
        let mut bytes = SPARE.take();
        bytes.resize(length, 0);
        let pixmap = Pixmap::from_vec(bytes, size)?;
        Some(Self { pixmap, zoom, smoothing, clip: Clip::ALL, mask: None, snap: true })
    }

    /// Keeps the memory for the next image of this thread: to ask the system for as much anew, page
    /// by page, takes longer than to clear it.
    pub(super) fn recycle(self) {
        let mut bytes = self.pixmap.take();
        if bytes.capacity() <= SPARE_BYTES_MAX {
            bytes.clear();
            SPARE.set(bytes);
        }
    }

    /// What follows touches these pixels alone.
    pub(super) fn set_clip(&mut self, clip: Clip) {
        self.clip = clip;
        self.mask = self.mask_of_clip();
    }

    fn mask_of_clip(&self) -> Option<Mask> {
        if self.clip == Clip::ALL {
            return None;
        }
        let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height())?;
        let (width, height) = (mask.width() as usize, mask.height() as usize);
        let column = |at: i64| at.clamp(0, width as i64) as usize;
        let (left, right) = (column(self.clip.left), column(self.clip.right));
        let rows = mask.data_mut().chunks_exact_mut(width).enumerate();
        let visible = self.clip.top.max(0) as usize..self.clip.bottom.max(0) as usize;
        for (_, row) in rows.take(height).filter(|(y, _)| visible.contains(y)) {
            if let Some(pixels) = row.get_mut(left..right) {
                pixels.fill(255);
            }
        }
        Some(mask)
    }

    /// Lays a colour over one pixel; `coverage` is how much of it is meant, 255 for all.
    pub(super) fn blend(&mut self, x: i64, y: i64, color: Color, coverage: u32) {
        let (width, height) = (i64::from(self.pixmap.width()), i64::from(self.pixmap.height()));
        let clip = self.clip;
        let inside = (clip.left.max(0)..clip.right.min(width)).contains(&x)
            && (clip.top.max(0)..clip.bottom.min(height)).contains(&y);
        if !inside {
            return;
        }
        let alpha = u32::from(color.alpha) * coverage / 255;
        if let Some(pixel) = self.pixmap.pixels_mut().get_mut((y * width + x) as usize) {
            *pixel = over(color, alpha, *pixel);
        }
    }

    /// Fills a rectangle of whole pixels.
    pub(super) fn fill_rect(&mut self, at: Point, width: f64, height: f64, color: Color) {
        let pixel = |position: f64| whole(position * self.zoom);
        let (left, right) = (pixel(at.x), pixel(at.x + width));
        let (top, bottom) = (pixel(at.y), pixel(at.y + height));
        self.fill_pixels(left, top, right, bottom, color, 255);
    }

    pub(super) fn fill_pixels(
        &mut self,
        left: i64,
        top: i64,
        right: i64,
        bottom: i64,
        color: Color,
        coverage: u32,
    ) {
        let (width, height) = (i64::from(self.pixmap.width()), i64::from(self.pixmap.height()));
        let columns = self.clip.left.max(left).max(0)..self.clip.right.min(right).min(width);
        let rows = self.clip.top.max(top).max(0)..self.clip.bottom.min(bottom).min(height);
        if columns.is_empty() {
            return;
        }
        let alpha = u32::from(color.alpha) * coverage / 255;
        for y in rows {
            let start = (y * width + columns.start) as usize;
            let end = (y * width + columns.end) as usize;
            let Some(row) = self.pixmap.pixels_mut().get_mut(start..end) else {
                continue;
            };
            if alpha == 255 {
                row.fill(over(color, alpha, PremultipliedColorU8::TRANSPARENT));
            } else {
                row.iter_mut().for_each(|pixel| *pixel = over(color, alpha, *pixel));
            }
        }
    }
}

/// A colour laid over a pixel, whose channels are multiplied by its opacity.
fn over(color: Color, alpha: u32, below: PremultipliedColorU8) -> PremultipliedColorU8 {
    let mix = |new: u8, old: u8| {
        let sum = u32::from(new) * alpha + u32::from(old) * (255 - alpha);
        ((sum + 127) / 255) as u8
    };
    let opacity = mix(255, below.alpha());
    let red = mix(color.red, below.red()).min(opacity);
    let green = mix(color.green, below.green()).min(opacity);
    let blue = mix(color.blue, below.blue()).min(opacity);
    PremultipliedColorU8::from_rgba(red, green, blue, opacity).unwrap_or(below)
}
