//! Series in groups, each joined to one.

use crate::Error;
use crate::argument::{Argument, aggregation_named};
use crate::function::{Function, Invocation, functions};
use crate::nodes::{Group, grouped, key};
use crate::parameter::{
    LISTS, Otherwise, SERIES, callback, integer, node, node_or_tag, series, tag, text,
};
use crate::time_series::{TimeSeries, tags_of};

use super::combine::join;

pub(super) const FUNCTIONS: &[Function] = functions! { "Combine";
    "group"(LISTS.optional()) "The series of all lists." => |it| Ok(it.lists());
    "groupByNode"(SERIES, node_or_tag("nodeNum"), callback().or(Otherwise::Text("average")))
        "Series with the same part of their paths, or the same tag, joined." => by_node;
    "groupByNodes"(SERIES, callback(), node_or_tag("nodes").many().optional())
        "Series with the same parts of their paths, or the same tags, joined." => by_nodes;
    "groupByTags"(SERIES, callback(), tag("tags").many())
        "Series with the same tags, joined." => by_tags;
    "applyByNode"(SERIES, integer("nodeNum"), text("templateFunction"), text("newName").optional())
        "A target for each beginning of the paths, which takes the place of %." => apply;
    "fallbackSeries"(SERIES, series("fallback"))
        "The first list, or the second if the first is empty." => fallback;
    "unique"(LISTS) "The series of all lists, each name once." => unique;
    "substr"(SERIES, node("start").or(Otherwise::Whole(0)), node("stop").or(Otherwise::Whole(0)))
        "Names series by some parts of their paths." => substr;
};

fn by_node(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let node = std::mem::take(&mut call.arguments[1]);
    let callback = call.text(2).to_owned();
    by(call, &callback, &[node])
}

fn by_nodes(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let nodes = std::mem::take(&mut call.rest);
    let callback = call.text(1).to_owned();
    by(call, &callback, &nodes)
}

fn by(
    call: &mut Invocation<'_>,
    callback: &str,
    nodes: &[Argument],
) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    let world = call.world;
    let mut made = Vec::new();
    for group in grouped(series, |it| key(it, nodes, world)) {
        let title = group.key.clone();
        if let Some(joined) = joined(call, callback, group)? {
            made.push(TimeSeries { name: title, ..joined });
        }
    }
    Ok(made)
}

/// A group joined by a function or an aggregation.
fn joined(
    call: &mut Invocation<'_>,
    callback: &str,
    group: Group,
) -> Result<Option<TimeSeries>, Error> {
    let is_plain = aggregation_named(callback).is_some() && !callback.ends_with("Series");
    let is_function = super::combine::AGGREGATORS.contains(&callback);
    let made = match is_function {
        true => call.world.join(callback, group.series, call.context).unwrap_or(Ok(Vec::new()))?,
        false if is_plain => join(call, &group.series, callback, None)?,
        false => {
            let name = aggregation_named(callback).map_or("average", |(_, name)| name);
            join(call, &group.series, name, None)?
        }
    };
    Ok(made.into_iter().next())
}

fn by_tags(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    let callback = call.text(1).to_owned();
    let mut tags: Vec<String> = call.rest.iter().map(Argument::shown).collect();
    let by_name = tags.iter().any(|it| it == "name");
    tags.retain(|it| it != "name");
    let name_of = |it: &TimeSeries| it.tags.get("name").cloned().unwrap_or_default();
    let first = series.first().map(name_of).unwrap_or_default();
    let is_same = series.iter().all(|it| name_of(it) == first);
    let common = if is_same { first } else { callback.clone() };
    let key = |it: &TimeSeries| {
        let mut parts: Vec<String> = tags
            .iter()
            .map(|tag| format!(";{tag}={}", it.tags.get(tag).map_or("", |value| value)))
            .collect();
        parts.sort_unstable();
        let name = if by_name { name_of(it) } else { common.clone() };
        name + &parts.concat()
    };
    let mut made = Vec::new();
    for group in grouped(series, key) {
        let title = group.key.clone();
        if let Some(mut joined) = joined(call, &callback, group)? {
            joined.tags = tags_of(&title);
            joined.rename(title);
            made.push(joined);
        }
    }
    Ok(made)
}

fn apply(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    let Some(last) = series.last() else { return Ok(Vec::new()) };
    let (start, end) = (last.start, last.end);
    let parts = usize::try_from(call.whole(1))
        .map_err(|_| call.wrong(1, "a part of a path, from 0"))?
        .saturating_add(1);
    let mut prefixes: Vec<String> = series
        .iter()
        .map(|it| it.name.split('.').take(parts).collect::<Vec<_>>().join("."))
        .collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    let mut made = Vec::new();
    for prefix in prefixes {
        let target = call.text(2).replace('%', &prefix);
        let mut context = call.context.clone();
        for mut one in call.world.evaluate_text(&target, &mut context)? {
            if let Some(name) = call.text_if_given(3) {
                one.name = name.replace('%', &prefix);
            }
            one.path.clone_from(&prefix);
            (one.start, one.end) = (start, end);
            made.push(one);
        }
    }
    Ok(made)
}

fn fallback(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let series = call.series(0);
    Ok(if series.is_empty() { call.series(1) } else { series })
}

fn unique(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut seen = std::collections::HashSet::new();
    let mut series = call.lists();
    series.retain(|it| seen.insert(it.name.clone()));
    Ok(series)
}

fn substr(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let (start, stop) = (call.whole(1), call.whole(2));
    for one in &mut series {
        one.name = part_of(&one.name, start, stop);
    }
    Ok(series)
}

/// Some parts of the path within a name, counted from its end if negative; to the end if `stop` is
/// 0.
pub(super) fn part_of(name: &str, start: i64, stop: i64) -> String {
    let left = name.rfind('(').map_or(0, |at| at + 1);
    let right = name.find(')').unwrap_or(name.len());
    let parts: Vec<&str> = name.get(left..right).unwrap_or_default().split('.').collect();
    let place = |at: i64| match usize::try_from(at) {
        Ok(at) => at.min(parts.len()),
        Err(_) => {
            parts.len().saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX))
        }
    };
    let stop = if stop == 0 { parts.len() } else { place(stop) };
    let path = parts.get(place(start)..stop).unwrap_or_default().join(".");
    path.split(',').next().unwrap_or_default().to_owned()
}
