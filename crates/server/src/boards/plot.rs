//! Draws the curves of a chart as SVG within a page. Colours are classes, so that the style sheet
//! has them for light and dark; places are shares of the size, so that it fits any.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use maud::{Markup, html};

use super::board::{By, Kind};
use super::curve::{Chart, Curve, Point, Window};
use super::scale::{ValueAxis, time_marks};
use super::stack::{Layer, stacked};
use crate::numbers;

/// How many colours there are; then they begin anew.
pub(super) const INKS: usize = 10;
/// Widths and heights of a plane are counted in these.
const SIDE: f64 = 1000.0;
/// The height of the words below a plane.
const TIMES_PIXELS: u32 = 18;
/// With so many curves at most, the area below the first is tinted.
const FEW: usize = 2;
/// A point that stands alone gets so much width, so that it is seen.
const DOT: f64 = 0.5;

/// Where and how a chart is drawn.
pub(super) struct Plot<'a> {
    pub(super) window: Window,
    pub(super) zone: &'a TimeZone,
    pub(super) height_pixels: u32,
    pub(super) kind: Kind,
}

/// The edges of an area or a line at each time.
struct Band {
    at_seconds: f64,
    low: f64,
    high: f64,
    /// The value of the curve; in a stack, without those below.
    value: f64,
}

