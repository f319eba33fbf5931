//! The page of the store: what a run measures of itself, and what the machine has left.

use std::path::Path;

use maud::{Markup, html};
use rrd::ConsolidationFunction;
use rrd::fetch::Query;
use store::Wanted;

use super::frame::{Place, page};
use crate::numbers::plain;
use crate::period::Period;
use crate::view::View;
use crate::{Outlook, Own, OwnFinding, OwnSeries};

/// The rows that are read for the newest values: the last ones may not be final yet.
const ROWS: i64 = 4;

/// The page.
pub(crate) fn store(view: &View, own: Option<&Own>, period: Period) -> Markup {
    let main = html! {
        div.heading {
            h1 { "Store" }
            p.quiet { "What this program measures of itself." }
        }
        @if let Some(own) = own {
            (newest(view, own))
            (outlook(view, own.outlook.as_deref()))
            (graphs(own, period))
        } @else {
            div.empty {
                h2 { "Nothing is measured" }
                p { "This program does not measure itself." }
            }
        }
    };
    page(view, Place::Store, "Store", main)
}

fn newest(view: &View, own: &Own) -> Markup {
    let wanted = own.series.iter().map(|series| {
        let step_seconds = series.step_seconds.max(1);
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf: ConsolidationFunction::Average,
            start_seconds: view.now_seconds.saturating_sub(ROWS * step_seconds as i64),
            end_seconds: view.now_seconds,
            step_seconds,
        };
        Wanted { name: Path::new(&*series.database), query }
    });
    let answers = view.store.fetch_all(&wanted.collect::<Vec<_>>());
    html! {
        dl.tiles #own data-live {
            @for (series, answer) in own.series.iter().zip(answers) {
                @let columns = series.sources.len();
                @for (column, source) in series.sources.iter().enumerate() {
                    @let rows = answer.as_ref().map(|rows| rows.held.as_slice()).unwrap_or_default();
                    @let values = rows.iter().skip(column).step_by(columns);
                    @let known = values.rev().find(|value| value.is_finite());
                    div {
                        dt { (series.title) ": " (source.label) }
                        dd { (known.map_or_else(|| "–".to_owned(), |it| plain(*it, series.unit))) }
                    }
                }
            }
        }
    }
}

fn outlook(view: &View, outlook: Option<&Outlook>) -> Markup {
    html! {
        section #outlook data-live-section {
            @if let Some(outlook) = outlook {
                div.columns {
                    section.panel {
                        h2 { "What is left" }
                        @for words in &outlook.plan { p { (words) } }
                        p.quiet {
                            "As " code { "gyre plan" } " predicts, "
                            (figures::ago(outlook.found_seconds, view.now_seconds)) "."
                        }
                    }
                    section.panel {
                        h2 { "What could be better" }
                        @if outlook.findings.is_empty() {
                            p.quiet { code { "gyre doctor" } " finds nothing to change." }
                        }
                        @for it in &outlook.findings { (finding(it)) }
                    }
                }
            } @else {
                p.quiet { "What the machine has left is found out a little after the start." }
            }
        }
    }
}

fn finding(finding: &OwnFinding) -> Markup {
    html! {
        details.finding {
            summary { b { (finding.state) } " " (finding.found) }
            @for line in &finding.change { pre tabindex="0" { code { (line) } } }
            @if let Some(gain) = &finding.gain { p.quiet { (gain) } }
            p.quiet { "Check: " code { (finding.check) } }
        }
    }
}

fn graphs(own: &Own, period: Period) -> Markup {
    html! {
        nav.periods aria-label="Periods" {
            @for each in Period::ALL {
                a href={ "/store?period=" (each.name()) } aria-current=[(each == period).then_some("page")] {
                    (each.name())
                }
            }
        }
        div.graphs { @for series in &own.series { (graph(series, period)) } }
    }
}

fn graph(series: &OwnSeries, period: Period) -> Markup {
    let address = |end: &str| format!("/store/{}/{}.{end}", series.key, period.name());
    let unit = match series.unit {
        "" => String::new(),
        unit => format!(" in {unit}"),
    };
    html! {
        figure {
            figcaption {
                h2 { (series.title) small { (unit) } }
                a href=(address("png")) { "PNG" span.unseen { " of " (series.title) } }
            }
            picture {
                source media="(prefers-color-scheme: dark) and (max-width: 560px)"
                    srcset=(address("svg?size=narrow&paper=dark"));
                source media="(prefers-color-scheme: dark)" srcset=(address("svg?paper=dark"));
                source media="(max-width: 560px)" srcset=(address("svg?size=narrow"));
                img.graph src=(address("svg")) alt={ (series.title) " of a " (period.name()) } data-refresh;
            }
            p.quiet { (series.about) " " code { (series.database) } }
        }
    }
}
