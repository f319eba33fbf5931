//! The sites of a network, and the devices of a site.

use maud::{Markup, html};

use super::frame::{Place, page};
use super::path;
use crate::finding::{Bits, DeviceEntry, SiteEntry, TargetIndex};
use crate::view::View;
use crate::{Device, numbers};

/// Sites or devices on one page.
const PAGE_ROWS: usize = 100;

/// The query of the page.
#[derive(Debug, Default)]
pub(crate) struct DevicesQuestion {
    /// The site whose devices are shown; `None` shows the sites.
    pub(crate) site: Option<String>,
    /// Only sites and devices of which some targets are not measured.
    pub(crate) silent_only: bool,
    /// The page, counted from 0.
    pub(crate) page: usize,
}

impl DevicesQuestion {
    fn address(&self, page: usize) -> String {
        let mut parts = Vec::new();
        if let Some(site) = &self.site {
            parts.push(format!("site={}", path::percent_encode(site)));
        }
        if self.silent_only {
            parts.push("silent=1".to_owned());
        }
        if page > 0 {
            parts.push(format!("page={}", page + 1));
        }
        let query = if parts.is_empty() { "" } else { "?" };
        format!("/devices{query}{}", parts.join("&"))
    }
}

/// How much stands below a site or a device.
#[derive(Clone, Copy, Default)]
struct Counts {
    devices: usize,
    silent_devices: usize,
    targets: usize,
    silent_targets: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.devices += other.devices;
        self.silent_devices += other.silent_devices;
        self.targets += other.targets;
        self.silent_targets += other.silent_targets;
    }
}

/// Counts what a visitor may see.
struct Counting<'a> {
    view: &'a View,
    index: &'a TargetIndex,
    seen: Option<&'a Bits>,
    /// Those of which the visitor sees something. Of others, not even the names are told.
    sites: &'a [SiteEntry],
}

impl Counting<'_> {
    fn device(&self, device: &DeviceEntry) -> Counts {
        let seen = device.targets.iter().filter(|nth| self.seen.is_none_or(|it| it.has(**nth)));
        let mut counts = Counts::default();
        for target in seen {
            counts.targets += 1;
            let is_silent = self.index.is_silent(*target, self.view.status());
            counts.silent_targets += usize::from(is_silent);
        }
        counts.devices = usize::from(counts.targets > 0);
        let is_silent = counts.targets > 0 && counts.silent_targets == counts.targets;
        counts.silent_devices = usize::from(is_silent);
        counts
    }

    fn site(&self, site: &SiteEntry) -> Counts {
        let mut sum = Counts::default();
        self.index.network.devices(site).for_each(|device| sum += self.device(device));
        sum
    }
}

/// A row of either table.
struct Row<'a, T> {
    of: &'a T,
    counts: Counts,
}

/// The page.
pub(crate) fn devices(view: &View, question: &DevicesQuestion) -> Markup {
    let Some(index) = view.index() else { return not_yet(view) };
    let seen = view.seen(&index);
    let sites = index.network.sites(seen.as_deref());
    let counting = Counting { view, index: &index, seen: seen.as_deref(), sites: &sites };
    match (&question.site, &*sites) {
        (Some(name), _) => match sites.iter().find(|site| site.name == *name) {
            Some(site) => of_site(&counting, question, site),
            None => of_sites(&counting, question),
        },
        (None, [only]) => of_site(&counting, question, only),
        (None, _) => of_sites(&counting, question),
    }
}

fn not_yet(view: &View) -> Markup {
    let main = html! {
        div.empty {
            h1 { "Devices" }
            p #results data-live-section {
                "The list of devices is made in the background, and will be here in some seconds."
            }
        }
    };
    page(view, Place::Devices, "Devices", main)
}

fn is_wanted(question: &DevicesQuestion, counts: &Counts) -> bool {
    counts.targets > 0 && (!question.silent_only || counts.silent_targets > 0)
}

fn of_sites(counting: &Counting<'_>, question: &DevicesQuestion) -> Markup {
    let rows = counting.sites.iter().map(|of| Row { of, counts: counting.site(of) });
    let rows: Vec<_> = rows.filter(|row| is_wanted(question, &row.counts)).collect();
    let shown = rows.iter().skip(question.page.saturating_mul(PAGE_ROWS)).take(PAGE_ROWS);
    let table = html! {
        table.listing {
            thead { tr {
                th scope="col" { "Site" }
                th.number scope="col" { "Devices" }
                th.number scope="col" { "Targets" }
                th.number scope="col" { "Not answering" }
            } }
            tbody { @for Row { of, counts } in shown { tr {
                td.what {
                    a href={ "/devices?site=" (path::percent_encode(&of.name)) } { (shown_site(of)) }
                }
                td.number { (numbers::count(counts.devices)) }
                td.number { (numbers::count(counts.targets)) }
                td.number { (silent(counts.silent_targets)) }
            } } }
        }
    };
    let heading = html! { h1 { "Devices" } };
    around(counting.view, question, "Devices", heading, rows.len(), &total(&rows, "site"), table)
}

