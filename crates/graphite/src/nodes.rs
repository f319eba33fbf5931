//! What series are grouped and named by: parts of their paths, and tags.

use crate::argument::Argument;
use crate::function::World;
use crate::language::Number;
use crate::time_series::TimeSeries;

/// The parts and tags of a series, with dots between them.
pub(crate) fn key(series: &TimeSeries, nodes: &[Argument], world: &dyn World) -> String {
    // A name that a function made has the path within it.
    let made = series.name.ends_with(')').then(|| world.first_path(&series.name)).flatten();
    let path = made.as_deref().unwrap_or(&series.name);
    let path = path.split(';').next().unwrap_or_default();
    nodes.iter().map(|node| part(series, path, node)).collect::<Vec<_>>().join(".")
}

fn part(series: &TimeSeries, path: &str, node: &Argument) -> String {
    let number = match node {
        Argument::Number(Number::Whole(whole)) => Some(*whole),
        Argument::Number(Number::Real(real)) if real.fract() == 0.0 => Some(*real as i64),
        _ => None,
    };
    let found = number.and_then(|number| nth_part(path, number));
    let tag = || series.tags.get(&node.shown()).cloned().unwrap_or_default();
    found.map_or_else(tag, str::to_owned)
}

/// A part of a path, counted from its end if the number is negative.
fn nth_part(path: &str, number: i64) -> Option<&str> {
    let distance = usize::try_from(number.unsigned_abs()).ok()?;
    match number < 0 {
        true => path.rsplit('.').nth(distance - 1),
        false => path.split('.').nth(distance),
    }
}

/// Groups of series with the same key, in the order in which their first ones come.
pub(crate) fn grouped(
    series: Vec<TimeSeries>,
    mut key: impl FnMut(&TimeSeries) -> String,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for one in series {
        let key = key(&one);
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.series.push(one),
            None => groups.push(Group { key, series: vec![one] }),
        }
    }
    groups
}

/// Series with the same key.
pub(crate) struct Group {
    pub(crate) key: String,
    pub(crate) series: Vec<TimeSeries>,
}
