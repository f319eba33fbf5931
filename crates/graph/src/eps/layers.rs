//! What lies where, so that a translucent colour can be mixed with it.
//!
//! A translucent shape becomes several opaque ones: itself in the colour mixed with the ground, and
//! each shape below it, once more, in a mixed colour and cut off outside the translucent one.

use super::shapes::{Bounds, Shape};
use crate::color::Color;
use crate::scene::Point;

/// The most shapes that are painted again for one translucent shape. What has more below it is
/// mixed with the ground alone.
const AGAIN_MAX: usize = 2000;

/// The most that are painted again in all.
const AGAIN_SUM_MAX: usize = 20_000;

/// The most points of a shape that is painted again: PostScript holds 65,535 words together.
const POINTS_MAX: usize = 15_000;

const WHITE: Color = Color::rgba(255, 255, 255, 255);

/// One colour, or one that becomes another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Paint {
    pub(super) color: Color,
    pub(super) fade: Option<Fade>,
}

/// Where a colour becomes another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fade {
    pub(super) color: Color,
    pub(super) from_y: f64,
    pub(super) to_y: f64,
}

/// An opaque shape.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// The shapes outside which it is cut off, by number.
    pub(super) clips: Vec<usize>,
    /// Its number.
    pub(super) shape: usize,
    pub(super) paint: Paint,
    /// What it may cover.
    bounds: Bounds,
}

/// All that was painted so far.
#[derive(Default)]
pub(super) struct Layers {
    pub(super) shapes: Vec<Shape>,
    below: Vec<Layer>,
    again: usize,
}

impl Paint {
    fn is_opaque(self) -> bool {
        self.color.alpha == 255 && self.fade.is_none_or(|fade| fade.color.alpha == 255)
    }

    fn middle(self) -> Color {
        match self.fade {
            None => self.color,
            Some(fade) => over(Color { alpha: 128, ..fade.color }, self.color),
        }
    }

    /// The colour at a height of the image.
    fn at(self, y: f64) -> Color {
        let Some(fade) = self.fade else { return self.color };
        let share = ((y - fade.from_y) / (fade.to_y - fade.from_y)).clamp(0.0, 1.0);
        over(Color { alpha: (share * 255.0) as u8, ..fade.color }, self.color)
    }

    /// This paint over that of a layer.
    fn over(self, below: Self) -> Self {
        match (self.fade, below.fade) {
            (None, Some(fade)) => {
                let fade = Fade { color: over(self.color, fade.color), ..fade };
                Self { color: over(self.color, below.color), fade: Some(fade) }
            }
            (None, None) => Self { color: over(self.color, below.color), fade: None },
            // Right where this paint begins and ends.
            (Some(fade), _) => {
                let color = over(self.color, below.at(fade.from_y));
                let fade = Fade { color: over(fade.color, below.at(fade.to_y)), ..fade };
                Self { color, fade: Some(fade) }
            }
        }
    }
}

impl Layer {
    /// What lies below this shape, in the colour that it shows through it.
    fn beneath(&self, below: &Self) -> Self {
        Self {
            clips: joined(&[&self.clips, &[self.shape], &below.clips]),
            shape: below.shape,
            paint: self.paint.over(below.paint),
            bounds: below.bounds.within(&self.bounds),
        }
    }

    /// The part of this line that lies over a shape. A clip is made of whole pixels, which are too
    /// coarse for lines: so the shape is the clip.
    fn within(&self, below: &Self) -> Self {
        let bounds = below.bounds.within(&self.bounds);
        let ground = below.paint.at(f64::midpoint(bounds.top, bounds.bottom));
        Self {
            clips: joined(&[&self.clips, &below.clips, &[below.shape]]),
            shape: self.shape,
            paint: self.paint.over(Paint { color: ground, fade: None }),
            bounds,
        }
    }
}

/// Clips one after the other, each once.
fn joined(clips: &[&[usize]]) -> Vec<usize> {
    let mut joined: Vec<usize> = Vec::new();
    for clip in clips.iter().flat_map(|clips| clips.iter()) {
        if !joined.contains(clip) {
            joined.push(*clip);
        }
    }
    joined
}

/// A colour laid over an opaque one.
fn over(color: Color, below: Color) -> Color {
    let alpha = u32::from(color.alpha);
    let mix = |new: u8, old: u8| {
        ((u32::from(new) * alpha + u32::from(old) * (255 - alpha) + 127) / 255) as u8
    };
    Color::rgba(
        mix(color.red, below.red),
        mix(color.green, below.green),
        mix(color.blue, below.blue),
        255,
    )
}

impl Layers {
    /// The number of a shape.
    pub(super) fn number(&mut self, shape: Shape) -> usize {
        self.shapes.push(shape);
        self.shapes.len() - 1
    }

    /// Paints a shape within a clip; gives the opaque layers that show it, in order.
    pub(super) fn paint(&mut self, shape: Shape, paint: Paint, clip: Option<usize>) -> Vec<Layer> {
        let mut bounds = shape.bounds();
        if let Some(Shape::Rect(clip)) = clip.and_then(|nth| self.shapes.get(nth)) {
            bounds = bounds.within(clip);
        }
        let is_simple = matches!(&shape, Shape::Line(points, _) if points.len() == 2);
        let is_large = shape.points() > POINTS_MAX;
        let clips: Vec<usize> = clip.into_iter().collect();
        let number = self.number(shape);
        let layer = Layer { clips, shape: number, paint, bounds };
        let is_opaque = paint.is_opaque();
        let layers = if is_opaque { vec![layer] } else { self.mixed(layer, is_large) };
        // Crossings of translucent lines of the grid are smaller than what would be to see.
        if !is_large && (is_opaque || !is_simple) {
            self.below.extend(layers.iter().cloned());
        }
        layers
    }

    fn mixed(&mut self, layer: Layer, is_large: bool) -> Vec<Layer> {
        let ground = self.below.iter().rposition(|below| self.covers(below, &layer.bounds));
        let first = ground.map_or(0, |nth| nth + 1);
        let ground = ground.and_then(|nth| self.below.get(nth));
        let white = Paint { color: WHITE, fade: None };
        let paint = layer.paint.over(ground.map_or(white, |ground| ground.paint));
        let above = self.below.get(first..).unwrap_or_default();
        let met = above.iter().filter(|below| below.bounds.meets(&layer.bounds));
        let is_line = matches!(self.shapes.get(layer.shape), Some(Shape::Line(..)));
        let mut again: Vec<Layer> = met
            .map(|below| if is_line { layer.within(below) } else { layer.beneath(below) })
            .collect();
        self.again += again.len();
        if is_large || again.len() > AGAIN_MAX || self.again > AGAIN_SUM_MAX {
            again.clear();
        }
        again.insert(0, Layer { paint, ..layer });
        again
    }

    /// Whether a layer hides all that lies below these bounds.
    fn covers(&self, layer: &Layer, bounds: &Bounds) -> bool {
        let is_rect = matches!(self.shapes.get(layer.shape), Some(Shape::Rect(_)));
        is_rect && layer.clips.is_empty() && layer.bounds.covers(bounds)
    }

    /// A colour over the ground at a point.
    pub(super) fn mixed_at(&self, at: Point, color: Color) -> Color {
        let is_there = |layer: &&Layer| {
            let is_rect = matches!(self.shapes.get(layer.shape), Some(Shape::Rect(_)));
            is_rect && layer.clips.is_empty() && layer.bounds.contains(at)
        };
        let ground = self.below.iter().rev().find(is_there);
        over(color, ground.map_or(WHITE, |ground| ground.paint.middle()))
    }
}
