//! A target's page: its graphs, refreshed in place.

use std::collections::HashMap;
use std::path::Path;

use maud::{Markup, PreEscaped, html};

use super::chart::{ChartFigure, ChartSection, Export, Written};
use super::frame::{Place, scripted_page};
use super::index::dot;
use super::path;
use crate::assets;
use crate::drawing;
use crate::extent::Extent;
use crate::latest::latest;
use crate::period::Period;
use crate::view::View;
use crate::{Look, Target, numbers};

/// The page.
pub(crate) fn target(
    view: &View,
    target: &Target,
    extent: Extent,
    words: &HashMap<String, String>,
) -> Markup {
    let database = view.store.outline(Path::new(&*target.database)).ok();
    let caption = |period: Period| {
        period.caption(target.look.step_seconds as f64, database.as_ref(), view.now_seconds)
    };
    let main = html! {
        p.crumbs {
            a href="/" { "Targets" } " / "
            a href=(path::device(&target.device)) { (target.device) }
        }
        (heading(view, target))
        (trouble(view, target))
        div.target {
            (now(view, target))
            (page_top(target))
            (chart(view, target, extent, words, caption(extent.period())))
            div.graphs { @for period in Period::of(&target.look) {
                (graph(target, period, &caption(period)))
            } }
        }
        (by_hand(target, extent, view.now_seconds))
    };
    scripted_page(view, Place::Elsewhere, &target.title(), &[&assets::CHART], main)
}

/// The chart of any stretch of time.
fn chart(
    view: &View,
    target: &Target,
    extent: Extent,
    words: &HashMap<String, String>,
    caption: String,
) -> Markup {
    let name = path::percent_encode(&target.name);
    let query = format!("t={name}");
    let word = |name: &str| words.get(name).map_or("", String::as_str);
    let graphs = format!("/graph/{name}");
    let figure = ChartFigure {
        plot: "all".to_owned(),
        title: target.title(),
        note: String::new(),
        logarithmic: target.look.logarithmic,
        picture: Box::new(move |more| format!("{graphs}/{}", extent.picture("svg", more))),
    };
    let section = ChartSection {
        query: &query,
        mode: "target",
        extent,
        written: Written { start: word("start"), end: word("end") },
        now_seconds: view.now_seconds,
        kept: &[],
        caption,
        figures: vec![figure],
        exports: exports(&target.name, &query, extent, view.now_seconds),
    };
    section.markup()
}

fn exports(name: &str, query: &str, extent: Extent, now_seconds: i64) -> Vec<Export> {
    let encoded = path::percent_encode(name);
    let span = Extent::Between(extent.at(now_seconds));
    let picture = |ending: &str| format!("/graph/{encoded}/{}", span.picture(ending, ""));
    let mut exports = vec![
        Export::picture("", "PNG", picture("png"), format!("{name}.png")),
        Export::picture("", "SVG", picture("svg"), format!("{name}.svg")),
    ];
    exports.extend(Export::of_rows(name, query, span.at(now_seconds)));
    exports
}

fn heading(view: &View, target: &Target) -> Markup {
    let remark = target.remark();
    html! {
        div.heading {
            h1 { span #health data-live { (dot(view, target)) } (target.title()) }
            p.quiet {
                code { (target.name) }
                @if !remark.is_empty() { " · " (remark) }
                @if let Some(about) = view.device(target).and_then(|device| device.about.as_ref()) {
                    " · " (about)
                }
                " · measured every " (figures::duration(target.look.step_seconds as f64))
                " · " a href={ "/compare?t=" (path::percent_encode(&target.name)) } { "compare" }
            }
        }
    }
}

/// Why the target may have no values, in words.
fn trouble(view: &View, target: &Target) -> Markup {
    let device = view.device(target);
    let silent = device.filter(|device| device.health.is_silent());
    html! {
        div #trouble data-live {
            @if let Some(problem) = &target.problem {
                p.trouble { "Not measured: " (problem) }
            }
            @if let Some(device) = silent {
                p.trouble {
                    (device.name) " does not answer"
                    @if let Some(problem) = &device.problem { ": " (problem) }
                    @if let Some(then) = device.answered_seconds {
                        ". It was last heard of " (figures::ago(then, view.now_seconds))
                    }
                    "."
                }
            }
        }
    }
}