impl Plot<'_> {
    /// The planes of a chart: curves with values at the left, and times below.
    pub(super) fn chart(&self, chart: &Chart) -> Markup {
        let bands = self.bands(&chart.curves);
        let edges = bands.iter().flatten().flat_map(|band| [band.low, band.high]);
        let kilo = chart.curves.first().map_or(1000.0, |curve| curve.unit.kilo);
        let axis = ValueAxis::of(edges, kilo);
        let bands_count = bands.len();
        html! {
            div.plot data-start=(self.window.start_seconds) data-end=(self.window.end_seconds) {
                (marks(&axis, chart))
                div.field {
                    svg.plane width="100%" height=(self.height_pixels) viewBox="0 0 1000 1000"
                        preserveAspectRatio="none" role="img" aria-label=(described(chart)) {
                        (self.grid(&axis))
                        @for (nth, (curve, bands)) in chart.curves.iter().zip(&bands).enumerate() {
                            (self.shape(curve, bands, &axis, nth, bands_count))
                        }
                    }
                }
                (self.times())
            }
        }
    }

    /// A curve alone, without axes, to go with a number.
    pub(super) fn spark(&self, curve: &Curve) -> Markup {
        let bands = self.bands(std::slice::from_ref(curve));
        let axis = ValueAxis::of(curve.points.iter().map(|point| point.value), curve.unit.kilo);
        html! {
            svg.spark-plane width="100%" height=(self.height_pixels) viewBox="0 0 1000 1000"
                preserveAspectRatio="none" aria-hidden="true" {
                @for bands in &bands { path.line.ink-0 d=(self.line(bands, &axis)) {} }
            }
        }
    }

    /// What each curve covers: a stack stands on the curves before it.
    fn bands(&self, curves: &[Curve]) -> Vec<Vec<Band>> {
        if self.kind != Kind::Stack {
            return curves.iter().map(|curve| curve.points.iter().map(alone).collect()).collect();
        }
        let layers = stacked(curves, self.window);
        layers.iter().map(|layers| layers.iter().map(on_others).collect()).collect()
    }

    fn grid(&self, axis: &ValueAxis) -> Markup {
        let mut lines = String::new();
        for mark in &axis.marks {
            let y = axis.place(*mark) * SIDE;
            let _ = write!(lines, "M0 {y:.1}H1000"); // a String takes everything
        }
        for mark in time_marks(self.window, self.zone) {
            let x = mark.place * SIDE;
            let _ = write!(lines, "M{x:.1} 0V1000");
        }
        html! { path.grid d=(lines) {} }
    }

    /// One curve of `count`: a line, and what is below it in a stack or where there are few.
    /// The line says its values, and how they are written.
    fn shape(
        &self,
        curve: &Curve,
        bands: &[Band],
        axis: &ValueAxis,
        nth: usize,
        count: usize,
    ) -> Markup {
        let ink = nth % INKS;
        let below = match self.kind {
            Kind::Stack => Some(""),
            _ if nth == 0 && count <= FEW => Some(" soft"),
            _ => None,
        };
        html! {
            @if let Some(more) = below {
                path.{ "area ink-" (ink) (more) } d=(self.area(bands, axis)) {}
            }
            path.{ "line ink-" (ink) } d=(self.line(bands, axis)) data-unit=(curve.unit.name)
                data-kilo=(curve.unit.kilo) data-step=(curve.step_seconds)
                data-points=(self.told(bands)) {}
        }
    }

    /// The known values with the seconds since the start of the window: `300:12.5 600:13`.
    fn told(&self, bands: &[Band]) -> String {
        let mut told = String::new();
        for band in bands.iter().filter(|band| band.value.is_finite()) {
            let space = if told.is_empty() { "" } else { " " };
            let behind = band.at_seconds - self.window.start_seconds as f64;
            let value = rounded(band.value);
            let _ = write!(told, "{space}{behind}:{value}"); // a String takes everything
        }
        told
    }

    fn x(&self, at_seconds: f64) -> f64 {
        let behind = at_seconds - self.window.start_seconds as f64;
        // The newest of rows that were put together may end later than the window.
        (behind / self.window.span_seconds() as f64 * SIDE).clamp(0.0, SIDE)
    }

    /// A line over the upper edges; unknown values leave a gap.
    fn line(&self, bands: &[Band], axis: &ValueAxis) -> String {
        let mut path = String::new();
        for run in runs(bands) {
            for (nth, band) in run.iter().enumerate() {
                let (x, y) = (self.x(band.at_seconds), axis.place(band.high) * SIDE);
                let command = if nth == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{x:.1} {y:.1}");
            }
            if run.len() == 1 {
                let _ = write!(path, "h{DOT}");
            }
        }
        path
    }

    /// The areas between both edges.
    fn area(&self, bands: &[Band], axis: &ValueAxis) -> String {
        let mut path = String::new();
        for run in runs(bands) {
            let upper = run.iter().map(|band| (band.at_seconds, band.high));
            let lower = run.iter().rev().map(|band| (band.at_seconds, band.low));
            for (nth, (at_seconds, value)) in upper.chain(lower).enumerate() {
                let (x, y) = (self.x(at_seconds), axis.place(value) * SIDE);
                let command = if nth == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{x:.1} {y:.1}");
            }
            path.push('Z');
        }
        path
    }

    /// The words below; a script rewrites them for the viewer's zone.
    fn times(&self) -> Markup {
        html! {
            svg.times width="100%" height=(TIMES_PIXELS) aria-hidden="true" {
                @for mark in time_marks(self.window, self.zone) {
                    @let minute = figures::minute(mark.at_seconds, self.zone);
                    @let words = if mark.is_day { minute.get(5..10) } else { minute.get(11..16) };
                    text x=(format!("{:.2}%", mark.place * 100.0)) y="13" text-anchor="middle"
                        data-at=(mark.at_seconds)
                        data-form=(if mark.is_day { "day" } else { "clock" }) {
                        (words.unwrap_or_default())
                    }
                }
            }
        }
    }
}

/// The words at the marks of values, the highest first.
fn marks(axis: &ValueAxis, chart: &Chart) -> Markup {
    let Some(Curve { unit, .. }) = chart.curves.first() else { return html! {} };
    html! {
        ul.marks aria-hidden="true" {
            @for mark in axis.marks.iter().rev() {
                li { (numbers::round(*mark, unit.kilo, &unit.name)) }
            }
        }
    }
}

/// What a chart shows, for people who do not see it.
fn described(chart: &Chart) -> String {
    let curves = chart.curves.iter().take(INKS).map(|curve| {
        let number = |by| numbers::of(curve.number(by), curve.unit.kilo, &curve.unit.name);
        format!("{}: now {}, at most {}", curve.label, number(By::Last), number(By::Maximum))
    });
    let words = curves.collect::<Vec<_>>().join("; ");
    if chart.title.is_empty() { words } else { format!("{}. {words}", chart.title) }
}

fn alone(point: &Point) -> Band {
    Band { at_seconds: point.at_seconds, low: 0.0, high: point.value, value: point.value }
}

