//! A device's page: all of its ports as small charts.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use maud::{Markup, html};
use rrd::ConsolidationFunction;
use rrd::fetch::Query;
use store::Wanted;

use super::frame::{Place, scripted_page};
use super::multiples::{Course, Shown, round_top};
use super::{index, path};
use crate::latest::{Latest, latest_of};
use crate::period::Period;
use crate::view::View;
use crate::{Look, Target, assets, numbers};

/// Ports on one page.
const PAGE_PORTS: usize = 96;
/// The most ports that are compared with one another: more are left in their order.
const COMPARED_MAX: usize = 1000;

/// The query of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceQuestion {
    /// The span of the charts.
    pub(crate) period: Period,
    /// Whether ports with the same unit share a scale.
    pub(crate) is_shared: bool,
    /// Whether the busiest port comes first.
    pub(crate) by_traffic: bool,
    /// The page, counted from 0.
    pub(crate) page: usize,
}

impl DeviceQuestion {
    fn address(&self) -> String {
        let mut address = format!("?period={}", self.period.name());
        if self.is_shared {
            address.push_str("&scale=shared");
        }
        if self.by_traffic {
            address.push_str("&sort=traffic");
        }
        if self.page > 0 {
            address.push_str(&format!("&page={}", self.page + 1));
        }
        address
    }
}

/// A target, its course and its newest values.
struct Port {
    target: Target,
    course: Course,
    latest: Latest,
}

impl Port {
    fn is_shown(&self) -> [bool; 2] {
        self.target.look.lines.each_ref().map(|line| line.shown)
    }

    /// The largest value, in the unit that is shown.
    fn largest(&self) -> f64 {
        self.course.largest(self.is_shown()) * self.target.look.factor
    }

    /// The average of all lines that are shown together, in the unit that is shown.
    fn traffic(&self) -> f64 {
        let shown = (0..).zip(self.is_shown()).filter(|(_, is_shown)| *is_shown);
        let averages = shown.filter_map(|(nth, _)| self.course.average(nth));
        averages.sum::<f64>() * self.target.look.factor
    }
}

/// The page; `None` if no target that the visitor may see is measured from this device.
pub(crate) fn device(view: &View, name: &str, question: &DeviceQuestion) -> Option<Markup> {
    let targets = view.targets_of(name);
    let count = targets.len();
    let first = targets.first()?.clone();
    let shown = Shown {
        start_seconds: view.now_seconds - question.period.span_seconds() as i64,
        end_seconds: view.now_seconds,
    };
    let ports = with_latest(view, ports(view, targets, question));
    let main = html! {
        (heading(view, name, &first, count))
        (choices(question))
        section #results data-live-section {
            div.multiples data-start=(shown.start_seconds) data-end=(shown.end_seconds) { @for port in &ports { (card(view, port, question, &ports, shown)) } }
        }
        (pager(question, count))
    };
    Some(scripted_page(view, Place::Devices, name, &[&assets::DEVICE], main))
}

/// The ports of the page, without their newest values. All rows are asked for at once.
fn ports(view: &View, mut targets: Vec<Target>, question: &DeviceQuestion) -> Vec<Port> {
    let first = question.page.saturating_mul(PAGE_PORTS);
    if !question.by_traffic {
        let shown = targets.into_iter().skip(first).take(PAGE_PORTS);
        return read(view, shown.collect(), question.period);
    }
    targets.truncate(COMPARED_MAX);
    let mut ports = read(view, targets, question.period);
    ports.sort_by(|one, other| other.traffic().total_cmp(&one.traffic()));
    ports.into_iter().skip(first).take(PAGE_PORTS).collect()
}

/// Adds the newest values: a point of a chart may be the mean of days.
fn with_latest(view: &View, mut ports: Vec<Port>) -> Vec<Port> {
    let targets: Vec<Target> = ports.iter().map(|port| port.target.clone()).collect();
    for (port, latest) in ports.iter_mut().zip(latest_of(view, &targets)) {
        port.latest = latest;
    }
    ports
}

/// The course of each target. Of all the rows behind it, those of a few are in memory at a time.
fn read(view: &View, targets: Vec<Target>, period: Period) -> Vec<Port> {
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf: ConsolidationFunction::Average,
        start_seconds: view.now_seconds - period.span_seconds() as i64,
        end_seconds: view.now_seconds,
        step_seconds: period.row_seconds(),
    };
    let wanted = |target| Wanted { name: Path::new(database(target)), query };
    // A database that is not there yet, or cannot be read, has an empty chart.
    let mut courses = vec![Course::default(); targets.len()];
    let wanted: Vec<_> = targets.iter().map(wanted).collect();
    let _ = view.store.fetch_many(&wanted, &mut |nth, answer| {
        if let (Ok(rows), Some(course), Some(target)) =
            (answer, courses.get_mut(nth), targets.get(nth))
        {
            *course = Course::of(&rows, target.look.unknown_as_zero);
        }
        ControlFlow::Continue(())
    });
    let ports = targets.into_iter().zip(courses);
    ports.map(|(target, course)| Port { target, course, latest: Latest::default() }).collect()
}

