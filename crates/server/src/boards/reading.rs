//! Reads the text of a board.
//!
//! ```toml
//! title = "Backbone"
//! refresh = "30s"
//! span = "6h"
//!
//! [[row]]
//! title = "Uplinks"
//!
//! [[row.panel]]
//! target = "site01-*"
//! kind = "stack"
//! ```

use std::ops::{Range, RangeInclusive};

use serde::Deserialize;
use toml::Spanned;

use super::board::{
    Board, By, Kind, PANELS_MAX, Panel, Row, SUBJECTS_MAX, Subject, TEXT_BYTES_MAX, WORDS_BYTES_MAX,
};
use super::span::{LongSpan, seconds_of};
use super::wrong::{Fault, WrongBoard};

const TITLE_DEFAULT: &str = "Board";
const REFRESH: LongSpan = LongSpan { key: "refresh", least: "5s", most: "1h", default: "30s" };
/// How much time a board shows, or a request asks for.
pub(super) const SPAN: LongSpan =
    LongSpan { key: "span", least: "5m", most: "1100d", default: "1d" };
const FIRST_DEFAULT: usize = 12;
const HEIGHT_DEFAULT: u32 = 180;
const HEIGHTS: RangeInclusive<i64> = 60..=1000;
const WIDTHS: RangeInclusive<i64> = 1..=4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenBoard {
    title: Option<Spanned<String>>,
    refresh: Option<Spanned<String>>,
    span: Option<Spanned<String>>,
    #[serde(default)]
    row: Vec<WrittenRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRow {
    title: Option<Spanned<String>>,
    height: Option<Spanned<i64>>,
    #[serde(default)]
    panel: Vec<Spanned<WrittenPanel>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPanel {
    title: Option<Spanned<String>>,
    target: Option<Spanned<OneOrMany>>,
    find: Option<Spanned<String>>,
    database: Option<Spanned<OneOrMany>>,
    promql: Option<Spanned<String>>,
    graphite: Option<Spanned<String>>,
    source: Option<Spanned<String>>,
    kind: Option<Kind>,
    first: Option<Spanned<i64>>,
    each: Option<Spanned<bool>>,
    by: Option<By>,
    unit: Option<Spanned<String>>,
    height: Option<Spanned<i64>>,
    width: Option<Spanned<i64>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a name, or a list of names")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// What is wrong, and the bytes that it is about.
struct Found {
    bytes: Range<usize>,
    fault: Fault,
}

impl Board {
    /// The board of a text.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong about it, with its line.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, WrongBoard> {
        let fault = Fault::Text { most: TEXT_BYTES_MAX };
        let text = str::from_utf8(bytes).ok().filter(|text| text.len() <= TEXT_BYTES_MAX);
        let text = text.ok_or(WrongBoard { line: None, fault })?;
        let written: WrittenBoard = toml::from_str(text).map_err(|error| WrongBoard {
            line: error.span().map(|span| line_of(text, span.start)),
            fault: Fault::Form(error.message().to_owned()),
        })?;
        let found = written.row.iter().map(|row| row.panel.len()).sum();
        if !(1..=PANELS_MAX).contains(&found) {
            return Err(WrongBoard {
                line: None,
                fault: Fault::Panels { most: PANELS_MAX, found },
            });
        }
        written.board().map_err(|Found { bytes, fault }| WrongBoard {
            line: Some(line_of(text, bytes.start)),
            fault,
        })
    }
}

/// The line of a byte, counted from 1.
fn line_of(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|byte| *byte == b'\n').count()
}

impl WrittenBoard {
    fn board(self) -> Result<Board, Found> {
        let title = words("title", self.title)?;
        Ok(Board {
            title: title.unwrap_or_else(|| TITLE_DEFAULT.to_owned()),
            refresh_seconds: span(&REFRESH, self.refresh)?,
            span_seconds: span(&SPAN, self.span)?,
            rows: self.row.into_iter().map(WrittenRow::row).collect::<Result<_, _>>()?,
        })
    }
}

impl WrittenRow {
    fn row(self) -> Result<Row, Found> {
        let height = number("height", &HEIGHTS, self.height)?;
        let height_pixels = height.map_or(HEIGHT_DEFAULT, |height| height as u32);
        let panels = self.panel.into_iter().map(|panel| WrittenPanel::panel(panel, height_pixels));
        Ok(Row { title: words("title", self.title)?, panels: panels.collect::<Result<_, _>>()? })
    }
}

impl WrittenPanel {
    /// The panel of what is written, in a row with this height.
    fn panel(written: Spanned<Self>, row_pixels: u32) -> Result<Panel, Found> {
        let place = written.span();
        let mut it = written.into_inner();
        let subject = it.subject(place)?;
        let is_query = matches!(subject, Subject::PromQl(_) | Subject::Graphite(_));
        if let Some(source) = it.source.as_ref().filter(|_| is_query) {
            return Err(beside("source", source.span()));
        }
        if let Some(each) = it.each.as_ref().filter(|each| is_query && *each.get_ref()) {
            return Err(beside("each", each.span()));
        }
        let height = number("height", &HEIGHTS, it.height)?;
        let firsts = 1..=SUBJECTS_MAX as i64;
        Ok(Panel {
            title: words("title", it.title)?,
            subject,
            kind: it.kind.unwrap_or(Kind::Lines),
            source: words("source", it.source)?,
            first: number("first", &firsts, it.first)?.map_or(FIRST_DEFAULT, |it| it as usize),
            each: it.each.is_some_and(Spanned::into_inner),
            by: it.by.unwrap_or(By::Last),
            unit: words("unit", it.unit)?,
            height_pixels: height.map_or(row_pixels, |height| height as u32),
            width: number("width", &WIDTHS, it.width)?.map_or(1, |width| width as u8),
        })
    }

    /// What it is about; `place` is where the panel stands.
    fn subject(&mut self, place: Range<usize>) -> Result<Subject, Found> {
        let mut subjects = Vec::new();
        let mut found = Vec::new();
        let mut add = |key: &'static str, subject: Option<Subject>| {
            found.extend(subject.is_some().then_some(key));
            subjects.extend(subject);
        };
        add("target", names("target", self.target.take())?.map(Subject::Targets));
        add("find", words("find", self.find.take())?.map(Subject::Found));
        add("database", names("database", self.database.take())?.map(Subject::Databases));
        add("promql", words("promql", self.promql.take())?.map(Subject::PromQl));
        add("graphite", words("graphite", self.graphite.take())?.map(Subject::Graphite));
        match <[Subject; 1]>::try_from(subjects) {
            Ok([subject]) => Ok(subject),
            Err(_) => {
                let found = if found.is_empty() { "none".into() } else { found.join(" and ") };
                Err(Found { bytes: place, fault: Fault::Subject { found } })
            }
        }
    }
}

