//! The pages of a directory and of a database, and the page for something that does not exist.

use std::collections::HashMap;

use maud::{Markup, html};
use rrd::{DataSource, Definition};
use store::Outline;

use super::{EntriesPage, Entry, TreeContext};
use crate::assets::{self, Asset};
use crate::charts::function;
use crate::extent::Extent;
use crate::finding::NamesFound;
use crate::pages::path::percent_encode;
use crate::pages::times;
use crate::pages::{ChartFigure, ChartSection, Export, Frame, SearchBox, Written};
use crate::view::refresh_seconds;

/// Entries of a directory on one page.
pub(super) const PAGE_ENTRIES: usize = 500;
/// How often the page of a directory refreshes itself.
const DIRECTORY_SECONDS: u64 = 300;

/// A page of a directory, with the entries from `from` on.
pub(super) fn directory(
    context: &TreeContext,
    name: &str,
    from: &str,
    EntriesPage { entries, next }: &EntriesPage,
) -> Markup {
    let is_first = from.is_empty();
    let main = html! {
        (crumbs(name))
        section #results data-live-section {
            p.summary {
                b { (crate::numbers::count(entries.len())) } " entries"
                @if !is_first { " from " (from) }
                @if next.is_some() { ", and more" }
            }
            ul.entries { @for entry in entries { li { (line(name, entry)) } } }
            @if !is_first || next.is_some() {
                nav.pager aria-label="Pages of entries" {
                    @if !is_first { a href="?" rel="first" { "← First" } }
                    @if let Some(next) = next {
                        a href={ "?from=" (percent_encode(next)) } rel="next" { "Next →" }
                    }
                }
            }
        }
    };
    let title = if name.is_empty() { "Databases" } else { name };
    around(context, DIRECTORY_SECONDS, title, &[], main)
}

/// The databases that a search found.
pub(super) fn found(context: &TreeContext, text: &str, found: &NamesFound) -> Markup {
    let count = crate::numbers::count;
    let main = html! {
        (crumbs(""))
        @if found.is_mistyped {
            p.notice { "No name has all of these words; these have some that are alike." }
        }
        p.summary {
            b { (count(found.total)) } " databases"
            @if found.total > found.names.len() { ", of which these are the best " (count(found.names.len())) }
        }
        @if found.names.is_empty() {
            div.empty { h1 { "Nothing found" } p { a href="/" { "All databases" } } }
        } @else {
            ul.entries { @for name in &found.names {
                li { a href={ "/db/" (percent_encode(name)) } { (name) } }
            } }
        }
    };
    let (refresh_seconds, title) = (DIRECTORY_SECONDS, "Search");
    searched(context, &Searched { refresh_seconds, title, scripts: &[], text }, main)
}

/// The name of an entry, from the top directory on.
pub(super) fn path_of(directory: &str, entry: &Entry) -> String {
    below(directory, &entry.name)
}

/// A name within a directory, from the top directory on.
pub(super) fn below(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

fn line(directory: &str, entry: &Entry) -> Markup {
    let name = path_of(directory, entry);
    html! {
        @if entry.is_directory {
            a href={ "/dir/" (percent_encode(&name)) } { (entry.name) "/" }
        } @else {
            a href={ "/db/" (percent_encode(&name)) } { (entry.name) }
        }
    }
}

/// Links to the directories above a name.
fn crumbs(name: &str) -> Markup {
    let ends = name.match_indices('/').map(|(end, _)| end);
    let above: Vec<&str> = ends.map(|end| &name[..end]).collect();
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    html! {
        p.crumbs {
            a href="/" { "Databases" }
            @for directory in above {
                " / " a href={ "/dir/" (percent_encode(directory)) } { (last(directory)) }
            }
            @if !name.is_empty() { " / " (last(name)) }
        }
    }
}

/// What is shown of a database.
pub(super) struct Shown<'w> {
    pub(super) extent: Extent,
    /// The words of the URL.
    pub(super) words: &'w HashMap<String, String>,
}