fn database(target: &Target) -> &str {
    &target.database
}

fn heading(view: &View, name: &str, first: &Target, count: usize) -> Markup {
    let device = view.device(first);
    let site = site_of(view, name).filter(|site| !site.is_empty());
    html! {
        p.crumbs {
            a href="/devices" { "Devices" } " / "
            @if let Some(site) = &site {
                a href={ "/devices?site=" (path::percent_encode(site)) } { (site) } " / "
            }
            (name)
        }
        div.heading {
            h1 { span #health data-live { (index::health_dot(device.map(|it| it.health))) } (name) }
            p.quiet {
                (numbers::count(count)) @if count == 1 { " target" } @else { " targets" }
                @if let Some(about) = device.and_then(|device| device.about.as_ref()) { " · " (about) }
                @if let Some(took) = device.and_then(|device| device.took_seconds) {
                    " · answers within " (figures::duration(took))
                }
            }
        }
        div #trouble data-live {
            @if let Some(problem) = device.and_then(|device| device.problem.as_ref()) {
                p.trouble {
                    (problem)
                    @if let Some(then) = device.and_then(|device| device.answered_seconds) {
                        ". It was last heard of " (figures::ago(then, view.now_seconds))
                    }
                    "."
                }
            }
        }
    }
}

/// The site of a device, as far as the visitor sees it.
fn site_of(view: &View, name: &str) -> Option<Arc<str>> {
    let index = view.index()?;
    let seen = view.seen(&index);
    let device = index.network.device(name)?;
    index.network.site_of(device, seen.as_deref()).cloned()
}

fn choices(question: &DeviceQuestion) -> Markup {
    let link = |to: DeviceQuestion, is_here: bool, words: &str| {
        html! { a href=(to.address()) aria-current=[is_here.then_some("true")] { (words) } }
    };
    let at = DeviceQuestion { page: 0, ..*question };
    html! {
        div.choices {
            nav.periods aria-label="Span" { @for period in Period::ALL {
                (link(DeviceQuestion { period, ..at }, period == at.period, period.name()))
            } }
            nav.periods aria-label="Scale" {
                (link(DeviceQuestion { is_shared: false, ..at }, !at.is_shared, "own scales"))
                (link(DeviceQuestion { is_shared: true, ..at }, at.is_shared, "one scale"))
            }
            nav.periods aria-label="Order" {
                (link(DeviceQuestion { by_traffic: false, ..at }, !at.by_traffic, "by port"))
                (link(DeviceQuestion { by_traffic: true, ..at }, at.by_traffic, "by traffic"))
            }
        }
    }
}

fn card(view: &View, port: &Port, question: &DeviceQuestion, all: &[Port], shown: Shown) -> Markup {
    let Port { target, course, latest } = port;
    let look = &*target.present_look();
    let alike =
        all.iter().filter(|other| question.is_shared && other.target.look.unit == look.unit);
    let largest = alike.map(Port::largest).fold(port.largest(), f64::max);
    let top = round_top(largest);
    let factor = if look.factor == 0.0 { 1.0 } else { look.factor };
    let (title, remark) = (target.title(), target.remark());
    let words = format!("{title}, the last {}", question.period.name());
    html! {
        article.port data-target=(target.name) {
            h2 { (index::dot(view, target)) a href=(path::target(&target.name)) { (title) } }
            small { (target.name) @if !remark.is_empty() { " · " (remark) } }
            div.drawn {
                @if largest > 0.0 { span.reach { (numbers::value(top / factor, look)) } }
                (course.chart(shown, top / factor, port.is_shown(), &words))
            }
            dl { @for (nth, line) in look.lines.iter().enumerate().filter(|(_, line)| line.shown) {
                div {
                    dt { span.{ "ink ink" (nth) } {} (line.label) }
                    dd { (last(latest.values.get(nth).copied().flatten(), line.maximum, look)) }
                }
            } }
        }
    }
}

/// The newest value, and how much of the expected maximum it is.
fn last(value: Option<f64>, maximum: f64, look: &Look) -> Markup {
    let Some(value) = value else { return html! { "–" } };
    let percent = 100.0 * value / maximum;
    html! {
        (numbers::value(value, look))
        @if percent.is_finite() && maximum > 0.0 { small { " " (rounded(percent)) " %" } }
    }
}

/// Whole, as there is little room; with a decimal place where that would be nothing.
fn rounded(percent: f64) -> String {
    if percent.abs() < 0.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

fn pager(question: &DeviceQuestion, ports: usize) -> Markup {
    let pages = ports.div_ceil(PAGE_PORTS);
    let page = question.page;
    let to = |page| DeviceQuestion { page, ..*question }.address();
    html! {
        @if pages > 1 {
            nav.pager aria-label="Pages of ports" {
                @if page > 0 { a href=(to(page - 1)) rel="prev" { "← Previous" } }
                span { "Page " (page.saturating_add(1)) " of " (numbers::count(pages)) }
                @if page.saturating_add(1) < pages { a href=(to(page + 1)) rel="next" { "Next →" } }
            }
        }
    }
}
