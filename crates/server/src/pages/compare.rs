//! The page of several targets in one chart.

use maud::{Markup, html};

use super::chart::{ChartFigure, ChartSection, Export, Written};
use super::frame::{Place, scripted_page};
use super::path;
use crate::assets;
use crate::comparison::{Comparison, Mode};
use crate::drawing::{Format, command_of};
use crate::extent::Extent;
use crate::graph_arguments::{Canvas, Paper, Size};
use crate::url_words::UrlWords;
use crate::view::View;

/// The page.
pub(crate) fn compare(view: &View, comparison: &Comparison, words: &UrlWords) -> Markup {
    let main = html! {
        p.crumbs { a href="/" { "Targets" } " / Compare" }
        div.heading { h1 { "Compare" } }
        (form(comparison))
        (list(comparison))
        @if comparison.units().len() > 1 {
            p.trouble { "These targets have different units: " (comparison.units().join(", ")) "." }
        }
        @if !comparison.targets.is_empty() {
            (chart(view, comparison, words))
            (by_hand(view, comparison))
        }
    };
    scripted_page(view, Place::Elsewhere, "Compare", &[&assets::CHART], main)
}

/// The targets as words of a URL.
fn names(comparison: &Comparison) -> String {
    let names = comparison.targets.iter().map(|it| format!("t={}", path::percent_encode(&it.name)));
    names.collect::<Vec<_>>().join("&")
}

fn form(comparison: &Comparison) -> Markup {
    html! {
        form.compare method="get" action="/compare" {
            @for target in &comparison.targets { input type="hidden" name="t" value=(target.name); }
            label { "Add " input type="text" name="t" placeholder="the name of a target"
                autocomplete="off" spellcheck="false"; }
            fieldset {
                legend { "Drawn" }
                @for mode in Mode::ALL {
                    label {
                        input type="radio" name="mode" value=(mode.name())
                            checked[mode == comparison.mode];
                        (words_of(mode))
                    }
                }
            }
            (extent(comparison.extent))
            button { "Show" }
        }
    }
}

fn words_of(mode: Mode) -> &'static str {
    match mode {
        Mode::Each => "each",
        Mode::Stack => "stacked",
        Mode::Sum => "summed",
    }
}

/// The time that is shown stays when the form is sent.
fn extent(extent: Extent) -> Markup {
    html! {
        span data-extent {
            @match extent {
                Extent::Last(period) => input type="hidden" name="span" value=(period.name());,
                Extent::Between(span) => {
                    input type="hidden" name="start" value=(span.start_seconds);
                    input type="hidden" name="end" value=(span.end_seconds);
                }
            }
        }
    }
}

/// Each target, with a link to the same page without it.
fn list(comparison: &Comparison) -> Markup {
    let without = |left: &str| {
        let others = comparison.targets.iter().filter(|target| *target.name != *left);
        let names = others.map(|target| format!("&t={}", path::percent_encode(&target.name)));
        format!("/compare?mode={}{}", comparison.mode.name(), names.collect::<String>())
    };
    html! {
        @if comparison.targets.is_empty() {
            p.quiet { "Add targets by their names, or follow “compare” on the page of one." }
        }
        ul.legend.compared { @for target in &comparison.targets {
            li {
                a href=(path::target(&target.name)) { (target.title()) } " "
                small { (target.device) } " "
                a href=(without(&target.name)) aria-label={ "Leave out " (target.name) } { "×" }
            }
        } }
    }
}

fn chart(view: &View, comparison: &Comparison, words: &UrlWords) -> Markup {
    let (query, mode, extent) = (names(comparison), comparison.mode, comparison.extent);
    let mut kept = vec![("mode".to_owned(), mode.name().to_owned())];
    kept.extend(comparison.targets.iter().map(|it| ("t".to_owned(), it.name.to_string())));
    let address = |plot: &str, extent: Extent, ending: &str, more: &str| {
        picture(plot, extent, ending, &format!("{query}&mode={}{more}", mode.name()))
    };
    let figure = |plot: &'static str| {
        let base = address(plot, extent, "svg", "");
        ChartFigure {
            plot: plot.to_owned(),
            title: title(comparison, plot),
            note: String::new(),
            logarithmic: false,
            picture: Box::new(move |more| match more {
                "" => base.clone(),
                more => format!("{base}&{more}"),
            }),
        }
    };
    let span = Extent::Between(extent.at(view.now_seconds));
    let plots = comparison.plots();
    let mut exports = Vec::new();
    for plot in &plots {
        let of = if plots.len() > 1 { title(comparison, plot) } else { String::new() };
        let file = |ending: &str| format!("{plot}.{ending}");
        exports.extend([
            Export::picture(&of, "PNG", address(plot, span, "png", ""), file("png")),
            Export::picture(&of, "SVG", address(plot, span, "svg", ""), file("svg")),
        ]);
    }
    exports.extend(Export::of_rows("compare", &query, extent.at(view.now_seconds)));
    let word = |name: &str| words.last(name).unwrap_or_default();
    let section = ChartSection {
        query: &query,
        mode: mode.name(),
        extent,
        written: Written { start: word("start"), end: word("end") },
        now_seconds: view.now_seconds,
        kept: &kept,
        caption: String::new(),
        figures: plots.iter().map(|plot| figure(plot)).collect(),
        exports,
    };
    section.markup()
}

/// The address of a graph of the comparison.
fn picture(plot: &str, extent: Extent, ending: &str, words: &str) -> String {
    match extent {
        Extent::Last(period) => format!("/compare/{plot}.{ending}?{words}&span={}", period.name()),
        Extent::Between(span) => format!(
            "/compare/{plot}.{ending}?{words}&start={}&end={}",
            span.start_seconds, span.end_seconds
        ),
    }
}

/// What a graph is called: by the label of the value, where all targets have the same.
fn title(comparison: &Comparison, plot: &str) -> String {
    let nth = match plot {
        "ds0" => 0,
        "ds1" => 1,
        _ => return format!("Sum of {} targets", comparison.targets.len()),
    };
    let labels = comparison.targets.iter().map(|target| &*target.look.lines[nth].label);
    let mut labels: Vec<&str> = labels.collect();
    labels.dedup();
    labels.join(", ")
}

/// The commands that draw the same graphs.
fn by_hand(view: &View, comparison: &Comparison) -> Markup {
    let canvas = Canvas { paper: Paper::Light, size: Size::Full };
    let span = Extent::Between(comparison.extent.at(view.now_seconds));
    let shown =
        Comparison { targets: comparison.targets.clone(), mode: comparison.mode, extent: span };
    let command = |plot: &str| {
        let path = |target: &crate::Target| target.database_path();
        let arguments = shown.arguments(plot, canvas, Format::Png, path)?;
        Some(command_of(comparison.targets.first()?, &format!("{plot}.png"), arguments))
    };
    html! {
        details.by-hand {
            summary { "Draw these graphs by hand" }
            @for command in comparison.plots().into_iter().filter_map(command) {
                pre { code data-command { (command) } }
            }
        }
    }
}
