//! `/functions`: the table of functions as JSON.

use std::collections::BTreeMap;

use super::answer::Answer;
use super::json::{append_all, append_number, append_text};
use super::parameters::Parameters;
use crate::aggregation::AGGREGATIONS;
use crate::function::Function;
use crate::functions;
use crate::parameter::{Kind, Otherwise, Parameter};

/// The module that graphite-web's functions are in: clients may look for it.
const MODULE: &str = "graphite.render.functions";

/// Answers `/functions`: all, those of the group `group`, or in groups if `grouped`.
#[must_use]
pub fn functions(parameters: &Parameters) -> Answer {
    let wanted = parameters.get("group");
    let all = functions::all().values().copied().chain([&BY_TAG]);
    let wanted = all.filter(|it| wanted.is_none_or(|group| it.group == group));
    let mut groups: BTreeMap<&str, BTreeMap<&str, &Function>> = BTreeMap::new();
    let is_grouped = parameters.is_set("grouped");
    for one in wanted {
        let group = if is_grouped { one.group } else { "" };
        groups.entry(group).or_default().insert(one.name, one);
    }
    let mut out = Vec::new();
    match is_grouped {
        false => append_named(&mut out, &groups.remove("").unwrap_or_default()),
        true => {
            out.push(b'{');
            append_all(&mut out, &groups, |out, (group, named)| {
                append_text(out, group);
                out.push(b':');
                append_named(out, named);
            });
            out.push(b'}');
        }
    }
    Answer::json(out)
}

/// Answers `/functions/NAME`.
#[must_use]
pub fn function(name: &str) -> Answer {
    let mut out = Vec::new();
    match functions::named(name).or((name == BY_TAG.name).then_some(&BY_TAG)) {
        Some(function) => {
            append_function(&mut out, function);
            Answer::json(out)
        }
        None => {
            out.extend_from_slice(b"{\"error\":");
            append_text(&mut out, &format!("Function not found: {name}"));
            out.push(b'}');
            Answer { status: 404, ..Answer::json(out) }
        }
    }
}

/// The one function whose arguments are no series, which the evaluation knows itself.
const BY_TAG: Function = Function {
    name: "seriesByTag",
    group: "Special",
    about: "Series whose tags meet all conditions: 'tag=value', 'tag!=value', 'tag=~pattern', \
            'tag!=~pattern'.",
    parameters: &[crate::parameter::text("tagExpressions").many()],
    body: |_| Ok(Vec::new()),
};

fn append_named(out: &mut Vec<u8>, named: &BTreeMap<&str, &Function>) {
    out.push(b'{');
    append_all(out, named, |out, (name, function)| {
        append_text(out, name);
        out.push(b':');
        append_function(out, function);
    });
    out.push(b'}');
}

fn append_function(out: &mut Vec<u8>, function: &Function) {
    for (before, text) in [
        ("{\"name\":", function.name),
        (",\"function\":", &signature(function)),
        (",\"description\":", function.about),
        (",\"module\":", MODULE),
        (",\"group\":", function.group),
    ] {
        out.extend_from_slice(before.as_bytes());
        append_text(out, text);
    }
    out.extend_from_slice(b",\"params\":[");
    append_all(out, function.parameters, append_parameter);
    out.extend_from_slice(b"]}");
}

/// `scale(seriesList, factor)`, as Python shows it.
fn signature(function: &Function) -> String {
    let parameter = |it: &Parameter| {
        let star = if it.is_many { "*" } else { "" };
        let default = match it.default {
            _ if it.is_many || it.is_required => String::new(),
            Otherwise::None => "=None".into(),
            Otherwise::Text(text) => format!("='{text}'"),
            Otherwise::Whole(whole) => format!("={whole}"),
            Otherwise::Real(real) => format!("={real}"),
            Otherwise::Boolean(true) => "=True".into(),
            Otherwise::Boolean(false) => "=False".into(),
            Otherwise::Infinity => "=inf".into(),
        };
        format!("{star}{}{default}", it.name)
    };
    let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
    format!("{}({})", function.name, parameters.join(", "))
}

fn append_parameter(out: &mut Vec<u8>, parameter: &Parameter) {
    out.extend_from_slice(b"{\"name\":");
    append_text(out, parameter.name);
    out.extend_from_slice(b",\"type\":");
    append_text(out, parameter.kind.name());
    if parameter.is_required {
        out.extend_from_slice(b",\"required\":true");
    }
    append_default(out, parameter.default);
    if parameter.is_many {
        out.extend_from_slice(b",\"multiple\":true");
    }
    for (name, words) in
        [("options", options(parameter)), ("suggestions", parameter.suggestions.to_vec())]
    {
        if !words.is_empty() {
            out.extend_from_slice(format!(",\"{name}\":[").as_bytes());
            append_all(out, words, append_word);
            out.push(b']');
        }
    }
    out.push(b'}');
}

/// A suggestion; a number without quotes.
fn append_word(out: &mut Vec<u8>, word: &str) {
    match word.bytes().all(|it| it.is_ascii_digit()) {
        true => out.extend_from_slice(word.as_bytes()),
        false => append_text(out, word),
    }
}

fn append_default(out: &mut Vec<u8>, default: Otherwise) {
    if default == Otherwise::None {
        return;
    }
    out.extend_from_slice(b",\"default\":");
    match default {
        Otherwise::None => (),
        Otherwise::Text(text) => append_text(out, text),
        Otherwise::Whole(whole) => out.extend_from_slice(whole.to_string().as_bytes()),
        Otherwise::Real(real) => append_number(out, real),
        Otherwise::Boolean(boolean) => out.extend_from_slice(boolean.to_string().as_bytes()),
        Otherwise::Infinity => append_number(out, f64::INFINITY),
    }
}

fn options(parameter: &Parameter) -> Vec<&'static str> {
    match parameter.kind {
        Kind::Aggregation => AGGREGATIONS.iter().map(|(name, _)| *name).collect(),
        Kind::AggregationOrFunction => {
            let named = AGGREGATIONS.iter().map(|(name, _)| *name);
            let mut all: Vec<_> = named.chain(functions::AGGREGATORS).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
        _ => parameter.options.to_vec(),
    }
}
