//! Where everything lies on the image: the canvas and the space around it.

use crate::arguments::{LegendPosition, Settings, ValueGrid};
use crate::legend::Legend;
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
    /// The left edge of the room that the legend has.
    pub(crate) legend_x: f64,
    /// The middle of the legend's first line.
    pub(crate) legend_y: f64,
    /// How far the vertical label is moved to the right.
    pub(crate) label_shift: f64,
    /// Whether the tag stands at the left edge.
    pub(crate) tag_left: bool,
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

    /// The width of the image without a legend beside the graph.
    pub(crate) fn image_width(settings: &Settings) -> f64 {
        let width = f64::from(settings.width);
        if settings.full_size || settings.only_graph {
            return width;
        }
        left(settings) + width + right_margin(settings)
    }

    /// Lays out an image with this legend.
    pub(crate) fn new(settings: &Settings, legend: &Legend) -> Self {
        if settings.only_graph {
            return Self::only_graph(settings);
        }
        let position = settings.legend_position;
        let beside = match settings.legend && position.is_beside() {
            true => legend.width,
            false => 0.0,
        };
        let image_width = match settings.full_size {
            true => f64::from(settings.width),
            false => Self::image_width(settings) + beside,
        };
        // The tag gives way to a legend at its edge.
        let tag_left = position == LegendPosition::East && settings.tag;
        let label_shift = label_shift(settings, beside);
        let left = left(settings) + label_shift;
        let gap = legend_gap(settings);
        let above = top(settings);
        let top = match settings.legend && position == LegendPosition::North {
            true => above + gap + legend.height,
            false => above,
        };
        let below = below(settings, legend);
        let (mut width, mut height) = (f64::from(settings.width), f64::from(settings.height));
        let mut image_height = (top + height + below).trunc();
        let mut legend_x = image_width - beside;
        if settings.full_size {
            let right = right_margin(settings) - if tag_left { MARGIN } else { 0.0 };
            let beside = if position == LegendPosition::East { beside } else { 0.0 };
            width = (image_width - left - right - beside).max(1.0);
            // Where there is no room for both, the legend leaves the image.
            legend_x = legend_x.max(left + width + right);
            (height, image_height) = ((height - top - below).trunc().max(1.0), height);
        }
        Self {
            left,
            top,
            width,
            height,
            image_width,
            image_height,
            legend_x: if position == LegendPosition::East { legend_x } else { 0.0 },
            legend_y: match position {
                LegendPosition::South => top + height + time_labels(settings) + gap,
                _ => above + gap,
            },
            label_shift,
            tag_left,
        }
    }

    fn only_graph(settings: &Settings) -> Self {
        let (width, height) = (f64::from(settings.width), f64::from(settings.height));
        Self {
            left: 0.0,
            top: 0.0,
            width,
            height,
            image_width: width,
            image_height: height,
            legend_x: 0.0,
            legend_y: height,
            label_shift: 0.0,
            tag_left: false,
        }
    }
}

fn left(settings: &Settings) -> f64 {
    let mut left = MARGIN + label_room(settings);
    if !settings.vertical_label.is_empty() {
        left += settings.fonts.unit.points * 2.0;
    }
    left.trunc()
}

fn right_margin(settings: &Settings) -> f64 {
    let label = match settings.right_label.is_empty() {
        true => MARGIN,
        false => settings.fonts.unit.points * 2.0,
    };
    let tag = if settings.tag { MARGIN } else { 0.0 };
    (label + tag + right_labels(settings)).trunc()
}

/// The room that the labels of the right axis take.
pub(crate) fn right_labels(settings: &Settings) -> f64 {
    if settings.right_axis.is_none() {
        return 0.0;
    }
    MARGIN + label_room(settings)
}

/// The room for the labels of one value axis.
fn label_room(settings: &Settings) -> f64 {
    if settings.value_grid == ValueGrid::None && !settings.keeps_label_room {
        return 0.0;
    }
    settings.fonts.axis.font().advance('0') * f64::from(settings.units_length)
}

fn top(settings: &Settings) -> f64 {
    if settings.title.is_empty() {
        return MARGIN;
    }
    let lines = settings.title.split('\n').count() as f64;
    (settings.fonts.title.points * 1.6 * (lines + 1.0)).trunc()
}

/// The room between the top of the legend and the middle of its first line.
fn legend_gap(settings: &Settings) -> f64 {
    (settings.fonts.legend.points * 1.2).trunc()
}

/// What stands below the canvas.
fn below(settings: &Settings, legend: &Legend) -> f64 {
    let legend = match settings.legend_position {
        _ if !settings.legend => MARGIN / 2.0,
        LegendPosition::South => legend_gap(settings) + legend.height,
        _ => 0.0,
    };
    time_labels(settings) + legend + watermark(settings)
}

/// How far the vertical label is moved to the right, by the tag or by a legend.
fn label_shift(settings: &Settings, legend_width: f64) -> f64 {
    match settings.legend_position {
        LegendPosition::East if settings.tag => MARGIN,
        LegendPosition::West => legend_width,
        _ => 0.0,
    }
}

fn time_labels(settings: &Settings) -> f64 {
    if time_axis::is_drawn(settings) { (settings.fonts.axis.points * 2.5).trunc() } else { 0.0 }
}

fn watermark(settings: &Settings) -> f64 {
    if settings.watermark.is_empty() {
        0.0
    } else {
        (settings.fonts.watermark.points * 2.0).trunc()
    }
}
