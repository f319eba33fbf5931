//! What a search finds, as JSON, for the box in the head of every page.

use find::{Field, FieldText, Mark, Query};
use serde::Serialize;

use crate::finding::NamesFound;
use crate::pages::path;
use crate::view::{Asked, Hits, View};
use crate::{Health, Target};

/// The results of an answer unless the request gives a number.
pub(crate) const RESULTS_DEFAULT: usize = 20;
/// The most results of an answer.
pub(crate) const RESULTS_MAX: usize = 200;

/// What was found.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a> {
    query: &'a str,
    /// How many are found; some of them are told.
    total: usize,
    /// Whether no target has all words, and these have words that differ a little.
    mistyped: bool,
    results: Vec<Row>,
}

/// A target, or a database, that was found.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) device: String,
    pub(crate) remark: String,
    /// Where its page is.
    pub(crate) page: String,
    pub(crate) health: &'static str,
    /// Why it was found.
    pub(crate) marks: Vec<Marked>,
}

/// A stretch of a text that a word found, counted in the units of JavaScript's strings.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Marked {
    /// The name of the field or label.
    field: String,
    /// The text, where the row does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    start: usize,
    end: usize,
}

/// A text in which words were looked for.
pub(crate) struct Shown {
    pub(crate) field: Field,
    pub(crate) name: String,
    pub(crate) text: String,
    /// Whether the row shows it anyway.
    pub(crate) is_in_row: bool,
}

/// The best targets, at most `limit`.
pub(crate) fn answer<'a>(view: &View, text: &'a str, limit: usize) -> Answer<'a> {
    let asked = Asked { text, limit: limit.min(RESULTS_MAX), ..Asked::default() };
    let Hits { found, is_mistyped, query } = view.hits(&asked);
    let results = found.shown.iter().map(|target| row(view, target, &query)).collect();
    Answer { query: text, total: found.count, mistyped: is_mistyped, results }
}

/// The databases that were found by their names.
pub(crate) fn answer_of_names<'a>(text: &'a str, found: &NamesFound) -> Answer<'a> {
    let results = found.names.iter().map(|name| database_row(name, &found.query)).collect();
    Answer { query: text, total: found.total, mistyped: found.is_mistyped, results }
}

fn database_row(name: &str, query: &Query) -> Row {
    let shown = Shown {
        field: Field::NAME,
        name: "name".to_owned(),
        text: name.to_owned(),
        is_in_row: true,
    };
    Row {
        name: name.to_owned(),
        title: String::new(),
        device: String::new(),
        remark: String::new(),
        page: format!("/db/{}", path::percent_encode(name)),
        health: "",
        marks: marked(query, &[shown]),
    }
}

fn row(view: &View, target: &Target, query: &Query) -> Row {
    let health = view.device(target).map_or(Health::Unknown, |device| device.health);
    Row {
        name: target.name.to_string(),
        title: target.title(),
        device: target.device.to_string(),
        remark: target.remark(),
        page: path::target(&target.name),
        health: if target.problem.is_some() { "silent" } else { health.name() },
        marks: marked(query, &shown(view, target)),
    }
}

fn shown(view: &View, target: &Target) -> Vec<Shown> {
    let own = |field, name: &str, text: &str| Shown {
        field,
        name: name.to_owned(),
        text: text.to_owned(),
        is_in_row: true,
    };
    let more = view.more_of(target);
    let mut all = vec![
        own(Field::NAME, "name", &target.name),
        own(Field::TITLE, "title", &target.title()),
        own(Field::DEVICE, "device", &target.device),
        own(Field::REMARK, "remark", &target.remark()),
        Shown { is_in_row: false, ..own(Field::ADDRESS, "address", &more.address) },
    ];
    // Without an index, labels are not looked at.
    if let Some(index) = view.index() {
        all.extend(more.labels.into_iter().map(|(name, text)| Shown {
            field: index.label(&name),
            name,
            text,
            is_in_row: false,
        }));
    }
    all
}

/// Where the words of a query stand in the texts of a result.
pub(crate) fn marked(query: &Query, shown: &[Shown]) -> Vec<Marked> {
    let texts = shown.iter().map(|shown| FieldText { field: shown.field, text: &shown.text });
    let marks = query.marks(&texts.collect::<Vec<_>>());
    marks.iter().filter_map(|mark| of_mark(mark, shown)).collect()
}

fn of_mark(Mark { text, bytes }: &Mark, shown: &[Shown]) -> Option<Marked> {
    let Shown { name, text, is_in_row, .. } = shown.get(*text)?;
    let units = |end: usize| text.get(..end).map(|before| before.encode_utf16().count());
    Some(Marked {
        field: name.clone(),
        text: (!is_in_row).then(|| text.clone()),
        start: units(bytes.start)?,
        end: units(bytes.end)?,
    })
}