fn on_others(layer: &Layer) -> Band {
    let Layer { at_seconds, below, value } = *layer;
    Band { at_seconds, low: below, high: below + value, value }
}

/// A number of seven digits, which are more than a page tells.
fn rounded(value: f64) -> String {
    let short = format!("{value:.6e}");
    let plain = short.parse::<f64>().map(|value| value.to_string());
    plain.ok().filter(|plain| plain.len() <= short.len()).unwrap_or(short)
}

/// Stretches of known values.
fn runs(bands: &[Band]) -> impl Iterator<Item = &[Band]> {
    bands.split(|band| !band.high.is_finite()).filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::super::curve::{Chart, Curve, Numbers, Point, Unit};
    use super::{Kind, Plot, Window, rounded};

    const WINDOW: Window = Window { start_seconds: 0, end_seconds: 400 };

    fn chart(all: &[&[f64]]) -> Chart {
        let curve = |values: &&[f64]| {
            let at = |nth: i32| f64::from(nth) * 100.0;
            let point = |(nth, value): (i32, &f64)| Point { at_seconds: at(nth), value: *value };
            let points: Vec<Point> = (1..).zip(values.iter()).map(point).collect();
            Curve {
                label: "<in>".to_owned(),
                page: None,
                unit: Unit { name: "b/s".to_owned(), kilo: 1000.0 },
                numbers: Numbers::of(&points, 100.0, WINDOW),
                points,
                step_seconds: 100.0,
            }
        };
        let curves = all.iter().map(curve).collect();
        Chart { title: "A & B".to_owned(), page: None, curves }
    }

    fn drawn(kind: Kind, chart: &Chart) -> String {
        let plot = Plot { window: WINDOW, zone: &TimeZone::UTC, height_pixels: 100, kind };
        plot.chart(chart).into_string()
    }

    #[test]
    fn unknown_values_leave_gaps_and_lonely_ones_are_seen() {
        let drawn = drawn(Kind::Lines, &chart(&[&[4.0, f64::NAN, 2.0, 4.0]]));
        let line = "<path class=\"line ink-0\" d=\"M250.0 0.0h0.5M750.0 500.0L1000.0 0.0\"";
        assert!(drawn.contains(line), "{drawn}");
        assert!(
            drawn.contains("aria-label=\"A &amp; B. &lt;in&gt;: now 4.00 b/s, at most 4.00 b/s\"")
        );
    }

    #[test]
    fn a_stack_stands_on_what_is_below() {
        let drawn = drawn(Kind::Stack, &chart(&[&[1.0, 1.0], &[3.0, f64::NAN]]));
        // The second curve lies from 1 to 4 of 4, and has a gap where it is unknown.
        assert!(drawn.contains("class=\"area ink-1\" d=\"M250.0 0.0L250.0 750.0Z\""), "{drawn}");
        assert!(drawn.contains("class=\"line ink-0\" d=\"M250.0 750.0L500.0 750.0\""), "{drawn}");
    }

    #[test]
    fn each_line_says_its_own_values_and_unit() {
        let mut two = chart(&[&[1.0, 1.0], &[1.0 / 3.0, f64::NAN]]);
        two.curves[1].unit = Unit { name: "B".to_owned(), kilo: 1024.0 };
        let drawn = drawn(Kind::Stack, &two);
        for told in [
            "data-unit=\"b/s\" data-kilo=\"1000\" data-step=\"100\" data-points=\"100:1 200:1\"",
            "data-unit=\"B\" data-kilo=\"1024\" data-step=\"100\" data-points=\"100:0.3333333\"",
        ] {
            assert!(drawn.contains(told), "{told}: {drawn}");
        }
        assert_eq!(rounded(12_345_678.9), "12345680");
        assert_eq!(rounded(1e300), "1.000000e300");
    }

    #[test]
    fn no_value_at_all_is_an_empty_plane() {
        let drawn = drawn(Kind::Lines, &chart(&[&[f64::NAN], &[]]));
        assert!(drawn.contains("class=\"line ink-0\" d=\"\""), "{drawn}");
        assert!(!drawn.contains("NaN"), "{drawn}");
    }
}
