//! Curves in panels one above the other, over one horizontal axis; all axes in powers of ten.

use crate::Error;
use crate::color::Color;
use crate::font::Size;
use crate::scene::{Anchor, Point, Primitive, Scene, Stroke, point};
use crate::{png, svg};

const WIDTH: f64 = 840.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 232.0;
const TOP: f64 = 44.0;
const PANEL_HEIGHT: f64 = 220.0;
/// Between panels, and below the last.
const GAP: f64 = 28.0;
const FOOT: f64 = 56.0;
/// From one line of the legend to the next.
const LINE: f64 = 15.0;

const WHITE: Color = Color::rgba(255, 255, 255, 255);
const INK: Color = Color::rgba(40, 40, 40, 255);
const GRID: Color = Color::rgba(228, 228, 228, 255);
const CURVES: [Color; 7] = [
    Color::rgba(0, 96, 176, 255),
    Color::rgba(200, 32, 32, 255),
    Color::rgba(216, 128, 0, 255),
    Color::rgba(16, 128, 48, 255),
    Color::rgba(128, 48, 160, 255),
    Color::rgba(0, 136, 136, 255),
    Color::rgba(96, 96, 96, 255),
];

/// Curves in panels, one above the other.
#[derive(Clone, Debug, PartialEq)]
pub struct LogPlot {
    /// What stands above them.
    pub title: String,
    /// What the horizontal axis counts.
    pub x_label: String,
    /// Both ends of the horizontal axis, above zero.
    pub x_range: (f64, f64),
    /// The curves, whose points the panels have.
    pub legend: Vec<Legend>,
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
}

/// A curve's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Its name.
    pub name: String,
    /// What else is to be said of it.
    pub remark: String,
    /// Where it ends to hold: a dashed line through all panels.
    pub limit: Option<f64>,
}

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What the vertical axis counts, and in what.
    pub label: String,
    /// Both ends of the vertical axis, above zero. What is below the lower lies on it.
    pub range: (f64, f64),
    /// A height that is not to be passed, and what it is called.
    pub limit: Option<(f64, String)>,
    /// The points of each curve of the legend, from left to right.
    pub curves: Vec<Vec<(f64, f64)>>,
}

impl LogPlot {
    /// The plot as SVG.
    #[must_use]
    pub fn svg(&self) -> Vec<u8> {
        svg::render(&self.scene(), 1.0)
    }

    /// The plot as PNG.
    ///
    /// # Errors
    /// The picture cannot be packed.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        png::render(&self.scene(), 1.0, true)
    }

    fn scene(&self) -> Scene {
        let panels = self.panels.len() as f64;
        let height = TOP + panels * (PANEL_HEIGHT + GAP) - GAP + FOOT;
        let at = point(0.0, 0.0);
        let mut out = vec![Primitive::Rect { at, width: WIDTH, height, color: WHITE }];
        out.push(text(point((LEFT + RIGHT) / 2.0, TOP - 18.0), &self.title, Anchor::Middle, INK));
        for (nth, panel) in self.panels.iter().enumerate() {
            let top = TOP + nth as f64 * (PANEL_HEIGHT + GAP);
            self.draw_panel(
                &Frame { top, x_range: self.x_range, y_range: panel.range },
                panel,
                &mut out,
            );
        }
        let middle = (LEFT + RIGHT) / 2.0;
        out.push(text(point(middle, height - 14.0), &self.x_label, Anchor::Middle, INK));
        self.draw_legend(&mut out);
        Scene { width: WIDTH as u32, height: height as u32, primitives: out }
    }

    fn draw_panel(&self, frame: &Frame, panel: &Panel, out: &mut Vec<Primitive>) {
        frame.draw(out);
        let half = frame.top + PANEL_HEIGHT / 2.0;
        out.push(turned(point(18.0, half), &panel.label));
        let (at, width) = (point(LEFT, frame.top), RIGHT - LEFT);
        out.push(Primitive::Clip { at, width, height: PANEL_HEIGHT });
        let limits = self.legend.iter().zip(CURVES.iter().cycle());
        for (limit, color) in limits.filter_map(|(it, color)| Some((it.limit?, *color))) {
            let x = frame.x(limit);
            let ends = vec![point(x, frame.top), point(x, frame.bottom())];
            let dashes = vec![3.0, 3.0];
            let stroke = Stroke { dashes, ..Stroke::solid(color, 1.0) };
            out.push(Primitive::Polyline { points: ends, stroke });
        }
        if let Some((height, name)) = &panel.limit {
            let y = frame.y(*height);
            out.push(line(point(LEFT, y), point(RIGHT, y), INK));
            out.push(text(point(LEFT + 6.0, y - 4.0), name, Anchor::Start, INK));
        }
        for (curve, color) in panel.curves.iter().zip(CURVES.iter().cycle()) {
            let points = curve.iter().map(|(x, y)| point(frame.x(*x), frame.y(*y))).collect();
            out.push(Primitive::Polyline { points, stroke: Stroke::solid(*color, 2.0) });
        }
        out.push(Primitive::Unclip);
    }

    fn draw_legend(&self, out: &mut Vec<Primitive>) {
        let mut y = TOP + 12.0;
        for (legend, color) in self.legend.iter().zip(CURVES.iter().cycle()) {
            let left = RIGHT + 16.0;
            let ends = vec![point(left, y - 4.0), point(left + 18.0, y - 4.0)];
            out.push(Primitive::Polyline { points: ends, stroke: Stroke::solid(*color, 3.0) });
            out.push(text(point(left + 24.0, y), &legend.name, Anchor::Start, *color));
            y += LINE;
            out.push(text(point(left + 24.0, y), &legend.remark, Anchor::Start, INK));
            y += 1.6 * LINE;
        }
    }
}

