//! Where everything lies on the image: the canvas and the space around it.

use crate::arguments::{Settings, ValueGrid};
use crate::font::Size;
use crate::time_axis;

/// The space around the canvas that takes no text, pixels.
const MARGIN: f64 = 15.0;

/// The positions of the parts of an image, pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub(crate) left: f64,
    pub(crate) top: f64,
    /// The canvas.
    pub(crate) width: f64,
    /// The canvas.
    pub(crate) height: f64,
    pub(crate) image_width: f64,
    pub(crate) image_height: f64,
    /// The middle of the legend's first line.
    pub(crate) legend_y: f64,
}

impl Layout {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The width and the height of the image, whole pixels.
    pub(crate) fn image_pixels(&self) -> (u32, u32) {
        (self.image_width.max(1.0) as u32, self.image_height.max(1.0) as u32)
    }

    /// The width of the image, which the legend needs to know before the height is settled.
    pub(crate) fn image_width(settings: &Settings) -> f64 {
        let width = f64::from(settings.width);
        if settings.full_size || settings.only_graph {
            return width;
        }
        left(settings) + width + right_margin(settings)
    }

    /// Lays out an image with a legend of `legend_height` pixels.
    pub(crate) fn new(settings: &Settings, legend_height: f64) -> Self {
        let image_width = Self::image_width(settings);
        let mut width = f64::from(settings.width);
        let mut height = f64::from(settings.height);
        if settings.only_graph {
            return Self {
                left: 0.0,
                top: 0.0,
                width,
                height,
                image_width,
                image_height: height,
                legend_y: height,
            };
        }
        let left = left(settings);
        let top = top(settings);
        let time_labels = time_labels(settings);
        let below = time_labels + legend(settings, legend_height) + watermark(settings);
        if settings.full_size {
            width = (image_width - left - right_margin(settings)).max(1.0);
            height = (height - top - below.trunc()).max(1.0);
        }
        let legend_gap = (settings.fonts.legend * 1.2).trunc();
        Self {
            left,
            top,
            width,
            height,
            image_width,
            image_height: if settings.full_size {
                f64::from(settings.height)
            } else {
                top + height + below.trunc()
            },
            legend_y: top + height + time_labels + legend_gap,
        }
    }
}

fn left(settings: &Settings) -> f64 {
    let mut left = MARGIN;
    if settings.value_grid != ValueGrid::None {
        let size = Size::from_points(settings.fonts.axis);
        left += size.advance * f64::from(settings.units_length);
    }
    if !settings.vertical_label.is_empty() {
        left += settings.fonts.unit * 2.0;
    }
    left.trunc()
}

fn right_margin(settings: &Settings) -> f64 {
    if settings.tag { 2.0 * MARGIN } else { MARGIN }
}

fn top(settings: &Settings) -> f64 {
    if settings.title.is_empty() {
        return MARGIN;
    }
    let lines = settings.title.split('\n').count() as f64;
    (settings.fonts.title * 1.6 * (lines + 1.0)).trunc()
}

fn time_labels(settings: &Settings) -> f64 {
    if time_axis::is_drawn(settings) { (settings.fonts.axis * 2.5).trunc() } else { 0.0 }
}

fn legend(settings: &Settings, height: f64) -> f64 {
    if settings.legend { (settings.fonts.legend * 1.2).trunc() + height } else { MARGIN / 2.0 }
}

fn watermark(settings: &Settings) -> f64 {
    if settings.watermark.is_empty() { 0.0 } else { (settings.fonts.watermark * 2.0).trunc() }
}
