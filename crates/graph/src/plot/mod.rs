//! Curves and bars over one horizontal axis, in panels one above the other.

mod frame;
mod scale;

pub use scale::Scale;

use frame::{Frame, INK, text};

use crate::Error;
use crate::color::Color;
use crate::scene::{Anchor, Primitive, Scene, Stroke, point};
use crate::{png, svg};

const LEFT: f64 = 84.0;
const RIGHT: f64 = 624.0;
/// Right of the panels, or of the legend beside them.
const MARGIN: f64 = 24.0;
/// Left of the legend's words: a piece of the curve.
const KEY_WIDTH: f64 = 40.0;
/// Of the plot's size of text, in a font whose characters are all as wide.
const CHARACTER_WIDTH: f64 = 7.0;
const TOP: f64 = 44.0;
/// Of the only panel, and of each of several.
const HEIGHT: f64 = 320.0;
const PANEL_HEIGHT: f64 = 220.0;
/// Between panels, and below the last.
const GAP: f64 = 28.0;
const FOOT: f64 = 56.0;
/// From one line of the legend to the next.
const LINE: f64 = 15.0;
/// The part of a group's room that its bars take.
const BARS: f64 = 0.8;

const WHITE: Color = Color::rgba(255, 255, 255, 255);
const COLORS: [Color; 10] = [
    Color::rgba(0, 96, 176, 255),
    Color::rgba(200, 32, 32, 255),
    Color::rgba(216, 128, 0, 255),
    Color::rgba(16, 128, 48, 255),
    Color::rgba(128, 48, 160, 255),
    Color::rgba(0, 136, 136, 255),
    Color::rgba(96, 96, 96, 255),
    Color::rgba(194, 24, 91, 255),
    Color::rgba(109, 139, 0, 255),
    Color::rgba(123, 81, 55, 255),
];

/// Curves in panels, one above the other; bars where the horizontal axis counts groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What stands above them.
    pub title: String,
    /// The horizontal axis of all panels.
    pub x: Axis,
    /// What the curves are; nothing is said of a curve without a name.
    pub legend: Vec<Legend>,
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it counts, and in what.
    pub label: String,
    /// Its values.
    pub scale: Scale,
}

/// What is said of a curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Legend {
    /// Its name.
    pub name: String,
    /// What else is to be said of it, or nothing.
    pub remark: String,
    /// Where it ends to hold: a dashed line through all panels.
    pub limit: Option<f64>,
    /// Whether it is drawn with gaps, or its bars pale: what was not measured.
    pub is_dashed: bool,
}

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its vertical axis.
    pub y: Axis,
    /// A height that is not to be passed, and what it is called.
    pub limit: Option<(f64, String)>,
    /// The points of each curve of the legend, x and y, from left to right.
    pub curves: Vec<Vec<[f64; 2]>>,
}

impl Plot {
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
        let look = png::Look { zoom: 1.0, smoothing: png::Smoothing::ALL, interlaced: false };
        png::render(&self.scene(), look)
    }

    fn scene(&self) -> Scene {
        let panel_height = if self.panels.len() > 1 { PANEL_HEIGHT } else { HEIGHT };
        let width = self.width();
        let height = TOP + self.panels.len() as f64 * (panel_height + GAP) - GAP + FOOT;
        let at = point(0.0, 0.0);
        let mut out = vec![Primitive::Rect { at, width, height, color: WHITE }];
        let middle = f64::midpoint(LEFT, RIGHT);
        out.push(text(point(middle, TOP - 18.0), &self.title, Anchor::Middle, INK));
        for (nth, panel) in self.panels.iter().enumerate() {
            let top = TOP + nth as f64 * (panel_height + GAP);
            let (x, y) = (&self.x.scale, &panel.y.scale);
            let bottom = top + panel_height;
            let frame = Frame { left: LEFT, right: RIGHT, top, bottom, x, y };
            frame.draw(&panel.y.label, &mut out);
            self.draw_panel(&frame, panel, &mut out);
        }
        out.push(text(point(middle, height - 14.0), &self.x.label, Anchor::Middle, INK));
        self.draw_legend(&mut out);
        Scene { width: width as u32, height: height as u32, primitives: out, snap: true }
    }

    fn width(&self) -> f64 {
        let texts = self.legend.iter().flat_map(|it| [&it.name, &it.remark]);
        match texts.map(|text| text.chars().count()).max() {
            None | Some(0) => RIGHT + MARGIN,
            Some(characters) => RIGHT + KEY_WIDTH + characters as f64 * CHARACTER_WIDTH + MARGIN,
        }
    }

    /// The legend, each with its colour.
    fn curves(&self) -> impl Iterator<Item = (&Legend, Color)> {
        self.legend.iter().zip(COLORS.into_iter().cycle())
    }

    fn draw_panel(&self, frame: &Frame<'_>, panel: &Panel, out: &mut Vec<Primitive>) {
        frame.clip(out);
        for (limit, color) in self.curves().filter_map(|(it, color)| Some((it.limit?, color))) {
            frame.draw_limit(limit, color, out);
        }
        if let Some((height, name)) = &panel.limit {
            frame.draw_height(*height, name, out);
        }
        for (nth, (points, (legend, color))) in panel.curves.iter().zip(self.curves()).enumerate() {
            if let Scale::Groups(groups) = &self.x.scale {
                let group_width = (RIGHT - LEFT) / groups.len().max(1) as f64;
                let bar_width = group_width * BARS / panel.curves.len() as f64;
                let first_left = bar_width * nth as f64 - group_width * BARS / 2.0;
                let color = if legend.is_dashed { Color { alpha: 90, ..color } } else { color };
                frame.draw_bars(points, first_left, bar_width * 0.94, color, out);
            } else {
                let points = points.iter().map(|[x, y]| frame.place(*x, *y)).collect();
                out.push(Primitive::Polyline { points, stroke: stroke(color, 2.0, legend) });
            }
        }
        out.push(Primitive::Unclip);
    }

    fn draw_legend(&self, out: &mut Vec<Primitive>) {
        let (left, words) = (RIGHT + KEY_WIDTH - 24.0, RIGHT + KEY_WIDTH);
        let mut y = TOP + 12.0;
        for (legend, color) in self.curves().filter(|(it, _)| !it.name.is_empty()) {
            let ends = vec![point(left, y - 4.0), point(left + 18.0, y - 4.0)];
            out.push(Primitive::Polyline { points: ends, stroke: stroke(color, 3.0, legend) });
            out.push(text(point(words, y), &legend.name, Anchor::Start, color));
            if !legend.remark.is_empty() {
                y += LINE;
                out.push(text(point(words, y), &legend.remark, Anchor::Start, INK));
                y += 0.6 * LINE;
            }
            y += LINE;
        }
    }
}

