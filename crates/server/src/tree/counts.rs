//! The page of what a daemon counts.

use maud::{Markup, html};

use super::pages::around;
use super::{Metric, TreeContext};

/// How often the page refreshes itself.
const REFRESH_SECONDS: u64 = 10;

/// The page.
pub(super) fn counts(context: &TreeContext, metrics: &[Metric]) -> Markup {
    let main = html! {
        div.heading {
            h1 { "Store" }
            p.quiet { "What this daemon counts, as STATS tells it, since it began." }
        }
        section.panel #counts data-live-section {
            @if metrics.is_empty() { p.quiet { "It counts nothing." } }
            @else { (table(metrics)) }
        }
        p.quiet { "The same for Prometheus: " a href="/metrics" { "/metrics" } }
    };
    around(context, REFRESH_SECONDS, "Store", &[], main)
}

fn table(metrics: &[Metric]) -> Markup {
    html! {
        table.devices {
            thead { tr {
                th scope="col" { "What" }
                th.number scope="col" { "Number" }
            } }
            tbody { @for Metric { name, help, value, .. } in metrics {
                tr {
                    td { (help) " " small { code { (name) } } }
                    td.number { (figures::count(*value)) }
                }
            } }
        }
    }
}
