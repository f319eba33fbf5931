//! Everything around the data: background, border, arrows, title, labels, legend.

use super::Painter;
use crate::arguments::FontChoice;
use crate::color::Color;
use crate::font::Font;
use crate::layout::right_labels;
use crate::legend::{Entry, Legend, Swatch, SwatchShape, foot};
use crate::scene::{Anchor, Point, Primitive, Stroke, point};
use crate::text::Line;

/// The tag at the right edge, where rrdtool names itself.
const TAG: &str = "GYRE";

impl Painter<'_> {
    pub(super) fn background(&mut self) {
        let palette = self.plan.settings.palette;
        let layout = *self.layout;
        self.put(Primitive::Rect {
            at: point(0.0, 0.0),
            width: layout.image_width,
            height: layout.image_height,
            color: palette.back,
        });
        self.put(Primitive::Rect {
            at: point(layout.left, layout.top),
            width: layout.width,
            height: layout.height,
            color: palette.canvas,
        });
    }

    pub(super) fn frame(&mut self) {
        self.border();
        self.axes();
        self.title();
        self.side_texts();
    }

    fn polygon(&mut self, points: Vec<Point>, color: Color) {
        self.put(Primitive::Polygon { points, color, fade: None });
    }

    /// Light from the upper left.
    fn border(&mut self) {
        let settings = &self.plan.settings;
        let (w, h) = (self.layout.image_width, self.layout.image_height);
        let b = settings.border;
        if b <= 0.0 {
            return;
        }
        let (light, dark) = (settings.palette.shade_a, settings.palette.shade_b);
        let upper_left = [(0.0, h), (b, h - b), (b, b), (w - b, b), (w, 0.0), (0.0, 0.0)];
        let lower_right = [(b, h - b), (w - b, h - b), (w - b, b), (w, 0.0), (w, h), (0.0, h)];
        self.polygon(upper_left.map(|(x, y)| point(x, y)).to_vec(), light);
        self.polygon(lower_right.map(|(x, y)| point(x, y)).to_vec(), dark);
    }

    fn axes(&mut self) {
        let palette = self.plan.settings.palette;
        let (left, right) = (self.layout.left, self.layout.right());
        let (top, bottom) = (self.layout.top, self.layout.bottom());
        let stroke = Stroke::solid(palette.axis, 0.8);
        self.grid_line(point(left - 4.0, bottom), point(right + 4.0, bottom), stroke.clone());
        self.grid_line(point(left, bottom + 4.0), point(left, top - 4.0), stroke);
        // The arrows point along the middle of the pixels that the axes cover.
        let (x, y) = (left + 0.5, bottom + 0.5);
        let along =
            [point(right + 2.0, y - 3.0), point(right + 2.0, y + 3.0), point(right + 7.0, y)];
        let up = [point(x - 3.0, top - 2.0), point(x + 3.0, top - 2.0), point(x, top - 7.0)];
        self.polygon(along.to_vec(), palette.arrow);
        self.polygon(up.to_vec(), palette.arrow);
        if self.plan.settings.right_axis.is_some() {
            let stroke = Stroke::solid(palette.axis, 0.8);
            self.grid_line(point(right, bottom + 4.0), point(right, top - 4.0), stroke);
            let up = up.map(|corner| point(corner.x + right - left, corner.y));
            self.polygon(up.to_vec(), palette.arrow);
        }
    }

    /// A line of a text whose markup was checked with the options.
    fn line_of(&self, text: &str, font: Font, color: Color) -> Line {
        let line = Line::read(text, font, color, self.plan.settings.markup);
        line.unwrap_or_else(|_| Line::plain(text, font, color))
    }

    fn text(&mut self, at: Point, text: &str, font: &FontChoice, color: Color, degrees: i32) {
        if text.is_empty() {
            return;
        }
        self.put(Primitive::Text {
            at,
            line: self.line_of(text, font.font(), color),
            anchor: Anchor::Middle,
            degrees,
        });
    }

    fn title(&mut self) {
        let settings = &self.plan.settings;
        let font = &settings.fonts.title;
        let points = font.points;
        let middle = (self.layout.image_width / 2.0).round();
        for (nth, line) in settings.title.split('\n').enumerate() {
            let y = (points * (2.7 + 1.6 * nth as f64)).trunc();
            self.text(point(middle, y), line, font, settings.palette.font, 0);
        }
    }

    fn side_texts(&mut self) {
        let settings = &self.plan.settings;
        let layout = *self.layout;
        let color = settings.palette.font;
        let font = settings.fonts.unit.font();
        self.vertical_label(&settings.vertical_label, layout.label_shift + 10.0, font, color);
        let right = layout.right() + right_labels(settings) + 10.0;
        self.vertical_label(&settings.right_label, right, font, color);
        let faint = Color { alpha: color.alpha / 3, ..color };
        let small = &settings.fonts.watermark;
        if settings.tag {
            self.put(Primitive::Text {
                at: point(if layout.tag_left { 6.0 } else { layout.image_width - 12.0 }, 6.0),
                line: Line::plain(TAG, small.font(), faint),
                anchor: Anchor::Start,
                degrees: 90,
            });
        }
        let middle = (layout.image_width / 2.0).round();
        let below = layout.image_height - 6.0;
        self.text(point(middle, below), &settings.watermark, small, faint, 0);
    }

    /// Lines of the vertical label stand side by side and begin at one height; together they are
    /// centred.
    fn vertical_label(&mut self, text: &str, middle: f64, font: Font, color: Color) {
        if text.is_empty() {
            return;
        }
        let lines = text.split('\n');
        let lines: Vec<Line> = lines.map(|text| self.line_of(text, font, color)).collect();
        let length = lines.iter().map(Line::width).fold(0.0, f64::max);
        let start = (self.layout.top + (self.layout.height + length) / 2.0).round() - 1.0;
        let first = middle - font.line() * (lines.len() - 1) as f64 / 2.0;
        for (nth, line) in lines.into_iter().enumerate() {
            let x = (first + font.line() * nth as f64 + font.middle()).round();
            self.put(Primitive::Text {
                at: point(x, start),
                line,
                anchor: Anchor::Start,
                degrees: -90,
            });
        }
    }

    pub(super) fn legend(&mut self, legend: &Legend) {
        let settings = &self.plan.settings;
        if !settings.legend {
            return;
        }
        let font = settings.fonts.legend.font();
        for entry in &legend.entries {
            let y = self.layout.legend_y + entry.y;
            if let Some(swatch) = entry.swatch {
                self.legend_box(entry, y, font, swatch);
            }
            let baseline = y + foot(settings.fonts.legend.points) - entry.line.reach().below;
            self.put(Primitive::Text {
                at: point((self.layout.legend_x + entry.x).round(), baseline.round()),
                line: entry.line.clone(),
                anchor: Anchor::Start,
                degrees: 0,
            });
        }
    }

    fn dashed_frame(&mut self, at: Point, side: f64) {
        let (left, top) = (at.x + 0.5, at.y + 0.5);
        let (right, bottom) = (left + side, top + side);
        let corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)];
        let solid = Stroke::solid(self.plan.settings.palette.frame, 1.0);
        let points = corners.map(|(x, y)| point(x, y)).to_vec();
        self.put(Primitive::Polyline {
            points,
            stroke: Stroke { dashes: vec![3.0, 3.0], ..solid },
        });
    }

    /// A box of the colour, framed; a colour that lets the background through shows it.
    fn legend_box(&mut self, entry: &Entry, y: f64, font: Font, swatch: Swatch) {
        let palette = self.plan.settings.palette;
        let side = (font.advance('o') * 1.2).round();
        let x = (self.layout.legend_x + entry.x).round();
        let at = point(x, (y - side / 2.0).round());
        let rect = |at: Point, side: f64, color: Color| Primitive::Rect {
            at,
            width: side,
            height: side,
            color,
        };
        let inside = point(at.x + 1.0, at.y + 1.0);
        let (right, bottom) = (at.x + side, at.y + side);
        let middle = point(at.x + (side / 2.0).floor() + 0.5, at.y + (side / 2.0).floor() + 0.5);
        let line = match swatch.shape {
            SwatchShape::Box { .. } => None,
            SwatchShape::Diagonal(width) => {
                Some((point(at.x, bottom), point(right, at.y), width.min(side)))
            }
            SwatchShape::Horizontal => Some((point(at.x, middle.y), point(right, middle.y), 1.0)),
            SwatchShape::Vertical => Some((point(middle.x, bottom), point(middle.x, at.y), 1.0)),
        };
        if let Some((from, to, width)) = line {
            self.line(from, to, Stroke::solid(swatch.color, width));
            return;
        }
        if swatch.shape == (SwatchShape::Box { is_dashed: true }) {
            self.put(rect(inside, side - 1.0, swatch.color));
            self.dashed_frame(at, side);
            return;
        }
        self.put(rect(at, side + 1.0, palette.frame));
        if swatch.color.alpha < 255 {
            self.put(rect(inside, side - 1.0, palette.back));
        }
        self.put(rect(inside, side - 1.0, swatch.color));
    }
}
