//! Names of series.

use crate::Error;
use crate::aggregation::Aggregation;
use crate::argument::Argument;
use crate::function::{Function, Invocation, functions};
use crate::nodes::key;
use crate::number_text::{python_float, two_places};
use crate::parameter::{SERIES, node_or_tag, text};
use crate::pattern::{pattern, replacement};
use crate::time_series::TimeSeries;

use super::group::part_of;

pub(super) const FUNCTIONS: &[Function] = functions! { "Alias";
    "alias"(SERIES, text("newName")) "Names series." => alias;
    "aliasByMetric"(SERIES) "Names series by the last part of their paths." => by_metric;
    "aliasByNode"(SERIES, node_or_tag("nodes").many())
        "Names series by parts of their paths, or by tags." => by_nodes;
    "aliasByTags"(SERIES, node_or_tag("tags").many())
        "Names series by tags, or by parts of their paths." => by_nodes;
    "aliasSub"(SERIES, text("search"), text("replace"))
        "Replaces what a pattern matches in the names of series." => substitute;
    "aliasQuery"(SERIES, text("search"), text("replace"), text("newName"))
        "Names series by the last value of others, whose names a pattern makes of theirs." => query;
    "legendValue"(SERIES, text("valuesTypes").many().optional())
        "Names series with aggregations of their values." => legend_value;
    "cactiStyle"(SERIES, text("system").optional().one_of(&["si", "binary"]), text("units").optional())
        "Names series with their last, largest and smallest values, in columns." => cacti_style;
};

fn alias(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    series.iter_mut().for_each(|it| call.text(1).clone_into(&mut it.name));
    Ok(series)
}

fn by_metric(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    series.iter_mut().for_each(|it| it.name = part_of(&it.name, -1, 0));
    Ok(series)
}

fn by_nodes(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    for it in &mut series {
        it.name = key(it, &call.rest, call.world);
    }
    Ok(series)
}

fn substitute(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let (search, replace) = (pattern(call.text(1))?, replacement(call.text(2)));
    for it in &mut series {
        it.name = search.replace_all(&it.name, &replace).into_owned();
        call.world.take(it.name.len() as u64 / 8)?;
    }
    Ok(series)
}

fn query(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let (search, replace) = (pattern(call.text(1))?, replacement(call.text(2)));
    for it in &mut series {
        let target = search.replace_all(&it.name, &replace).into_owned();
        let mut context = call.context.clone();
        let found = call.world.evaluate_text(&target, &mut context)?;
        let last = found.first().map_or(f64::NAN, |it| Aggregation::Last.of(&it.values));
        if last.is_nan() {
            return Err(call.wrong_series(format!("a series {target:?} with a value")));
        }
        it.name = with_value(call.text(3), last);
    }
    Ok(series)
}

/// A name whose one format is filled in: `%d`, `%s`, or one of C for a number.
fn with_value(name: &str, value: f64) -> String {
    let Some(at) = name.find('%') else { return name.to_owned() };
    let (before, rest) = name.split_at(at);
    if let Some(behind) = rest.strip_prefix("%d") {
        return format!("{before}{}{behind}", value.trunc() as i64);
    }
    if let Some(behind) = rest.strip_prefix("%s") {
        return format!("{before}{}{behind}", python_float(value));
    }
    match rrd::cformat::FloatFormat::parse(rest) {
        Some((format, behind)) => format!("{before}{}{behind}", format.text(value)),
        None => name.to_owned(),
    }
}

/// A system of prefixes.
#[derive(Clone, Copy)]
enum Prefixes {
    Decimal,
    Binary,
}

impl Prefixes {
    fn named(name: &str) -> Option<Self> {
        match name {
            "si" => Some(Self::Decimal),
            "binary" => Some(Self::Binary),
            _ => None,
        }
    }

    /// A value with its prefix.
    fn text(self, value: f64, gap: &str, units: &str) -> String {
        let (base, names): (f64, _) = match self {
            Self::Decimal => (1000.0, ["P", "T", "G", "M", "k"]),
            Self::Binary => (1024.0, ["Pi", "Ti", "Gi", "Mi", "Ki"]),
        };
        let sized = names.into_iter().zip((1..=5).rev()).map(|(name, nth)| (name, base.powi(nth)));
        let found = sized.clone().find(|(_, size)| value.abs() >= *size);
        let (prefix, size) = found.unwrap_or(("", 1.0));
        let mut part = value / size;
        if part - part.floor() < 0.000_000_000_01 && value > 1.0 {
            part = part.floor();
        }
        format!("{}{gap}{prefix}{units}", two_places(part))
    }
}

fn legend_value(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let mut kinds: Vec<String> = call.rest.iter().map(Argument::shown).collect();
    let prefixes = kinds.last().and_then(|it| Prefixes::named(it));
    if prefixes.is_some() {
        kinds.pop();
    }
    for kind in kinds {
        let aggregation = Aggregation::named(&kind);
        for it in &mut series {
            let value = aggregation.map(|aggregation| aggregation.of(&it.values));
            it.name = match prefixes {
                None => format!("{} ({kind}: {})", it.name, value_text(aggregation, value)),
                Some(prefixes) => {
                    let text = match value {
                        None => "(?)".into(),
                        Some(value) if value.is_nan() => "None".into(),
                        Some(value) => prefixes.text(value, "", ""),
                    };
                    format!("{:<20}{kind:<5}{text:<10}", it.name)
                }
            };
        }
    }
    Ok(series)
}

fn value_text(aggregation: Option<Aggregation>, value: Option<f64>) -> String {
    match (aggregation, value) {
        (_, None) => "(?)".into(),
        (_, Some(value)) if value.is_nan() => "None".into(),
        (Some(Aggregation::Count), Some(value)) => (value as i64).to_string(),
        (_, Some(value)) => python_float(value),
    }
}

fn cacti_style(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let prefixes = Prefixes::named(call.text(1));
    let units = call.text(2).to_owned();
    let text = |value: f64| {
        let gap = if units.is_empty() { "" } else { " " };
        match prefixes {
            Some(prefixes) => prefixes.text(value, gap, &units),
            None => format!("{}{gap}{units}", two_places(value)),
        }
    };
    let shown = |value: f64| if value.is_nan() { "nan".into() } else { text(value) };
    let kinds = [Aggregation::Last, Aggregation::Maximum, Aggregation::Minimum];
    // As graphite-web: a column is as wide as the widest whole number, where 3 stands for none and 0.
    let width = |kind: Aggregation| {
        let whole = |it: &TimeSeries| match kind.of(&it.values) {
            value if value.is_nan() || value == 0.0 => 3.0,
            value => value.trunc(),
        };
        series.iter().map(|it| text(whole(it)).chars().count()).max().unwrap_or(0) + 3
    };
    let [last, most, least] = kinds.map(width);
    let name = series.iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
    for it in &mut series {
        let [current, maximum, minimum] = kinds.map(|kind| shown(kind.of(&it.values)));
        it.name = format!(
            "{:<name$} Current:{current:<last$} Max:{maximum:<most$} Min:{minimum:<least$} ",
            it.name
        );
    }
    Ok(series)
}
