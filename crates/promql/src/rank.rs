//! Aggregations that need all samples of a group at once: `topk`, `bottomk`, `quantile`,
//! `count_values`.

use std::cmp::Ordering;

use series::Label;

use crate::aggregate::groups_of;
use crate::context::Context;
use crate::error::Failed;
use crate::grouping::Grouping;
use crate::number;
use crate::regression;
use crate::vector::{ABSENT, Vector, is_absent};

/// Which samples of a group are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Largest,
    Smallest,
}

impl Extreme {
    /// The order in which the best sample is first, and NaN last.
    fn order(self, one: f64, other: f64) -> Ordering {
        match (one.is_nan(), other.is_nan(), self) {
            (false, false, Self::Largest) => other.total_cmp(&one),
            (false, false, Self::Smallest) => one.total_cmp(&other),
            (one, other, _) => one.cmp(&other),
        }
    }
}

/// The series of each group, in their order.
fn members(groups: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); count];
    for (nth, group) in groups.iter().enumerate() {
        members[*group as usize].push(nth as u32);
    }
    members
}

/// Keeps the `count` best samples of each group at each time.
///
/// # Errors
///
/// A count that is no whole number of 64 bits.
pub(crate) fn extremes(
    context: &Context<'_>,
    extreme: Extreme,
    vector: Vector,
    grouping: &Grouping,
    counts: &[f64],
) -> Result<Vector, Failed> {
    let counts = counts.iter().map(|count| whole(*count)).collect::<Result<Vec<_>, _>>()?;
    let groups = grouping.assign(&[&vector.labels]);
    let members = members(&groups.of_list[0], groups.count);
    let mut kept = vec![ABSENT; vector.values.len()];
    for members in &members {
        let mut present: Vec<u32> = Vec::with_capacity(members.len());
        for (time, count) in counts.iter().enumerate() {
            context.work(members.len() as u64)?;
            let value = |nth: u32| vector.values[nth as usize * vector.width + time];
            present.clear();
            present.extend(members.iter().filter(|nth| !is_absent(value(**nth))));
            // Of equal samples the first series stays.
            let order = |one: &u32, other: &u32| {
                extreme.order(value(*one), value(*other)).then(one.cmp(other))
            };
            if *count < present.len() && *count > 0 {
                present.select_nth_unstable_by(*count - 1, order);
            }
            for nth in present.iter().take(*count) {
                kept[*nth as usize * vector.width + time] = value(*nth);
            }
        }
    }
    Ok(ranked(extreme, Vector { values: kept, ..vector }, &members))
}

/// The series of each group that have a sample left; for a single time the best first.
fn ranked(extreme: Extreme, vector: Vector, members: &[Vec<u32>]) -> Vector {
    let mut out = Vector { is_ordered: true, ..Vector::new(vector.width) };
    for members in members {
        let has_sample =
            |nth: &&u32| vector.column(**nth as usize).iter().any(|value| !is_absent(*value));
        let mut left: Vec<u32> = members.iter().filter(has_sample).copied().collect();
        if vector.width == 1 {
            let value = |nth: &u32| vector.values[*nth as usize];
            left.sort_by(|one, other| extreme.order(value(one), value(other)));
        }
        for nth in left {
            let column = vector.column(nth as usize);
            out.push(vector.labels[nth as usize].clone()).copy_from_slice(column);
        }
    }
    out
}

/// A number of series: none if it is below one.
fn whole(count: f64) -> Result<usize, Failed> {
    match count {
        count if count.is_nan() || count >= 9.2e18 || count <= -9.2e18 => Err(Failed::Argument {
            function: "topk and bottomk".to_owned(),
            expected: "a number that fits in int64",
            found: number::value_text(count),
        }),
        count => Ok(count.max(0.0) as usize),
    }
}

/// The value below which a share of each group lies.
///
/// # Errors
///
/// Too many values.
pub(crate) fn quantile(
    context: &Context<'_>,
    vector: &Vector,
    grouping: &Grouping,
    shares: &[f64],
) -> Result<Vector, Failed> {
    let groups = grouping.assign(&[&vector.labels]);
    context.take_values(groups.count, vector.width)?;
    let mut out = groups_of(vector, grouping, &groups.of_list[0]);
    for (group, members) in members(&groups.of_list[0], groups.count).iter().enumerate() {
        let mut present = Vec::with_capacity(members.len());
        for (time, share) in shares.iter().enumerate() {
            context.work(members.len() as u64)?;
            let values = members.iter().map(|nth| vector.column(*nth as usize)[time]);
            present.clear();
            present.extend(values.filter(|value| !is_absent(*value)));
            if !present.is_empty() {
                out.column_mut(group)[time] = regression::quantile(*share, &mut present);
            }
        }
    }
    Ok(out)
}

/// How many samples of each group have which value; the value stands in a label.
///
/// # Errors
///
/// Too many values.
pub(crate) fn count_values(
    context: &Context<'_>,
    vector: &Vector,
    grouping: &Grouping,
    label: &str,
) -> Result<Vector, Failed> {
    let groups = grouping.assign(&[&vector.labels]);
    let mut out = Vector::new(vector.width);
    let mut series = std::collections::HashMap::new();
    for (nth, group) in groups.of_list[0].iter().enumerate() {
        context.work(vector.width as u64)?;
        for (time, value) in
            vector.column(nth).iter().enumerate().filter(|(_, it)| !is_absent(**it))
        {
            let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
            let place = match series.get(&(*group, bits)) {
                Some(place) => *place,
                None => {
                    context.take_values(1, vector.width)?;
                    let mut labels = grouping.kept(&vector.labels[nth]);
                    labels.set(Label::new(label, number::value_text(*value)));
                    out.push(labels);
                    series.insert((*group, bits), out.len() - 1);
                    out.len() - 1
                }
            };
            let count = &mut out.column_mut(place)[time];
            *count = if is_absent(*count) { 1.0 } else { *count + 1.0 };
        }
    }
    // A label of the group that the value took over may have told groups apart.
    out.merged(|_| Failed::SameLabels)
}
