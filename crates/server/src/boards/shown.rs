//! A panel as it is shown: charts, numbers or bars.

use jiff::tz::TimeZone;
use maud::{Markup, html};

use super::asking::Unshown;
use super::board::{Kind, Panel};
use super::curve::{Chart, Curve, Window};
use super::plot::{INKS, Plot};
use crate::numbers;

/// The most curves that a legend names; the others are counted.
const LEGEND_MAX: usize = 12;
/// The most curves that a heading names.
const NAMES_MAX: usize = 3;
/// The height of the line below a number.
const SPARK_PIXELS: u32 = 36;

/// Where the panels of a board stand.
pub(super) struct Shown<'a> {
    pub(super) window: Window,
    pub(super) zone: &'a TimeZone,
    /// Whether a title of the row stands above.
    pub(super) is_titled: bool,
    /// Whether the visitor may read the text of the board, which may name what he does not see.
    pub(super) tells_text: bool,
}

impl Shown<'_> {
    /// The panel with what was found for it.
    pub(super) fn panel(&self, panel: &Panel, charts: &Result<Vec<Chart>, Unshown>) -> Markup {
        match charts {
            Ok(charts) if panel.each => html! {
                @for chart in charts { (self.figure(panel, chart, &chart.title)) }
            },
            Ok(charts) => html! {
                @for chart in charts { (self.figure(panel, chart, &self.title(panel, chart))) }
            },
            Err(unshown) => html! {
                figure.{ "board-panel span-" (panel.width) } {
                    figcaption { (self.heading(&panel.title.clone().unwrap_or_else(|| panel.subject.words()), None)) }
                    p.trouble { (unshown) }
                }
            },
        }
    }

    fn figure(&self, panel: &Panel, chart: &Chart, title: &str) -> Markup {
        html! {
            figure.{ "board-panel " (class(panel.kind)) " span-" (panel.width) } {
                figcaption { (self.heading(title, chart.page.as_deref())) }
                @match panel.kind {
                    Kind::Lines | Kind::Stack => {
                        (self.plot(panel, panel.height_pixels).chart(chart))
                        (legend(panel, chart))
                    },
                    Kind::Number => (self.numbers(panel, chart)),
                    Kind::Bars => (bars(panel, chart)),
                }
            }
        }
    }

    /// What a panel is called: as the board says, or as what it shows is.
    fn title(&self, panel: &Panel, chart: &Chart) -> String {
        let own = panel.title.clone();
        own.unwrap_or_else(|| match chart.title.as_str() {
            "" if self.tells_text => panel.subject.words(),
            "" => names_of(chart),
            title => title.to_owned(),
        })
    }

    /// The title of a panel, one level below what stands above.
    fn heading(&self, title: &str, page: Option<&str>) -> Markup {
        let words = html! {
            @match page {
                Some(page) => { a href=(page) { (title) } },
                None => { (title) },
            }
        };
        html! { @if self.is_titled { h3 { (words) } } @else { h2 { (words) } } }
    }

    fn plot(&self, panel: &Panel, height_pixels: u32) -> Plot<'_> {
        Plot { window: self.window, zone: self.zone, height_pixels, kind: panel.kind }
    }

    fn numbers(&self, panel: &Panel, chart: &Chart) -> Markup {
        html! {
            dl.numbers { @for curve in &chart.curves {
                div {
                    dt { (linked(curve)) }
                    dd { (number(panel, curve)) }
                    dd { (self.plot(panel, SPARK_PIXELS).spark(curve)) }
                }
            } }
        }
    }
}

/// What the curves of a chart are called, the first ones by name.
fn names_of(chart: &Chart) -> String {
    let names = chart.curves.iter().take(NAMES_MAX).map(|curve| curve.label.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    match chart.curves.len().saturating_sub(NAMES_MAX) {
        0 => names,
        others => format!("{names} and {} more", numbers::count(others)),
    }
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Lines => "lines",
        Kind::Stack => "stacked",
        Kind::Number => "number-panel",
        Kind::Bars => "bars",
    }
}

fn number(panel: &Panel, curve: &Curve) -> String {
    numbers::of(curve.number(panel.by), curve.unit.kilo, &curve.unit.name)
}

fn linked(curve: &Curve) -> Markup {
    html! {
        @match &curve.page {
            Some(page) => { a href=(page) { (curve.label) } },
            None => { (curve.label) },
        }
    }
}

/// The meaning of the colours, each with its number.
fn legend(panel: &Panel, chart: &Chart) -> Markup {
    let others = chart.curves.len().saturating_sub(LEGEND_MAX);
    html! {
        ul.legend {
            @for (nth, curve) in chart.curves.iter().take(LEGEND_MAX).enumerate() {
                li {
                    span.{ "swatch ink-" (nth % INKS) } {}
                    span.name { (linked(curve)) } " "
                    b { (number(panel, curve)) }
                }
            }
            @if others > 0 { li { "and " (numbers::count(others)) " more" } }
        }
    }
}

/// A bar for each curve, the largest number first.
fn bars(panel: &Panel, chart: &Chart) -> Markup {
    let mut ranked: Vec<(&Curve, Option<f64>)> =
        chart.curves.iter().map(|curve| (curve, curve.number(panel.by))).collect();
    let value = |number: Option<f64>| number.unwrap_or(f64::NEG_INFINITY);
    ranked.sort_by(|(_, one), (_, other)| value(*other).total_cmp(&value(*one)));
    let most = ranked.iter().filter_map(|(_, number)| *number).fold(0.0, f64::max);
    html! {
        ol.bars { @for (curve, number) in ranked {
            li {
                span.name { (linked(curve)) }
                b { (numbers::of(number, curve.unit.kilo, &curve.unit.name)) }
                svg.measure width="100%" height="6" aria-hidden="true" {
                    rect.track width="100%" height="6" rx="3" {}
                    rect.filled width=(share(number, most)) height="6" rx="3" {}
                }
            }
        } }
    }
}

/// A part of the largest number, as a width.
fn share(number: Option<f64>, most: f64) -> String {
    let part = number.map_or(0.0, |number| number / most);
    format!("{:.1}%", if part.is_finite() { part.clamp(0.0, 1.0) * 100.0 } else { 0.0 })
}
