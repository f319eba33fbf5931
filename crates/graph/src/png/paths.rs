//! Polygons and lines.

use tiny_skia::{
    FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Shader,
    SpreadMode, StrokeDash, Transform,
};

use super::canvas::Canvas;
use crate::color::Color;
use crate::rounding::whole;
use crate::scene::{Fade, Point, Stroke, point};

/// Round ends and corners of wider lines are seen.
const BLOCK_WIDTH_MAX: f64 = 2.0;

impl Canvas {
    pub(super) fn fill_polygon(&mut self, points: &[Point], color: Color, fade: Option<Fade>) {
        let Some(path) = path(points, true) else {
            return;
        };
        let is_smooth = self.smoothing.shapes && !self.is_on_pixels(points);
        let mut paint = paint(color, is_smooth);
        if let Some(shader) = fade.and_then(|fade| gradient(color, fade)) {
            paint.shader = shader;
        }
        let transform = self.transform();
        self.pixmap.fill_path(&path, &paint, FillRule::Winding, transform, self.mask.as_ref());
    }

    pub(super) fn stroke(&mut self, points: &[Point], stroke: &Stroke) {
        if let [from, to] = points
            && stroke.width <= 1.0
            && !stroke.round
            && self.snap
            && (from.x == to.x || from.y == to.y)
        {
            self.hairline(*from, *to, stroke);
            return;
        }
        if self.is_blocks(points, stroke) {
            self.blocks(points, stroke);
            return;
        }
        let Some(path) = path(points, false) else {
            return;
        };
        let (line_cap, line_join) = match stroke.round {
            true => (LineCap::Round, LineJoin::Round),
            false => (LineCap::Butt, LineJoin::Miter),
        };
        let dashes = stroke.dashes.iter().map(|each| *each as f32).collect();
        let style = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap,
            line_join,
            dash: StrokeDash::new(dashes, stroke.dash_offset as f32),
            ..tiny_skia::Stroke::default()
        };
        let paint = paint(stroke.color, self.smoothing.shapes);
        let transform = self.transform();
        self.pixmap.stroke_path(&path, &paint, &style, transform, self.mask.as_ref());
    }

    /// Whether each edge lies where pixels begin: then none needs smoothing.
    fn is_on_pixels(&self, points: &[Point]) -> bool {
        self.zoom.fract() == 0.0
            && points.iter().all(|at| at.x.fract() == 0.0 && at.y.fract() == 0.0)
            && points.windows(2).all(is_straight)
    }

    /// Whether a line covers whole pixels alone: a stepped curve does.
    fn is_blocks(&self, points: &[Point], stroke: &Stroke) -> bool {
        let half = stroke.width / 2.0;
        let on_pixels = |position: f64| (position - half).fract() == 0.0;
        self.snap
            && self.zoom.fract() == 0.0
            && stroke.color.alpha == 255
            && stroke.dashes.is_empty()
            && stroke.width.fract() == 0.0
            && stroke.width <= BLOCK_WIDTH_MAX
            && points.iter().all(|at| on_pixels(at.x) && on_pixels(at.y))
            && points.windows(2).all(is_straight)
    }

    fn blocks(&mut self, points: &[Point], stroke: &Stroke) {
        let half = stroke.width / 2.0;
        for pair in points.windows(2) {
            let (left, right) = (pair[0].x.min(pair[1].x), pair[0].x.max(pair[1].x));
            let (top, bottom) = (pair[0].y.min(pair[1].y), pair[0].y.max(pair[1].y));
            let at = point(left - half, top - half);
            let (width, height) = (right - left + stroke.width, bottom - top + stroke.width);
            self.fill_rect(at, width, height, stroke.color);
        }
    }

    /// A thin line along an axis: on whole pixels, fainter if it is thinner than one.
    fn hairline(&mut self, from: Point, to: Point, stroke: &Stroke) {
        let zoom = self.zoom;
        let thickness = (stroke.width * zoom).round().max(1.0) as i64;
        let coverage = (stroke.width * zoom * 255.0).clamp(1.0, 255.0) as u32;
        let vertical = from.x == to.x;
        let (fixed, a, b) = match vertical {
            true => (from.x, from.y, to.y),
            false => (from.y, from.x, to.x),
        };
        let fixed = (fixed * zoom).floor() as i64;
        let (start, length, way) = (a * zoom, (b - a).abs() * zoom, (b - a).signum());
        let mut fill = |first: f64, last: f64| {
            let ends = [first, last].map(|along| whole(start + way * along));
            let (first, last) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let (left, top, right, bottom) = match vertical {
                true => (fixed, first, fixed + thickness, last),
                false => (first, fixed, last, fixed + thickness),
            };
            self.fill_pixels(left, top, right, bottom, stroke.color, coverage);
        };
        let period: f64 = stroke.dashes.iter().sum();
        if period * zoom < 1.0 || stroke.dashes.len() % 2 == 1 {
            fill(0.0, length);
            return;
        }
        let mut at = -(stroke.dash_offset % period) * zoom;
        for pair in stroke.dashes.chunks_exact(2).cycle() {
            if at >= length {
                break;
            }
            fill(at.max(0.0), (at + pair[0] * zoom).min(length));
            at += (pair[0] + pair[1]) * zoom;
        }
    }

    fn transform(&self) -> Transform {
        Transform::from_scale(self.zoom as f32, self.zoom as f32)
    }
}

/// Whether two points lie along an axis.
fn is_straight(pair: &[Point]) -> bool {
    pair[0].x == pair[1].x || pair[0].y == pair[1].y
}

fn path(points: &[Point], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::with_capacity(points.len() + 2, points.len() + 2);
    let (first, rest) = points.split_first()?;
    builder.move_to(first.x as f32, first.y as f32);
    for point in rest {
        builder.line_to(point.x as f32, point.y as f32);
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

fn skia(color: Color) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(color.red, color.green, color.blue, color.alpha)
}

fn paint(color: Color, antialias: bool) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(skia(color));
    paint.anti_alias = antialias;
    paint
}

fn gradient(color: Color, fade: Fade) -> Option<Shader<'static>> {
    LinearGradient::new(
        tiny_skia::Point::from_xy(0.0, fade.from_y as f32),
        tiny_skia::Point::from_xy(0.0, fade.to_y as f32),
        vec![GradientStop::new(0.0, skia(color)), GradientStop::new(1.0, skia(fade.color))],
        SpreadMode::Pad,
        Transform::identity(),
    )
}