/// The newest values, large.
fn now(view: &View, target: &Target) -> Markup {
    let latest = latest(view, target);
    let look = &*target.present_look();
    let lines = look.lines.iter().zip(latest.values).enumerate();
    html! {
        dl.now #now data-live {
            @for (nth, (line, value)) in lines.filter(|(_, (line, _))| line.shown) {
                div {
                    dt { span.{ "ink ink" (nth) } {} (line.label) }
                    dd {
                        @if let Some(value) = value {
                            (numbers::value(value, look)) (share(value, line.maximum, look))
                        } @else { "–" }
                    }
                }
            }
        }
    }
}

/// The value as a share of the expected maximum.
fn share(value: f64, maximum: f64, look: &Look) -> Markup {
    let percent = 100.0 * value / maximum;
    html! {
        @if percent.is_finite() && maximum > 0.0 {
            small { (format!("{percent:.1} % of ")) (numbers::value(maximum, look)) }
        }
    }
}

/// The operator's own HTML, a tradition of MRTG: people who may write the configuration are trusted
/// with it. But cfgmaker copies text from devices into it. So the content policy of every page
/// forbids scripts and external resources.
fn page_top(target: &Target) -> Markup {
    html! {
        @if let Some(markup) = target.page_top_html() {
            section.page-top { (PreEscaped(markup)) }
        }
    }
}

fn graph(target: &Target, period: Period, caption: &str) -> Markup {
    let address = |query: &str| path::graph(&target.name, period, query);
    let alt = format!("{caption} of {}", target.title());
    html! {
        figure {
            figcaption {
                h2 { (caption) }
                a href=(path::graph_png(&target.name, period)) { "PNG" }
            }
            picture {
                source media="(prefers-color-scheme: dark) and (max-width: 560px)"
                    srcset=(address("?size=narrow&paper=dark"));
                source media="(prefers-color-scheme: dark)" srcset=(address("?paper=dark"));
                source media="(max-width: 560px)" srcset=(address("?size=narrow"));
                img.graph src=(address("")) alt=(alt) data-refresh;
            }
            (legend(&target.look, period))
        }
    }
}

/// The meaning of the colours, in full.
fn legend(look: &Look, period: Period) -> Markup {
    let with_peak = period.is_in(look.with_peak);
    let shown = look.lines.iter().enumerate().filter(|(_, line)| line.shown);
    html! {
        ul.legend {
            @for (nth, line) in shown {
                li { span.{ "ink ink" (nth) } {} (line.legend) }
                @if with_peak { li { span.{ "ink peak" (nth) } {} (line.peak_legend) } }
            }
        }
    }
}

/// The commands that draw the same graphs from the same files.
fn by_hand(target: &Target, extent: Extent, now_seconds: i64) -> Markup {
    let shown = Extent::Between(extent.at(now_seconds));
    html! {
        details.by-hand {
            @if target.store.is_ring {
                summary { "Draw these graphs by hand" }
                p.quiet {
                    "The same arguments draw the same graphs, in any size. A ring store belongs to "
                    "one process: they work once this one has ended, or on a file that "
                    code { "gyre export" } " made."
                }
            } @else {
                summary { "Draw these graphs with rrdtool" }
                p.quiet {
                    "The same arguments draw the same graphs from the same file, in any size:"
                }
            }
            pre { code data-command { (drawing::command_line(target, shown)) } }
            @for period in Period::of(&target.look) {
                pre { code { (drawing::command_line(target, Extent::Last(period))) } }
            }
        }
    }
}
