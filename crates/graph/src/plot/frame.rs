//! Where a panel lies, what its edges mean, and what is drawn inside them.

use super::scale::Scale;
use crate::color::Color;
use crate::font::Font;
use crate::scene::{Anchor, Point, Primitive, Stroke, point};
use crate::text::Line;

pub(super) const INK: Color = Color::rgba(40, 40, 40, 255);
const GRID: Color = Color::rgba(228, 228, 228, 255);

/// A panel's edges in pixels, and the values between them.
pub(super) struct Frame<'a> {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: &'a Scale,
    pub(super) y: &'a Scale,
}

impl Frame<'_> {
    /// Where a point lies; no lower than where the axis hides half of its line.
    pub(super) fn place(&self, x: f64, y: f64) -> Point {
        let bottom = self.bottom - 1.0;
        point(self.right_of(x), self.height_of(y).min(bottom))
    }

    fn right_of(&self, x: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.part(x)
    }

    fn height_of(&self, y: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.y.part(y)
    }

    /// The grid, its numbers, and the axes.
    pub(super) fn draw(&self, label: &str, out: &mut Vec<Primitive>) {
        for (x, words) in self.x.marks() {
            let foot = point(self.right_of(x), self.bottom);
            if !matches!(self.x, Scale::Groups(_)) {
                out.push(line(foot, point(foot.x, self.top), GRID));
            }
            out.push(text(point(foot.x, foot.y + 15.0), &words, Anchor::Middle, INK));
        }
        for (y, words) in self.y.marks() {
            let height = self.height_of(y);
            out.push(line(point(self.left, height), point(self.right, height), GRID));
            out.push(text(point(self.left - 6.0, height + 4.0), &words, Anchor::End, INK));
        }
        let corner = point(self.left, self.bottom);
        out.push(line(corner, point(self.left, self.top), INK));
        out.push(line(corner, point(self.right, self.bottom), INK));
        let line = Line::plain(label, Font::plain(8.0), INK);
        let at = point(18.0, f64::midpoint(self.top, self.bottom));
        out.push(Primitive::Text { at, line, anchor: Anchor::Middle, degrees: -90 });
    }

    /// What follows stays inside the edges.
    pub(super) fn clip(&self, out: &mut Vec<Primitive>) {
        let at = point(self.left, self.top);
        // The axes cover the first pixel beyond the panel.
        let (width, height) = (self.right - self.left + 1.0, self.bottom - self.top + 1.0);
        out.push(Primitive::Clip { at, width, height });
    }

    /// A dashed line where a curve ends to hold.
    pub(super) fn draw_limit(&self, x: f64, color: Color, out: &mut Vec<Primitive>) {
        let x = self.right_of(x);
        let points = vec![point(x, self.top), point(x, self.bottom)];
        let stroke = Stroke { dashes: vec![3.0, 3.0], ..Stroke::solid(color, 1.0) };
        out.push(Primitive::Polyline { points, stroke });
    }

    /// A line at a height that has a name.
    pub(super) fn draw_height(&self, y: f64, name: &str, out: &mut Vec<Primitive>) {
        let y = self.height_of(y);
        out.push(line(point(self.left, y), point(self.right, y), INK));
        out.push(text(point(self.left + 6.0, y - 4.0), name, Anchor::Start, INK));
    }

    /// Bars up to the points; the first pixel of each lies so far from its group's middle.
    pub(super) fn draw_bars(
        &self,
        points: &[[f64; 2]],
        from_middle: f64,
        width: f64,
        color: Color,
        out: &mut Vec<Primitive>,
    ) {
        out.extend(points.iter().map(|[x, y]| {
            let top = self.height_of(*y);
            let at = point(self.right_of(*x) + from_middle, top);
            Primitive::Rect { at, width, height: (self.bottom - top).max(0.0), color }
        }));
    }
}

fn line(from: Point, to: Point, color: Color) -> Primitive {
    Primitive::Polyline { points: vec![from, to], stroke: Stroke::solid(color, 1.0) }
}

pub(super) fn text(at: Point, text: &str, anchor: Anchor, color: Color) -> Primitive {
    let line = Line::plain(text, Font::plain(8.0), color);
    Primitive::Text { at, line, anchor, degrees: 0 }
}