/// Where a panel lies, and what its edges mean.
struct Frame {
    top: f64,
    x_range: (f64, f64),
    y_range: (f64, f64),
}

impl Frame {
    fn bottom(&self) -> f64 {
        self.top + PANEL_HEIGHT
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * part(x, self.x_range)
    }

    fn y(&self, y: f64) -> f64 {
        // Nothing is half hidden by the axis.
        (self.bottom() - PANEL_HEIGHT * part(y, self.y_range)).min(self.bottom() - 1.0)
    }

    fn draw(&self, out: &mut Vec<Primitive>) {
        for x in powers(self.x_range) {
            let foot = point(self.x(x), self.bottom());
            out.push(line(foot, point(foot.x, self.top), GRID));
            out.push(text(point(foot.x, foot.y + 15.0), &number(x), Anchor::Middle, INK));
        }
        for y in powers(self.y_range) {
            let y_pixels = self.bottom() - PANEL_HEIGHT * part(y, self.y_range);
            out.push(line(point(LEFT, y_pixels), point(RIGHT, y_pixels), GRID));
            out.push(text(point(LEFT - 6.0, y_pixels + 4.0), &number(y), Anchor::End, INK));
        }
        let corner = point(LEFT, self.bottom());
        out.push(line(corner, point(LEFT, self.top), INK));
        out.push(line(corner, point(RIGHT, self.bottom()), INK));
    }
}

/// How far a value lies from the lower end of a range to the upper, in powers of ten.
fn part(value: f64, (from, to): (f64, f64)) -> f64 {
    let part = (value.max(from) / from).log10() / (to / from).log10();
    if part.is_finite() { part.clamp(0.0, 2.0) } else { 0.0 }
}

/// The powers of ten in a range; every second where they are many.
fn powers((from, to): (f64, f64)) -> impl Iterator<Item = f64> {
    let (first, last) = ((from * 0.999).log10().ceil() as i32, (to * 1.001).log10().floor() as i32);
    let every = if last - first > 7 { 2 } else { 1 };
    (first..=last).step_by(every).map(|power| 10_f64.powi(power))
}

fn line(from: Point, to: Point, color: Color) -> Primitive {
    Primitive::Polyline { points: vec![from, to], stroke: Stroke::solid(color, 1.0) }
}

fn text(at: Point, text: &str, anchor: Anchor, color: Color) -> Primitive {
    let size = Size::from_points(8.0);
    Primitive::Text { at, text: text.into(), size, color, anchor, degrees: 0 }
}

fn turned(at: Point, text: &str) -> Primitive {
    let (size, anchor) = (Size::from_points(8.0), Anchor::Middle);
    Primitive::Text { at, text: text.into(), size, color: INK, anchor, degrees: -90 }
}

/// A power of ten: with commas between thousands, or as a fraction.
fn number(value: f64) -> String {
    if value < 1.0 { format!("{value}") } else { crate::step_plot::number(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: &[(f64, f64)]) -> LogPlot {
        let legend = |name: &str, limit| Legend { name: name.into(), remark: "far".into(), limit };
        let panel = |label: &str| Panel {
            label: label.into(),
            range: (0.1, 1000.0),
            limit: Some((300.0, "the step".into())),
            curves: vec![points.to_vec(), vec![(10.0, 0.0), (1e6, 0.0)]],
        };
        LogPlot {
            title: "Targets".into(),
            x_label: "targets".into(),
            x_range: (10.0, 1e6),
            legend: vec![legend("files", Some(2e4)), legend("ring", None)],
            panels: vec![panel("page-ins a second"), panel("seconds")],
        }
    }

    #[test]
    fn powers_of_ten_are_as_far_apart() {
        let frame = Frame { top: 0.0, x_range: (10.0, 1000.0), y_range: (1.0, 100.0) };
        assert_eq!([10.0, 100.0, 1000.0].map(|x| frame.x(x)), [LEFT, (LEFT + RIGHT) / 2.0, RIGHT]);
        assert_eq!([100.0, 10.0].map(|y| frame.y(y)), [0.0, PANEL_HEIGHT / 2.0]);
        assert_eq!(frame.y(0.0), PANEL_HEIGHT - 1.0, "nothing lies at the foot");
        assert_eq!(powers((0.5, 2000.0)).collect::<Vec<_>>(), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!([0.1, 1.0, 1e6].map(number), ["0.1", "1", "1,000,000"]);
    }

    #[test]
    fn both_pictures_are_drawn() {
        for points in [&[][..], &[(10.0, 1.0), (1e5, 400.0)], &[(f64::NAN, f64::INFINITY)]] {
            let plot = plot(points);
            let svg = String::from_utf8(plot.svg()).unwrap();
            for words in ["page-ins a second", "the step", "ring", "1,000,000"] {
                assert!(svg.contains(words), "{words}: {svg}");
            }
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert!(plot.png().unwrap().starts_with(b"\x89PNG"));
        }
    }
}