/// A database: a chart of each of its data sources.
pub(super) fn database(
    context: &TreeContext,
    name: &str,
    outline: &Outline,
    shown: &Shown<'_>,
) -> Markup {
    let Outline { definition, last_update } = outline;
    let updated = definition.tick.moment(*last_update);
    let main = html! {
        (crumbs(name))
        div.heading {
            h1 { (name) }
            p.quiet {
                "a step of " (figures::duration(definition.step_in_seconds()))
                " · last updated " (times::moment(updated.seconds, &context.zone))
            }
        }
        @if function(definition).is_none() {
            p.trouble { "It has no archive of AVERAGE, LAST, MAX or MIN, so that no graph is drawn." }
        } @else {
            (charts(context, name, outline, shown))
        }
    };
    let seconds = refresh_seconds(definition.step_in_seconds().ceil() as u64);
    around(context, seconds, name, &[&assets::CHART], main)
}

/// The most data sources that have charts of their own: databases of SmokePing have dozens.
const SOURCES_MAX: usize = 40;

fn charts(context: &TreeContext, name: &str, outline: &Outline, shown: &Shown<'_>) -> Markup {
    let (extent, now_seconds) = (shown.extent, (context.now)());
    let definition = &outline.definition;
    let caption = extent.period().caption(definition.step_in_seconds(), Some(outline), now_seconds);
    let query = format!("d={}", percent_encode(name));
    let word = |name: &str| shown.words.get(name).map_or("", String::as_str);
    let sources = definition.sources.iter().filter(|source| !is_of_smoke(definition, source));
    let mut figures: Vec<_> = sources
        .take(SOURCES_MAX)
        .map(|source| figure(name, &source.name, &source.name, &source.kind.to_string(), extent))
        .collect();
    if is_smoke(definition) {
        figures.insert(0, figure(name, "smoke", "median", "SmokePing's smoke", extent));
    }
    let section = ChartSection {
        query: &query,
        mode: "source",
        extent,
        written: Written { start: word("start"), end: word("end") },
        now_seconds,
        kept: &[],
        caption,
        figures,
        exports: Export::of_rows(name, &query, extent.at(now_seconds)).into(),
    };
    section.markup()
}

/// Whether the sources are those of SmokePing: a median, a loss, and each ping of a round.
fn is_smoke(definition: &Definition) -> bool {
    let has = |name: &str| definition.sources.iter().any(|source| source.name == name);
    has("median") && has("loss") && has("ping1")
}

/// Whether a source is the median or one of the pings of a round, which the smoke shows together.
fn is_of_smoke(definition: &Definition, source: &DataSource) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_ping = || source.name.strip_prefix("ping").is_some_and(is_number);
    is_smoke(definition) && (source.name == "median" || is_ping())
}

/// A figure whose picture is the graph of a data source.
fn figure(name: &str, plot: &str, source: &str, note: &str, extent: Extent) -> ChartFigure {
    let base = format!("/graph/{}/{}", percent_encode(name), percent_encode(source));
    ChartFigure {
        plot: plot.to_owned(),
        title: source.to_owned(),
        note: note.to_owned(),
        logarithmic: false,
        picture: Box::new(move |more| format!("{base}/{}", extent.picture("svg", more))),
    }
}

/// The page for something that does not exist.
pub(super) fn problem(context: &TreeContext, title: &str, words: &str) -> Markup {
    let main = html! {
        div.empty {
            h1 { (title) }
            p { (words) }
            p { a href="/" { "All databases" } }
        }
    };
    around(context, DIRECTORY_SECONDS, title, &[], main)
}

/// A whole page, with these scripts besides those of all.
pub(crate) fn around(
    context: &TreeContext,
    refresh_seconds: u64,
    title: &str,
    scripts: &[&Asset],
    main: Markup,
) -> Markup {
    let text = "";
    searched(context, &Searched { refresh_seconds, title, scripts, text }, main)
}

/// A page, perhaps of what was found for a text.
struct Searched<'a> {
    refresh_seconds: u64,
    title: &'a str,
    scripts: &'a [&'a Asset],
    text: &'a str,
}