fn of_site(counting: &Counting<'_>, question: &DevicesQuestion, site: &SiteEntry) -> Markup {
    let devices = counting.index.network.devices(site);
    let rows = devices.map(|of| Row { of, counts: counting.device(of) });
    let rows: Vec<_> = rows.filter(|row| is_wanted(question, &row.counts)).collect();
    let shown = rows.iter().skip(question.page.saturating_mul(PAGE_ROWS)).take(PAGE_ROWS);
    let table = html! {
        table.listing {
            thead { tr {
                th scope="col" { "Device" }
                th.wide scope="col" { "State" }
                th.number scope="col" { "Targets" }
                th.number scope="col" { "Not answering" }
            } }
            tbody { @for Row { of, counts } in shown { tr {
                td.what {
                    (dot(counting.view, of))
                    a href=(path::device(&of.name)) { (of.name) }
                }
                td.wide.quiet { (state(counting.view, of)) }
                td.number { (numbers::count(counts.targets)) }
                td.number { (silent(counts.silent_targets)) }
            } } }
        }
    };
    let several = counting.sites.len() > 1;
    let title = if several { shown_site(site) } else { "Devices" };
    let heading = html! {
        div {
            @if several { p.crumbs { a href="/devices" { "Devices" } " / " (title) } }
            h1 { (title) }
        }
    };
    around(counting.view, question, title, heading, rows.len(), &total(&rows, "device"), table)
}

/// `3 sites · 1,200 targets · 12 not answering`.
fn total<T>(rows: &[Row<'_, T>], what: &str) -> String {
    let mut sum = Counts::default();
    rows.iter().for_each(|row| sum += row.counts);
    let (rows, targets) = (counted(rows.len(), what), counted(sum.targets, "target"));
    format!("{rows} · {targets} · {} not answering", numbers::count(sum.silent_targets))
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", numbers::count(count))
}

fn around(
    view: &View,
    question: &DevicesQuestion,
    title: &str,
    heading: Markup,
    rows: usize,
    summary: &str,
    table: Markup,
) -> Markup {
    let other = DevicesQuestion {
        site: question.site.clone(),
        silent_only: !question.silent_only,
        page: 0,
    };
    let words = if question.silent_only { "Show all" } else { "Only those not answering" };
    let main = html! {
        div.filter { (heading) a.toggle href=(other.address(0)) { (words) } }
        section #results data-live-section {
            p.summary { (summary) }
            @if rows == 0 {
                div.empty { h2 { "Nothing here" } p { "Every device that is shown here answers, or there is none." } }
            } @else {
                (table)
                (pager(question, rows))
            }
        }
    };
    page(view, Place::Devices, title, main)
}

fn pager(question: &DevicesQuestion, rows: usize) -> Markup {
    let pages = rows.div_ceil(PAGE_ROWS);
    let page = question.page;
    html! {
        @if pages > 1 {
            nav.pager aria-label="Pages" {
                @if page > 0 { a href=(question.address(page - 1)) rel="prev" { "← Previous" } }
                span { "Page " (page.saturating_add(1)) " of " (numbers::count(pages)) }
                @if page.saturating_add(1) < pages {
                    a href=(question.address(page + 1)) rel="next" { "Next →" }
                }
            }
        }
    }
}

fn shown_site(site: &SiteEntry) -> &str {
    if site.name.is_empty() { "Without a site" } else { &site.name }
}

fn silent(count: usize) -> Markup {
    html! {
        @if count > 0 { span.badge { (numbers::count(count)) } } @else { span.quiet { "–" } }
    }
}

fn known<'v>(view: &'v View, device: &DeviceEntry) -> Option<&'v Device> {
    view.status().devices.get(device.index?)
}

fn dot(view: &View, device: &DeviceEntry) -> Markup {
    super::index::health_dot(known(view, device).map(|device| device.health))
}

fn state(view: &View, device: &DeviceEntry) -> Markup {
    let device = known(view, device);
    html! {
        @match device {
            None => { "several devices together" },
            Some(Device { problem: Some(problem), .. }) => { (problem) },
            Some(Device { took_seconds: Some(took), .. }) => {
                "answers within " (figures::duration(*took))
            },
            Some(_) => { "" },
        }
    }
}