fn stroke(color: Color, width: f64, legend: &Legend) -> Stroke {
    let dashes = if legend.is_dashed { vec![5.0, 4.0] } else { Vec::new() };
    Stroke { dashes, ..Stroke::solid(color, width) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(scale: Scale, points: &[[f64; 2]]) -> Plot {
        let legend = |name: &str, limit| Legend {
            name: name.into(),
            remark: "far".into(),
            limit,
            is_dashed: limit.is_none(),
        };
        let panel = |label: &str| Panel {
            y: Axis { label: label.into(), scale: Scale::Logarithmic(0.1, 1000.0) },
            limit: Some((300.0, "the step".into())),
            curves: vec![points.to_vec(), vec![[0.0, 0.0], [1.0, 7.0]]],
        };
        Plot {
            title: "Targets".into(),
            x: Axis { label: "targets".into(), scale },
            legend: vec![legend("files", Some(2e4)), legend("r<g", None)],
            panels: vec![panel("page-ins a second"), panel("seconds")],
        }
    }

    #[test]
    fn both_pictures_are_drawn() {
        let groups = Scale::Groups(vec!["one".into(), "two".into()]);
        let scales = [Scale::Logarithmic(10.0, 1e6), Scale::Linear(0.0, 1e6), groups];
        let strange = [[f64::NAN, f64::INFINITY]];
        for scale in scales.into_iter().chain([Scale::Day(0.0, 86_400.0)]) {
            for points in [&[][..], &[[10.0, 1.0], [1e5, 400.0]], &strange] {
                let plot = plot(scale.clone(), points);
                let svg = String::from_utf8(plot.svg()).unwrap();
                for words in ["page-ins a second", "the step", "r&lt;g", "1,000"] {
                    assert!(svg.contains(words), "{words}: {svg}");
                }
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(plot.png().unwrap().starts_with(b"\x89PNG"));
            }
        }
    }

    #[test]
    fn bars_of_a_group_stand_side_by_side() {
        let groups = Scale::Groups(vec!["one".into(), "two".into()]);
        let mut plot = plot(groups, &[[0.0, 10.0], [1.0, 100.0]]);
        plot.panels.truncate(1);
        let of_bar = |it: &Primitive| match it {
            Primitive::Rect { at, width, .. } if *width < RIGHT - LEFT => {
                Some((at.x, at.x + width))
            }
            _ => None,
        };
        let mut bars: Vec<_> = plot.scene().primitives.iter().filter_map(of_bar).collect();
        assert_eq!(bars.len(), 4);
        bars.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(bars.is_sorted_by(|a, b| a.1 < b.0), "{bars:?}");
    }

    #[test]
    fn without_names_there_is_no_legend() {
        let mut plot = plot(Scale::Linear(0.0, 10.0), &[[0.0, 1.0]]);
        plot.legend = vec![Legend::default()];
        assert_eq!(plot.width(), RIGHT + MARGIN);
        assert!(!String::from_utf8(plot.svg()).unwrap().contains("far"));
    }
}