fn searched(context: &TreeContext, page: &Searched<'_>, main: Markup) -> Markup {
    let Searched { refresh_seconds, title, scripts, text } = *page;
    let frame = Frame {
        site: &context.title,
        notice: None,
        search: SearchBox { text, what: "databases".to_owned() },
        menu: html! {
            a href="/" { "Databases" }
            a href="/boards" { "Boards" }
            a href="/store" { "Store" }
        },
        program: &context.program,
        refresh_seconds,
        now_seconds: (context.now)(),
        zone: &context.zone,
        scripts,
    };
    frame.around(title, main)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io;
    use std::sync::Arc;

    use rrd::fetch::Query;
    use rrd::{Stretch, Timestamp};
    use store::Outline;

    use super::{EntriesPage, Entry, TreeContext, directory};
    use crate::extent::Extent;
    use crate::period::Period;
    use crate::tree::{Tree, Unanswered};

    struct Nothing;

    impl Tree for Nothing {
        fn list(&self, _: &str, _: &str, _: usize) -> io::Result<EntriesPage> {
            Ok(EntriesPage::default())
        }

        fn outline(&self, _: &str) -> Result<Outline, Unanswered> {
            Err(Unanswered::Missing)
        }

        fn fetch(&self, _: &str, _: &Query) -> Result<Stretch, Unanswered> {
            Err(Unanswered::Missing)
        }
    }

    #[test]
    fn a_step_below_a_second_is_told() {
        let units = rrd::spec::Units::of_step("0.25", None).unwrap();
        let words = ["DS:x:GAUGE:5:U:U", "RRA:AVERAGE:0.5:1:100000"];
        let definition = rrd::spec::definition_in(units, words).unwrap();
        let last_update = Timestamp::from_seconds(1_700_000_000 * 100 + 75);
        let mut context = TreeContext::new(Arc::new(Nothing), "all".into(), "gyre".into());
        (context.zone, context.now) = (jiff::tz::TimeZone::UTC, || 1_700_000_001);
        let outline = Outline { definition, last_update };
        let words = HashMap::new();
        let shown = super::Shown { extent: Extent::Last(Period::Hour), words: &words };
        let page = super::database(&context, "a", &outline, &shown).into_string();
        assert!(page.contains("a step of 250 ms"), "{page}");
        assert!(page.contains(">2023-11-14 22:13:20</time>"), "{page}");
        assert!(page.contains("(10 Second Average)"), "{page}");
    }

    #[test]
    fn a_large_directory_is_paged_and_its_names_are_escaped() {
        let context = TreeContext::new(Arc::new(Nothing), "<all>".into(), "gyre".into());
        let entry = |nth| Entry { name: format!("<b>{nth}"), is_directory: nth % 2 == 1 };
        let page = |from, next: Option<&str>| {
            let page = EntriesPage {
                entries: (0..500).map(entry).collect(),
                next: next.map(str::to_owned),
            };
            directory(&context, "a/<i>", from, &page).into_string()
        };
        let first = page("", Some("<b>&/"));
        assert_eq!(first.matches("<li>").count(), 500);
        assert!(first.contains("</b> entries, and more"), "{first}");
        assert!(
            first.contains("href=\"?from=%3Cb%3E%26%2F\"") && !first.contains("First"),
            "{first}"
        );
        assert!(first.contains("href=\"/dir/a%2F%3Ci%3E%2F%3Cb%3E1\">&lt;b&gt;1/</a>"), "{first}");
        assert!(first.contains("href=\"/db/a%2F%3Ci%3E%2F%3Cb%3E0\">&lt;b&gt;0</a>"), "{first}");
        for raw in ["<b>7", "<i>", "<all>"] {
            assert!(!first.contains(raw), "{raw}: {first}");
        }
        let last = page("<b>&/", None);
        assert!(last.contains(" entries from &lt;b&gt;&amp;/") && !last.contains("more"), "{last}");
        assert!(last.contains("href=\"?\"") && !last.contains("rel=\"next\""), "{last}");
        let only = page("", None);
        assert!(!only.contains("Pages of entries"), "{only}");
    }
}
