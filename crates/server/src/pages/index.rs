//! The index of targets: a search, a page of the results, and the state of each target.

use maud::{Markup, html};

use super::frame::{Place, searched_page};
use super::path;
use crate::latest::{Latest, latest_of};
use crate::period::Period;
use crate::site::Stretch;
use crate::view::{Asked, Hits, View};
use crate::{Health, Target, assets, numbers};

/// Targets on one page.
const PAGE_TARGETS: usize = 50;

/// The query of the index.
#[derive(Debug, Default)]
pub(crate) struct Question {
    /// The words to search for.
    pub(crate) query: String,
    /// Only targets whose device does not answer.
    pub(crate) silent_only: bool,
    /// The page, counted from 0.
    pub(crate) page: usize,
}

impl Question {
    /// The URL with this query.
    fn address(&self) -> String {
        let mut parts = Vec::new();
        if !self.query.is_empty() {
            parts.push(format!("q={}", path::percent_encode(&self.query)));
        }
        if self.silent_only {
            parts.push("silent=1".to_owned());
        }
        if self.page > 0 {
            parts.push(format!("page={}", self.page + 1));
        }
        if parts.is_empty() { "/".to_owned() } else { format!("/?{}", parts.join("&")) }
    }

    fn with_page(&self, page: usize) -> Self {
        Self { query: self.query.clone(), silent_only: self.silent_only, page }
    }
}

/// The page.
pub(crate) fn index(view: &View, question: &Question) -> Markup {
    let first = question.page.saturating_mul(PAGE_TARGETS);
    let Question { query: text, silent_only, .. } = question;
    let asked = Asked { text, silent_only: *silent_only, first, limit: PAGE_TARGETS };
    let Hits { found: Stretch { count, shown }, is_mistyped, .. } = view.hits(&asked);
    let first = first.min(count);
    let main = html! {
        (filter(question))
        section #results data-live-section data-found {
            @if is_mistyped {
                p.notice { "No target has all of these words; these have some that are alike." }
            }
            p.summary { (summary(view, question, count, first, shown.len())) }
            @if shown.is_empty() {
                (nothing(view, question))
            } @else {
                (table(view, &shown))
                (pager(question, count))
            }
        }
    };
    searched_page(view, Place::Targets, "Targets", &[&assets::INDEX], text, main)
}

/// What is shown of the targets besides those that a search finds. It belongs to the search box.
fn filter(question: &Question) -> Markup {
    html! {
        div.filter {
            h1 { "Targets" }
            label.toggle {
                input #silent type="checkbox" name="silent" value="1" form="find"
                    checked[question.silent_only];
                span { "Not answering" }
            }
        }
    }
}

fn summary(view: &View, question: &Question, found: usize, first: usize, shown: usize) -> Markup {
    let total = view.count();
    html! {
        @if found > 0 {
            (crate::numbers::count(first + 1)) "–" (crate::numbers::count(first + shown)) " of "
            b { (crate::numbers::count(found)) } " targets"
            @if found < total { " found among " (crate::numbers::count(total)) }
            @if !question.query.is_empty() || question.silent_only {
                " · " a href="/" { "show all" }
            }
        }
    }
}

fn nothing(view: &View, question: &Question) -> Markup {
    html! {
        div.empty {
            @if view.count() == 0 {
                h2 { "No targets yet" }
                p { "The configuration names none." }
            } @else if question.silent_only && question.query.is_empty() {
                h2 { "Every device answers" }
                p { a href="/" { "Show all targets" } }
            } @else {
                h2 { "Nothing found" }
                p { "No target has all of these words. " a href="/" { "Show all targets" } }
            }
        }
    }
}

fn table(view: &View, shown: &[Target]) -> Markup {
    html! {
        table.targets {
            thead {
                tr {
                    th scope="col" { "Target" }
                    th scope="col" { "Device" }
                    th.trend scope="col" { "Trend" }
                    th.number scope="col" { "In" }
                    th.number scope="col" { "Out" }
                }
            }
            tbody { @for (target, latest) in shown.iter().zip(latest_of(view, shown)) {
                (row(view, target, &latest))
            } }
        }
    }
}

fn row(view: &View, target: &Target, latest: &Latest) -> Markup {
    let address = path::target(&target.name);
    // In a thumbnail, the course of a day says more than that of an hour.
    let period = Period::of(&target.look).find(|period| *period != Period::Hour);
    let (title, remark) = (target.title(), target.remark());
    html! {
        tr data-words={ (target.name) " " (title) " " (target.device) " " (remark) } {
            td.what {
                (dot(view, target))
                a href=(address) { (title) }
                small { (target.name) @if !remark.is_empty() { " · " (remark) } }
            }
            td.device { a href=(path::device(&target.device)) { (target.device) } }
            td.trend {
                @if let Some(period) = period {
                    a href=(address) tabindex="-1" aria-hidden="true" { (spark(target, period)) }
                }
            }
            (rates(target, latest))
        }
    }
}

fn rates(target: &Target, latest: &Latest) -> Markup {
    let lines = target.look.lines.iter().zip(latest.values);
    html! {
        @for (line, value) in lines {
            td.number.unknown[value.is_none()] data-label=(line.label) {
                @if !line.shown {
                    ""
                } @else if let Some(value) = value {
                    (numbers::value(value, &target.look))
                } @else { "–" }
            }
        }
    }
}

/// A coloured dot, with words for people who do not see the colours.
pub(super) fn dot(view: &View, target: &Target) -> Markup {
    match &target.problem {
        Some(problem) => coloured("silent", problem),
        None => health_dot(view.device(target).map(|device| device.health)),
    }
}

/// The same of a device; `None` where it has none of its own.
pub(super) fn health_dot(health: Option<Health>) -> Markup {
    let (class, words) = match health {
        Some(Health::Silent) => ("silent", "does not answer"),
        Some(Health::Denied) => ("silent", "refuses its user"),
        Some(Health::NoAddress) => ("silent", "has no address"),
        Some(Health::Restarted) => ("restarted", "has restarted"),
        Some(Health::Answering) => ("answering", "answers"),
        Some(Health::Unknown) | None => ("unknown", "not asked yet"),
    };
    coloured(class, words)
}

fn coloured(class: &str, words: &str) -> Markup {
    html! { span.dot.(class) role="img" aria-label=(words) title=(words) {} }
}

/// A thumbnail of a graph. The browser loads it when it becomes visible.
pub(super) fn spark(target: &Target, period: Period) -> Markup {
    let light = path::graph(&target.name, period, "?size=spark");
    let dark = path::graph(&target.name, period, "?size=spark&paper=dark");
    html! {
        picture {
            source media="(prefers-color-scheme: dark)" srcset=(dark);
            img.spark src=(light) width="132" height="28" loading="lazy" alt="" data-refresh;
        }
    }
}

fn pager(question: &Question, found: usize) -> Markup {
    let pages = found.div_ceil(PAGE_TARGETS);
    let link = |page: usize, words: &str, rel: &str| {
        let address = question.with_page(page).address();
        html! { a href=(address) rel=(rel) { (words) } }
    };
    html! {
        @if pages > 1 {
            nav.pager aria-label="Pages of targets" {
                @if question.page > 0 { (link(question.page - 1, "← Previous", "prev")) }
                span { "Page " (question.page + 1) " of " (crate::numbers::count(pages)) }
                @if question.page + 1 < pages { (link(question.page + 1, "Next →", "next")) }
            }
        }
    }
}
