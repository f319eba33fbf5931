//! The first of all targets, and those to look after.

use maud::{Markup, html};
use ranks::{By, Line, Measure};

use super::frame::{Place, page};
use super::index::{dot, spark};
use super::path;
use super::top_devices::{failing, slow};
use super::top_limits::broken;
use crate::numbers::{self, count};
use crate::period::Period;
use crate::ranks::{Asked, Known, LINES, MEASURES, MOST_USUAL, Over, Row, Told, What};
use crate::view::View;

/// The page; `told` is what is known of targets.
pub(crate) fn top(view: &View, asked: &Asked, told: Option<&Told>) -> Markup {
    let main = html! {
        div.heading {
            h1 { (title(asked.what)) }
            p.quiet { (about(asked.what)) }
        }
        (choices(view, asked))
        (form(asked))
        section #ranks data-live-section {
            @match (asked.what, told) {
                (What::Targets(by), Some(told)) => { (targets(view, asked, by, told)) }
                (What::Broken, _) => { (broken(view, asked)) }
                (What::Slow, _) => { (slow(view, asked)) }
                (What::Failing, _) => { (failing(view, asked)) }
                (What::Targets(_), None) => {}
            }
        }
        p.quiet { "The same as JSON: " a href=(address("/api/ranks", asked)) { "/api/ranks" } }
    };
    page(view, Place::Top, title(asked.what), main)
}

const fn title(what: What) -> &'static str {
    match what {
        What::Targets(By::Traffic) => "Most traffic",
        What::Targets(By::Utilisation) => "Most used",
        What::Targets(By::Errors) => "Most errors",
        What::Targets(By::Value) => "Greatest values",
        What::Targets(By::Change) => "Changed most",
        What::Targets(By::Limit) => "At their limit",
        What::Targets(By::Silent) => "Silent",
        What::Targets(By::Flat) => "Flat",
        What::Targets(By::Wrapping) => "Wrapping",
        What::Broken => "Broken limits",
        What::Slow => "Slow devices",
        What::Failing => "Failing devices",
    }
}

const fn about(what: What) -> &'static str {
    match what {
        What::Targets(By::Traffic) => "Targets that count bytes, by their rate.",
        What::Targets(By::Utilisation) => "By their share of the expected maximum.",
        What::Targets(By::Errors) => "Targets that count errors or discarded packets, if any.",
        What::Targets(By::Value) => "Targets that measure neither traffic nor errors.",
        What::Targets(By::Change) => "Average traffic, compared with the same span a week ago.",
        What::Targets(By::Limit) => "At least 95 % of the expected maximum.",
        What::Targets(By::Silent) => "Targets of which no value is known.",
        What::Targets(By::Flat) => "All known values are the same, the greatest first.",
        What::Targets(By::Wrapping) => {
            "Counters of 32 bits that count at least half of what they can within a step: a second \
             wrap cannot be seen."
        }
        What::Broken => "Targets whose thresholds are broken now.",
        What::Slow => "Devices by the time that they take to answer.",
        What::Failing => "Devices by the polls that had no answer.",
    }
}

/// Links to all lists that the visitor may see.
fn choices(view: &View, asked: &Asked) -> Markup {
    let is_of_devices = |what: &What| matches!(what, What::Slow | What::Failing);
    let shown = |what: &What| view.is_of_everything() || !is_of_devices(what);
    html! {
        nav.choices aria-label="Lists" {
            @for what in What::ALL.into_iter().filter(shown) {
                @let other = Asked { what, ..asked.clone() };
                a href=(address("/top", &other)) aria-current=[(what == asked.what).then_some("page")] {
                    (title(what))
                }
            }
        }
    }
}

/// The URL that asks the same.
fn address(path: &str, asked: &Asked) -> String {
    let mut words = vec![format!("by={}", asked.what.word())];
    let mut word = |key: &str, word: &str, usual: &str| {
        if word != usual {
            words.push(format!("{key}={}", path::percent_encode(word)));
        }
    };
    word("span", asked.over.word(), Over::Newest.word());
    word("line", word_of(&LINES, asked.line), "either");
    word("measure", word_of(&MEASURES, asked.measure), "average");
    word("q", &asked.query, "");
    word("device", &asked.device, "");
    word("n", &asked.most.to_string(), &MOST_USUAL.to_string());
    format!("{path}?{}", words.join("&"))
}

fn word_of<T: PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    all.iter().find(|(_, own)| *own == value).map_or("", |(word, _)| word)
}

fn form(asked: &Asked) -> Markup {
    let What::Targets(by) = asked.what else {
        return html! {};
    };
    html! {
        form.choose action="/top" method="get" {
            input type="hidden" name="by" value=(asked.what.word());
            label { span { "Over" } select name="span" {
                @for over in Over::all().filter(|over| by.has_newest() || *over != Over::Newest) {
                    option value=(over.word()) selected[over == asked.over] { (over_words(over)) }
                }
            } }
            @if !matches!(by, By::Change | By::Silent | By::Flat) {
                label { span { "By" } select name="measure" {
                    @for (word, measure) in MEASURES {
                        option value=(word) selected[measure == asked.measure] { (measure_words(measure)) }
                    }
                } }
            }
            label { span { "Of" } select name="line" {
                @for (word, line) in LINES {
                    option value=(word) selected[line == asked.line] { (line_words(line)) }
                }
            } }
            label.grows { span { "With" }
                input type="search" name="q" value=(asked.query) placeholder="words of name, title, device";
            }
            @if !asked.device.is_empty() {
                label { span { "On" }
                    input type="text" name="device" value=(asked.device);
                }
            }
            button type="submit" { "Show" }
        }
    }
}

