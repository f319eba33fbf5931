//! A text of the legend in its place, and the box before it.

use crate::arguments::{Element, Ink, Shape, ShapeKind};
use crate::color::Color;
use crate::text::Line;

/// The box before a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Swatch {
    pub(crate) color: Color,
    pub(crate) shape: SwatchShape,
}

/// What a swatch looks like; all but the first with `--dynamic-labels` alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SwatchShape {
    Box {
        /// Whether its frame is, because the line is.
        is_dashed: bool,
    },
    /// A line of this width.
    Diagonal(f64),
    Horizontal,
    Vertical,
}

impl SwatchShape {
    pub(super) fn of(element: &Element, ink: &Ink, is_dynamic: bool) -> Self {
        match element {
            Element::Rule(rule) if is_dynamic && rule.vertical => Self::Vertical,
            Element::Rule(_) if is_dynamic => Self::Horizontal,
            Element::Shape(Shape { kind: ShapeKind::Line { width }, .. }) if is_dynamic => {
                Self::Diagonal(*width)
            }
            _ => Self::Box { is_dashed: !ink.dashes.is_empty() },
        }
    }
}

/// A text of the legend, placed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// As it was given.
    pub(crate) text: String,
    pub(crate) line: Line,
    pub(crate) swatch: Option<Swatch>,
    /// The left edge, pixels.
    pub(crate) x: f64,
    /// The middle of the line, pixels below the first line's.
    pub(crate) y: f64,
}