fn beside(key: &'static str, bytes: Range<usize>) -> Found {
    Found { bytes, fault: Fault::Beside { key, with: "target, find and database" } }
}

fn words(key: &'static str, written: Option<Spanned<String>>) -> Result<Option<String>, Found> {
    let Some(written) = written else { return Ok(None) };
    match check_length(key, written.get_ref()) {
        Ok(()) => Ok(Some(written.into_inner())),
        Err(fault) => Err(Found { bytes: written.span(), fault }),
    }
}

fn check_length(key: &'static str, text: &str) -> Result<(), Fault> {
    match text.len() {
        1..=WORDS_BYTES_MAX => Ok(()),
        found => Err(Fault::Words { key, most: WORDS_BYTES_MAX, found }),
    }
}

fn names(
    key: &'static str,
    written: Option<Spanned<OneOrMany>>,
) -> Result<Option<Vec<String>>, Found> {
    let Some(written) = written else { return Ok(None) };
    let bytes = written.span();
    let names = match written.into_inner() {
        OneOrMany::One(name) => vec![name],
        OneOrMany::Many(names) => names,
    };
    let checked = match names.len() {
        1..=SUBJECTS_MAX => names.iter().try_for_each(|name| check_length(key, name)),
        found => Err(Fault::Names { key, most: SUBJECTS_MAX, found }),
    };
    checked.map_err(|fault| Found { bytes, fault })?;
    Ok(Some(names))
}

fn number(
    key: &'static str,
    bounds: &RangeInclusive<i64>,
    written: Option<Spanned<i64>>,
) -> Result<Option<i64>, Found> {
    let Some(written) = written else { return Ok(None) };
    let found = *written.get_ref();
    match bounds.contains(&found) {
        true => Ok(Some(found)),
        false => {
            let (least, most) = (*bounds.start(), *bounds.end());
            Err(Found { bytes: written.span(), fault: Fault::Number { key, least, most, found } })
        }
    }
}