const fn over_words(over: Over) -> &'static str {
    match over {
        Over::Newest => "the last cycle",
        Over::Span(length) => length.title,
    }
}

const fn measure_words(measure: Measure) -> &'static str {
    match measure {
        Measure::Average => "average",
        Measure::Maximum => "maximum",
        Measure::Percentile95 => "95th percentile",
    }
}

const fn line_words(line: Line) -> &'static str {
    match line {
        Line::Either => "the greater of both values",
        Line::In => "the first value (in)",
        Line::Out => "the second value (out)",
    }
}

fn targets(view: &View, asked: &Asked, by: By, told: &Told) -> Markup {
    match told {
        Told::Known(known) if known.rows.is_empty() => nothing(known, by),
        Told::Known(known) => html! {
            p.summary { (summary(known, asked)) }
            (table(view, by, known))
        },
        Told::Reading { done, of } => html! {
            div.empty {
                h2 { "Reading " (count(*of)) " targets" }
                p { progress max=((*of).max(1)) value=(done) aria-label="targets that are read" {} }
                p { (count(*done)) " are read. This page shows the list when it is made." }
            }
        },
        Told::Waiting { ahead } => html! {
            div.empty {
                h2 { "Waiting" }
                p { "One list is made at a time; " (count(*ahead)) " come before this one." }
            }
        },
        Told::Refused => html! {
            div.empty { h2 { "Too many lists are asked for" } p { "Ask again a little later." } }
        },
    }
}

fn nothing(known: &Known, by: By) -> Markup {
    html! {
        div.empty {
            h2 { "None" }
            p {
                @match by {
                    By::Silent => { "A value is known of each" (of_targets(known)) "." }
                    _ if known.concerned == Some(0) => { "No target is of this kind." }
                    _ => { "None" (of_targets(known)) " is listed here." }
                }
            }
        }
    }
}

/// Of how many, as far as that is told.
fn of_targets(known: &Known) -> String {
    known.concerned.map_or_else(
        || " of these targets".to_owned(),
        |concerned| format!(" of {} targets", count(concerned)),
    )
}

fn summary(known: &Known, asked: &Asked) -> Markup {
    html! {
        "The " b { (count(known.rows.len())) } " first" (of_targets(known))
        @match asked.over {
            Over::Newest => { ", newest values" }
            over => { ", over " (over_words(over)) }
        }
        ", " (age(known.age_seconds))
        @if known.unread > 0 { " · of " (count(known.unread)) " the store has no rows" }
    }
}

fn age(seconds: u64) -> String {
    match seconds {
        0 => "read just now".to_owned(),
        seconds => format!("read {} ago", figures::duration(seconds as f64)),
    }
}

fn table(view: &View, by: By, known: &Known) -> Markup {
    // Shares are of 1, or of the first one where it has more.
    let greatest = known.rows.first().map_or(1.0, |row| row.ranked.score);
    let full = match by {
        By::Utilisation | By::Limit | By::Wrapping => greatest.max(1.0),
        _ => greatest,
    };
    let has_bar = !matches!(by, By::Silent) && full > 0.0;
    html! {
        table.targets.ranks {
            thead { tr {
                th.number scope="col" { "#" }
                th scope="col" { "Target" }
                th.device scope="col" { "Device" }
                th.trend scope="col" { "Trend" }
                @if has_bar { th.bar scope="col" { (score_words(by)) } }
                th.number scope="col" { "In" }
                th.number scope="col" { "Out" }
            } }
            tbody { @for (nth, row) in known.rows.iter().enumerate() {
                (line(view, by, nth + 1, row, has_bar.then_some(full)))
            } }
        }
    }
}

const fn score_words(by: By) -> &'static str {
    match by {
        By::Utilisation | By::Limit => "Of maximum",
        By::Wrapping => "Of 2³² a step",
        By::Change => "Change",
        _ => "Compared",
    }
}

fn line(
    view: &View,
    by: By,
    nth: usize,
    Row { target, ranked }: &Row,
    full: Option<f64>,
) -> Markup {
    let address = path::target(&target.name);
    let look = &target.look;
    let period = Period::of(look).find(|period| *period != Period::Hour);
    html! {
        tr {
            td.number.nth { (nth) }
            td.what {
                (dot(view, target))
                a href=(address) { (target.title()) }
                small { (target.name) }
            }
            td.device { a href=(path::device(&target.device)) { (target.device) } }
            td.trend { @if let Some(period) = period {
                a href=(address) tabindex="-1" aria-hidden="true" { (spark(target, period)) }
            } }
            @if let Some(full) = full {
                td.bar {
                    meter min="0" max=(full) value=(ranked.score) aria-label=(score_words(by)) {}
                    @if let Some(words) = score(by, ranked.score) { small { (words) } }
                }
            }
            @for (nth, line) in look.lines.iter().enumerate() {
                @let value = ranked.values[nth];
                td.number.unknown[!value.is_finite()] data-label=(line.label) {
                    @if line.shown {
                        (numbers::value(value, look))
                        @if by == By::Change { (moved(ranked.before[nth], value)) }
                    }
                }
            }
        }
    }
}

/// The score in words, where the bar alone does not say it.
fn score(by: By, score: f64) -> Option<String> {
    let percent = || format!("{:.1} %", 100.0 * score);
    matches!(by, By::Utilisation | By::Limit | By::Wrapping).then(percent)
}

/// How far a value is from that of a week ago.
fn moved(before: f64, now: f64) -> Markup {
    let percent = 100.0 * (now - before) / before;
    html! {
        small {
            @if percent.is_finite() { (format!("{percent:+.1} %")) }
            @else if before == 0.0 && now > 0.0 { "from 0" }
            @else { "–" }
        }
    }
}
