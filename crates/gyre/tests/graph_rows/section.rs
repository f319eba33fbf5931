//! The sections of the page that tell of graphs.

use std::collections::BTreeMap;

use super::case::Case;
use super::page::{Page, State};

/// A section of the page whose rows are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Options,
    Xport,
    Elements,
    Operators,
    Functions,
    Formats,
    Formatters,
}

/// 100 rows of five minutes.
const WINDOW: [&str; 4] = ["-s", "1000000000", "-e", "1000030000"];
const SERIES: [&str; 2] = ["DEF:a=a.rrd:a:AVERAGE", "DEF:b=a.rrd:b:AVERAGE"];
const LINES: [&str; 2] = ["LINE:a#ff0000:in", "LINE:b#00aa00:out"];

impl Section {
    pub(crate) fn cases(self) -> &'static str {
        match self {
            Self::Options => include_str!("options.txt"),
            Self::Xport => include_str!("xport.txt"),
            Self::Elements => include_str!("elements.txt"),
            Self::Operators => include_str!("operators.txt"),
            Self::Functions => include_str!("functions.txt"),
            Self::Formats => include_str!("formats.txt"),
            Self::Formatters => include_str!("formatters.txt"),
        }
    }

    /// Rows with a test of their own, in [`apart`](super::apart).
    pub(crate) fn apart(self) -> &'static [&'static str] {
        match self {
            Self::Options => &["--lazy", "--daemon"],
            Self::Xport => &["--daemon"],
            _ => &[],
        }
    }

    /// The rows of the page: options with their dashes.
    pub(crate) fn rows(self, page: &Page) -> BTreeMap<String, State> {
        let options = |verb: &str| {
            let rows = page.verbs[verb].iter();
            rows.map(|(name, (_, state))| (format!("--{name}"), *state)).collect()
        };
        let title = match self {
            Self::Options => return options("graph"),
            Self::Xport => return options("xport"),
            Self::Elements => "Elements of a graph",
            Self::Operators => "Operators of CDEF",
            Self::Functions => "Functions of VDEF",
            Self::Formats => "Image formats",
            Self::Formatters => "Value formatters",
        };
        page.language[title].clone()
    }

    /// Whether the result is text that rrdtool's must equal.
    pub(crate) fn is_text(self, row: &str) -> bool {
        match self {
            Self::Options | Self::Elements => false,
            Self::Xport | Self::Operators | Self::Functions | Self::Formatters => true,
            Self::Formats => !["PNG", "SVG", "EPS", "PDF"].contains(&row),
        }
    }

    /// The words of a case's command.
    pub(crate) fn words(self, case: &Case, value: &str) -> Vec<String> {
        let verb: &[&str] = match self {
            Self::Xport | Self::Operators => &["xport"],
            _ => &["graph", "picture"],
        };
        let own = [case.with.as_str(), value].into_iter().flat_map(words_of);
        let said: Vec<String> = match self {
            Self::Options | Self::Elements => {
                LINES.map(str::to_owned).into_iter().chain(own).collect()
            }
            Self::Xport => own.chain(["XPORT:a:in".into(), "XPORT:b:out".into()]).collect(),
            Self::Operators => vec![format!("CDEF:c={value}"), "XPORT:c:".into()],
            Self::Functions => functions(value),
            Self::Formats => vec![
                "-a".into(),
                case.row.clone(),
                format!("CDEF:c={value}"),
                "LINE:c#0000ff:three".into(),
            ],
            Self::Formatters => {
                vec!["VDEF:v=a,MAXIMUM".into(), format!("PRINT:v:{value}")]
            }
        };
        let all = verb.iter().chain(&WINDOW).chain(&SERIES).map(|word| (*word).to_owned());
        all.chain(said).collect()
    }
}

/// A function's number and the time that belongs to it.
fn functions(value: &str) -> Vec<String> {
    let said = ["PRINT:v:%.10le", "PRINT:v:%d.%H.%M.%S:strftime"];
    let shifted = "CDEF:d=TIME,1000009000,LT,UNKN,b,2,+,IF".to_owned();
    let defined = [shifted, format!("VDEF:v={value}")];
    defined.into_iter().chain(said.map(str::to_owned)).collect()
}

/// The words of a line. Blanks separate them; `_` within a word is a blank.
fn words_of(line: &str) -> impl Iterator<Item = String> {
    line.split_whitespace().map(|word| word.replace('_', " "))
}
