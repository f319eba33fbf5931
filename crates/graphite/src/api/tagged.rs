//! `/tags` and what is below it.

use std::collections::BTreeMap;

use series::{Comparison, Matcher, Source};

use super::answer::Answer;
use super::json::{append_all, append_text, texts};
use super::parameters::Parameters;
use crate::rows::tagged_name;
use crate::{Error, tags};

/// How many tags or values are offered, unless the request says.
const OFFERED: usize = 100;

/// Answers `/tags/autoComplete/tags`.
#[must_use]
pub fn complete_tags(parameters: &Parameters, source: &dyn Source) -> Answer {
    Answer::from_result(completed_tags(parameters, source))
}

fn completed_tags(parameters: &Parameters, source: &dyn Source) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let conditions = parameters.all("expr");
    let asked: Vec<&str> =
        conditions.iter().map(|it| tags::tag_of(it)).collect::<Result<_, _>>()?;
    let found = source.label_names(&tags::conditions(&conditions)?)?;
    let found = found.iter().map(|it| tags::tag(it)).filter(|it| !asked.contains(it));
    offered(parameters, found, "tagPrefix")
}

/// Answers `/tags/autoComplete/values`.
#[must_use]
pub fn complete_values(parameters: &Parameters, source: &dyn Source) -> Answer {
    Answer::from_result(completed_values(parameters, source))
}

fn completed_values(parameters: &Parameters, source: &dyn Source) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let label = tags::label(parameters.required("tag")?);
    let mut matchers = tags::conditions(&parameters.all("expr"))?;
    matchers.push(Matcher::new(label, Comparison::NotEqual, "")?);
    let found = source.label_values(label, &matchers)?;
    offered(parameters, found.iter().map(String::as_str), "valuePrefix")
}

/// The first texts that begin so, sorted.
fn offered<'a>(
    parameters: &Parameters,
    found: impl Iterator<Item = &'a str>,
    prefix: &str,
) -> Result<Answer, Error> {
    let limit = parameters.number("limit", "a whole number")?.unwrap_or(OFFERED);
    let prefix = parameters.get(prefix).unwrap_or_default();
    let mut found: Vec<&str> = found.filter(|it| it.starts_with(prefix)).collect();
    found.sort_unstable();
    found.truncate(limit);
    Ok(Answer::json(texts(found)))
}

/// Answers `/tags`: all tags.
#[must_use]
pub fn all_tags(parameters: &Parameters, source: &dyn Source) -> Answer {
    Answer::from_result(listed_tags(parameters, source))
}

fn listed_tags(parameters: &Parameters, source: &dyn Source) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let found = source.label_names(&[])?;
    let found = found.iter().map(|it| tags::tag(it));
    let mut out = vec![b'['];
    append_all(&mut out, filtered(parameters, found)?, |out, tag| {
        out.extend_from_slice(b"{\"tag\":");
        append_text(out, tag);
        out.push(b'}');
    });
    out.push(b']');
    Ok(Answer::json(out))
}

/// Texts whose beginning the parameter `filter` matches, sorted, up to `limit`.
fn filtered<'a>(
    parameters: &Parameters,
    found: impl Iterator<Item = &'a str>,
) -> Result<Vec<&'a str>, Error> {
    let filter = parameters.get("filter").unwrap_or_default();
    let filter = crate::pattern::pattern(&format!("^(?:{filter})"))?;
    let limit = parameters.number("limit", "a whole number")?.unwrap_or(usize::MAX);
    let mut found: Vec<&str> = found.filter(|it| filter.is_match(it)).collect();
    found.sort_unstable();
    found.truncate(limit);
    Ok(found)
}

/// Answers `/tags/TAG`: the values of a tag, each with the count of its series.
#[must_use]
pub fn one_tag(tag: &str, parameters: &Parameters, source: &dyn Source) -> Answer {
    Answer::from_result(listed_values(tag, parameters, source))
}

fn listed_values(tag: &str, parameters: &Parameters, source: &dyn Source) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let label = tags::label(tag);
    let described = source.describe(&[Matcher::new(label, Comparison::NotEqual, "")?])?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &described {
        *counts.entry(one.labels.get(label)).or_default() += 1;
    }
    let mut out = b"{\"tag\":".to_vec();
    append_text(&mut out, tag);
    out.extend_from_slice(b",\"values\":[");
    append_all(&mut out, filtered(parameters, counts.keys().copied())?, |out, value| {
        let count = counts.get(value).copied().unwrap_or(0);
        out.extend_from_slice(format!("{{\"count\":{count},\"value\":").as_bytes());
        append_text(out, value);
        out.push(b'}');
    });
    out.extend_from_slice(b"]}");
    Ok(Answer::json(out))
}

/// Answers `/tags/findSeries`: the names of series by conditions on their tags.
#[must_use]
pub fn find_series(parameters: &Parameters, source: &dyn Source) -> Answer {
    Answer::from_result(found_series(parameters, source))
}

fn found_series(parameters: &Parameters, source: &dyn Source) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let conditions = parameters.all("expr");
    if conditions.is_empty() {
        return Err(Error::NoParameter { name: "expr" });
    }
    let described = source.describe(&tags::matchers(&conditions)?)?;
    let mut names: Vec<String> = described.iter().map(|it| tagged_name(&it.labels)).collect();
    names.sort_unstable();
    names.dedup();
    Ok(Answer::json(texts(names.iter().map(String::as_str))))
}
