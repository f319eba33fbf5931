//! Grids, and the labels of the axes.

use super::Painter;
use crate::color::Color;
use crate::scene::{Anchor, Primitive, Stroke, point};
use crate::text::Line;
use crate::time_axis::marks;
use crate::value_axis::grid;

const MINOR_WIDTH: f64 = 0.4;
const MAJOR_WIDTH: f64 = 0.6;
/// How far lines stick out of the canvas, pixels.
const TICK: f64 = 2.0;

impl Painter<'_> {
    pub(super) fn grid(&mut self) {
        self.time_grid();
        self.value_grid();
    }

    pub(super) fn labels(&mut self) {
        let settings = &self.plan.settings;
        let font = settings.fonts.axis.font();
        let color = settings.palette.font;
        let layout = *self.layout;
        let below = layout.bottom() + 3.0 + font.ascent();
        for label in self.time_marks().labels {
            self.put(Primitive::Text {
                at: point(self.x(label.at_seconds as f64), below),
                line: Line::plain(label.what, font, color),
                anchor: Anchor::Middle,
                degrees: 0,
            });
        }
        for line in grid(self.axis, settings, layout.height) {
            let Some(text) = line.label else {
                continue;
            };
            let middle = layout.bottom() - line.share * layout.height;
            // The middle of the row that the line covers.
            let y = (middle + 0.5 + font.middle()).round();
            if let Some(right) = line.right {
                self.put(Primitive::Text {
                    at: point(layout.right() + settings.fonts.axis.points, y),
                    line: Line::plain(right, font, color),
                    anchor: Anchor::Start,
                    degrees: 0,
                });
            }
            self.put(Primitive::Text {
                at: point(layout.left - settings.fonts.axis.points, y),
                line: Line::plain(text, font, color),
                anchor: Anchor::End,
                degrees: 0,
            });
        }
    }

    fn time_marks(&self) -> crate::time_axis::TimeMarks {
        let (plan, layout) = (self.plan, self.layout);
        marks(self.window, &plan.settings, layout.width as u32, &plan.zone)
    }

    fn time_grid(&mut self) {
        let palette = self.plan.settings.palette;
        let marks = self.time_marks();
        for mark in &marks.minor {
            self.vertical(mark.at_seconds, palette.grid, MINOR_WIDTH, 1.0);
        }
        for mark in &marks.major {
            self.vertical(mark.at_seconds, palette.major_grid, MAJOR_WIDTH, TICK);
        }
    }

    fn vertical(&mut self, seconds: i64, color: Color, width: f64, reach: f64) {
        let x = self.x(seconds as f64);
        let (top, bottom) = (self.layout.top, self.layout.bottom());
        let tick = Stroke::solid(color, width);
        self.grid_line(point(x, top - TICK), point(x, top), tick.clone());
        self.grid_line(point(x, bottom), point(x, bottom + TICK), tick.clone());
        let dotted = self.dotted(tick);
        self.grid_line(point(x, bottom + reach), point(x, top - reach), dotted);
    }

    fn value_grid(&mut self) {
        let settings = &self.plan.settings;
        let palette = settings.palette;
        let minor_grid = settings.minor_grid;
        for line in grid(self.axis, settings, self.layout.height) {
            let y = self.layout.bottom() - line.share * self.layout.height;
            if line.label.is_some() {
                self.horizontal(y, palette.major_grid, MAJOR_WIDTH, TICK);
            } else if minor_grid {
                self.horizontal(y, palette.grid, MINOR_WIDTH, 1.0);
            }
        }
    }

    fn horizontal(&mut self, y: f64, color: Color, width: f64, reach: f64) {
        let (left, right) = (self.layout.left, self.layout.right());
        let tick = Stroke::solid(color, width);
        self.grid_line(point(left - TICK, y), point(left, y), tick.clone());
        self.grid_line(point(right, y), point(right + TICK, y), tick.clone());
        let dotted = self.dotted(tick);
        self.grid_line(point(left - reach, y), point(right + reach, y), dotted);
    }

    fn dotted(&self, solid: Stroke) -> Stroke {
        let (on, off) = self.plan.settings.grid_dash;
        let dashes = if off > 0.0 { vec![on, off] } else { Vec::new() };
        Stroke { dashes, ..solid }
    }
}