fn span(bounds: &LongSpan, written: Option<Spanned<String>>) -> Result<u64, Found> {
    let Some(written) = written else { return Ok(seconds_of(bounds.default).unwrap_or(0)) };
    let LongSpan { key, least, most, .. } = *bounds;
    let read = bounds.read(written.get_ref());
    read.ok_or_else(|| Found {
        bytes: written.span(),
        fault: Fault::Span { key, least, most, found: written.get_ref().clone() },
    })
}

#[cfg(test)]
mod tests {
    use super::super::board::{Board, By, Kind, Subject};

    const WHOLE: &str = r#"
title = "Backbone"
refresh = "1m"
span = "6h"

[[row]]
title = "Uplinks"
height = 240

[[row.panel]]
target = ["r1_1", "r2_*"]
source = "ds0"
kind = "stack"
first = 5
width = 2

[[row.panel]]
find = "core frankfurt"
each = true
height = 90

[[row]]
[[row.panel]]
title = "All"
promql = 'sum(in)'
kind = "number"
unit = "b/s"

[[row.panel]]
graphite = "net.*.in"
kind = "bars"
by = "maximum"
"#;

    #[test]
    fn a_board_says_all_that_is_written() {
        let board = Board::read(WHOLE.as_bytes()).unwrap();
        assert_eq!((board.refresh_seconds, board.span_seconds), (60, 21600));
        let panels: Vec<_> = board.panels().collect();
        assert_eq!(panels[0].subject, Subject::Targets(vec!["r1_1".into(), "r2_*".into()]));
        assert_eq!((panels[0].kind, panels[0].first, panels[0].width), (Kind::Stack, 5, 2));
        assert_eq!((panels[0].height_pixels, panels[1].height_pixels), (240, 90));
        assert!(panels[1].each && !panels[0].each);
        assert_eq!(panels[2].subject, Subject::PromQl("sum(in)".into()));
        assert_eq!((panels[3].by, panels[3].height_pixels), (By::Maximum, 180));
        assert_eq!(board.rows[1].title, None);
    }

    #[test]
    fn an_error_names_the_line_and_what_was_expected() {
        let panel = |more: &str| format!("[[row]]\n[[row.panel]]\ntarget = 'a'\n{more}");
        for (text, words) in [
            ("title = ", "line 1: "),
            ("titel = 'x'", "line 1: unknown field `titel`, expected one of `title`, `refresh`"),
            ("title = 'x'", "expected 1 to 100 panels in [[row]] and [[row.panel]], found 0"),
            (&panel("kind = 'pie'"), "line 4: unknown variant `pie`, expected one of `lines`"),
            (&panel("first = 0"), "line 4: first: expected 1 to 100, found 0"),
            (&panel("height = 5000"), "line 4: height: expected 60 to 1000, found 5000"),
            (&panel("title = ''"), "line 4: title: expected 1 to 4096 bytes, found 0"),
            (
                &panel("promql = 'up'"),
                "line 2: a panel: expected one of target, find, database, promql and graphite, \
                 found target and promql",
            ),
            (
                "[[row]]\n[[row.panel]]\ntarget = []",
                "line 3: target: expected 1 to 100 names, found 0",
            ),
            ("[[row]]\n[[row.panel]]\ntarget = 7", "line 3: expected a name, or a list of names"),
            (
                "[[row]]\n[[row.panel]]\npromql = 'up'\neach = true",
                "line 4: each: expected with target, find and database only",
            ),
            (
                "span = '2 parsecs'\n[[row]]\n[[row.panel]]\nfind = 'a'",
                "line 1: span: expected a span from 5m to 1100d, such as 30s, 5m, 6h or 7d, found \
                 \"2 parsecs\"",
            ),
        ] {
            let wrong = Board::read(text.as_bytes()).unwrap_err().to_string();
            assert!(wrong.starts_with(words), "{text}: {wrong}");
        }
        assert!(Board::read(&[b'#'; 70_000]).is_err());
        assert!(Board::read(b"title = \"\xff\"").is_err());
    }
}
