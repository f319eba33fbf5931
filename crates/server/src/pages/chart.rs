//! A section with charts: pictures that the script `chart.js` makes interactive. Without it, its
//! links and its form lead to the same page with pictures of another time.

use maud::{Markup, html};
use serde_json::json;

use crate::extent::Extent;
use crate::period::Period;
use crate::span::Span;

/// What a section shows.
pub(crate) struct ChartSection<'a> {
    /// The names in a URL: `t=a&t=b` or `d=a`.
    pub(crate) query: &'a str,
    /// How its figures are made: `target`, `each`, `stack`, `sum` or `source`.
    pub(crate) mode: &'static str,
    pub(crate) extent: Extent,
    /// The words `start` and `end` as they were written in the form.
    pub(crate) written: Written<'a>,
    pub(crate) now_seconds: i64,
    /// Words of the page's URL that its links keep: `mode=sum&t=a`.
    pub(crate) kept: &'a [(String, String)],
    /// What the pictures show, in words: it stands there until a script tells more.
    pub(crate) caption: String,
    pub(crate) figures: Vec<ChartFigure>,
    pub(crate) exports: Vec<Export>,
}

/// The words of a form for a free span; empty where there were none.
#[derive(Clone, Copy, Default)]
pub(crate) struct Written<'a> {
    pub(crate) start: &'a str,
    pub(crate) end: &'a str,
}

/// One figure of a section.
pub(crate) struct ChartFigure {
    /// What is drawn: `all`, `smoke` or the name of a data source.
    pub(crate) plot: String,
    pub(crate) title: String,
    pub(crate) note: String,
    pub(crate) logarithmic: bool,
    /// The address of the picture with these further words in its URL.
    pub(crate) picture: Box<dyn Fn(&str) -> String>,
}

/// A link to the same rows in another form.
pub(crate) struct Export {
    pub(crate) words: String,
    pub(crate) address: String,
    /// The name of the file that a browser makes of it; `None` to show it.
    pub(crate) file: Option<String>,
}

impl ChartSection<'_> {
    /// The section.
    pub(crate) fn markup(&self) -> Markup {
        let span = self.extent.at(self.now_seconds);
        let own = match self.extent {
            Extent::Last(period) => period,
            Extent::Between(_) => Period::Day,
        };
        let lengths = Period::ALL.map(|period| (period.name(), period.chart_seconds().into()));
        let lengths = serde_json::Value::Object(
            lengths.map(|(name, seconds)| (name.to_owned(), seconds)).into_iter().collect(),
        );
        html! {
            section.chart data-chart data-query=(self.query) data-mode=(self.mode)
                data-span=(own.name()) data-spans=(json!(lengths)) data-now=(self.now_seconds)
                data-start=(span.start_seconds) data-end=(span.end_seconds)
            {
                div.chart-head {
                    (self.periods())
                    div.chart-controls data-controls {}
                }
                @for figure in &self.figures { (figure.markup()) }
                p.chart-status data-status aria-live="polite" { (self.caption) }
                div.chart-head {
                    (self.form())
                    (self.exports())
                }
            }
        }
    }

    fn periods(&self) -> Markup {
        html! {
            nav.periods aria-label="Time shown" {
                @for period in Period::ALL {
                    a href=(self.address(period)) data-period=(period.name())
                        aria-current=[(self.extent == Extent::Last(period)).then_some("page")]
                    { (period.name()) }
                }
            }
        }
    }

    fn address(&self, period: Period) -> String {
        let mut words = form_urlencoded::Serializer::new(String::from("?"));
        words.extend_pairs(self.kept).append_pair("span", period.name());
        words.finish()
    }

    fn form(&self) -> Markup {
        html! {
            form.chart-span method="get" {
                @for (name, value) in self.kept { input type="hidden" name=(name) value=(value); }
                label { "from " input name="start" value=(self.written.start) placeholder="end-1d"
                    autocomplete="off" spellcheck="false"; }
                label { "to " input name="end" value=(self.written.end) placeholder="now"
                    autocomplete="off" spellcheck="false"; }
                button { "Show" }
            }
        }
    }

    fn exports(&self) -> Markup {
        html! {
            nav.chart-exports aria-label="This chart as a file" {
                @for export in &self.exports {
                    a href=(export.address) download=[export.file.as_deref()] data-export {
                        (export.words)
                    }
                }
            }
        }
    }
}

impl ChartFigure {
    fn markup(&self) -> Markup {
        let address = |words: &str| (self.picture)(words);
        html! {
            figure data-plot=(self.plot) data-title=(self.title)
                data-logarithmic=[self.logarithmic.then_some("true")]
            {
                figcaption { h2 { (self.title) } @if !self.note.is_empty() { small { (self.note) } } }
                picture {
                    source media="(prefers-color-scheme: dark) and (max-width: 560px)"
                        srcset=(address("size=narrow&paper=dark"));
                    source media="(prefers-color-scheme: dark)" srcset=(address("paper=dark"));
                    source media="(max-width: 560px)" srcset=(address("size=narrow"));
                    img.graph src=(address("")) alt={ "Graph of " (self.title) } loading="lazy" data-refresh;
                }
            }
        }
    }
}

impl Export {
    /// The rows of a stretch of time as a table and as JSON; `query` has the names.
    pub(crate) fn of_rows(name: &str, query: &str, span: Span) -> [Self; 2] {
        let Span { start_seconds, end_seconds } = span;
        let address = |path: &str| {
            format!("{path}?{query}&start={start_seconds}&end={end_seconds}&points=4000")
        };
        let file = |ending: &str| Some(format!("{name}.{ending}"));
        [
            Self { words: "CSV".into(), address: address("/api/charts.csv"), file: file("csv") },
            Self { words: "JSON".into(), address: address("/api/charts"), file: file("json") },
        ]
    }

    /// A picture; `of` says of what, where there are several.
    pub(crate) fn picture(of: &str, format: &str, address: String, file: String) -> Self {
        let words = if of.is_empty() { format.to_owned() } else { format!("{of} as {format}") };
        Self { words, address, file: Some(file) }
    }
}
