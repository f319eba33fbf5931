//! `gyre config check --intake`: how samples of agents are taken, and what becomes of a series.

use std::fmt::Write as _;
use std::path::Path;

use intake::{Explained, Settings};
use promql_parser::label::{MatchOp, Matcher};
use promql_parser::parser::{Expr, parse};
use senders::{Form, Identity, Kind, Series, VALUE};
use serde_json::{Value, json};

use super::{Failure, answer_json};
use crate::command_line::answer;
use crate::hearing::Prepared;

/// Checks a file, and says what becomes of a series if one is named.
pub(super) fn run(file: &Path, series: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let shown = file.display().to_string();
    let prepared = match Prepared::read(file) {
        Ok(prepared) => prepared,
        Err(error) if as_json => {
            let error = error.to_string();
            answer_json(&json!({ "file": shown, "valid": false, "error": error }))?;
            return Err(Failure::Told);
        }
        Err(error) => return Err(error.into()),
    };
    let settings = &prepared.settings;
    let fate = series.map(|series| Fate::of(settings, series)).transpose()?;
    match as_json {
        true => answer_json(&json!({
            "file": shown,
            "valid": true,
            "rules": settings.rules.count(),
            "http": settings.http,
            "sockets": sockets(settings),
            "series": fate.map(|it| it.json()),
        })),
        false => {
            let fate = fate.map(|it| it.text()).unwrap_or_default();
            let rules = settings.rules.count();
            Ok(answer(&format!("{fate}{shown}: valid: {rules} rules; {}\n", taken(settings)))?)
        }
    }
}

fn sockets(settings: &Settings) -> Value {
    let sockets = settings.sockets.iter();
    sockets.map(|(protocol, address)| (protocol.name(), address.to_string())).collect()
}

/// What is taken where, in words.
fn taken(settings: &Settings) -> String {
    let http = settings.http.then(|| "HTTP beside web pages".to_owned());
    let sockets = settings.sockets.iter();
    let sockets = sockets.map(|(protocol, address)| format!("{protocol} at {address}"));
    sockets.chain(http).collect::<Vec<_>>().join(", ")
}

/// What becomes of a series.
struct Fate<'a> {
    series: &'a str,
    explained: Explained,
}

impl<'a> Fate<'a> {
    fn of(settings: &Settings, series: &'a str) -> Result<Self, Failure> {
        let (identity, form) =
            meant(series).ok_or_else(|| Failure::Series { series: series.to_owned() })?;
        let sources = [(VALUE, Kind::Gauge)];
        Ok(Self { series, explained: settings.rules.explained(&identity, form, &sources) })
    }

    fn text(&self) -> String {
        let Explained { rule, database, arguments } = &self.explained;
        let rule = rule.map_or("none matches".to_owned(), |nth| nth.to_string());
        let mut text = format!("series    {}\nrule      {rule}\n", self.series);
        let _ = match (arguments, database) {
            (None, _) => writeln!(text, "database  none: the rule drops it"),
            (_, Err(why)) => writeln!(text, "database  none: {why}"),
            (Some(arguments), Ok(name)) => {
                writeln!(text, "database  {name}\ncreate    {}", arguments.join(" "))
            }
        };
        text
    }

    fn json(&self) -> Value {
        let Explained { rule, database, arguments } = &self.explained;
        let database = arguments.is_some().then_some(database);
        json!({
            "name": self.series,
            "rule": rule,
            "is_dropped": arguments.is_none(),
            "database": database.and_then(|name| name.as_ref().ok()),
            "error": database.and_then(|name| name.as_ref().err()).map(ToString::to_string),
            "arguments": arguments,
        })
    }
}

/// The series that a text means: `a.b.c`, `name;tag=value`, `name{label="value"}`, or
/// `host/plugin/type` of collectd.
fn meant(text: &str) -> Option<(Identity, Form)> {
    if text.contains('{') {
        return Some((selected(text)?, Form::Labelled));
    }
    if text.contains('/') {
        let identity = Identity { name: text.to_owned(), labels: Vec::new() };
        return Some((identity, Form::File));
    }
    let series = Series::Graphite(text);
    Some((series.identity(), series.form()))
}

fn selected(text: &str) -> Option<Identity> {
    let Ok(Expr::VectorSelector(selector)) = parse(text) else { return None };
    let label = |matcher: &Matcher| {
        let is_equal = matches!(matcher.op, MatchOp::Equal);
        is_equal.then(|| (matcher.name.clone().into(), matcher.value.clone().into()))
    };
    let labels: Option<Vec<_>> = selector.matchers.matchers.iter().map(label).collect();
    Some(Identity::new(selector.name.unwrap_or_default(), labels?))
}
