//! Aggregations that make one series of a group.

use crate::context::Context;
use crate::error::Failed;
use crate::grouping::Grouping;
use crate::regression::Sum;
use crate::vector::{ABSENT, Vector, is_absent};

/// What is made of the samples of a group at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aggregation {
    Sum,
    Min,
    Max,
    Avg,
    Group,
    Stddev,
    Stdvar,
    Count,
}

/// The sums of a group's samples at one time.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: f64,
    first: Sum,
    second: Sum,
}

/// Aggregates the series of each group.
///
/// # Errors
///
/// Too many values.
pub(crate) fn aggregate(
    context: &Context<'_>,
    aggregation: Aggregation,
    vector: &Vector,
    grouping: &Grouping,
) -> Result<Vector, Failed> {
    let groups = grouping.assign(&[&vector.labels]);
    context.take_values(groups.count, vector.width)?;
    let mut out = groups_of(vector, grouping, &groups.of_list[0]);
    let places = groups.of_list[0].iter().map(|group| *group as usize);
    match aggregation {
        Aggregation::Min => {
            fold(
                context,
                vector,
                places,
                &mut out,
                |it, new| {
                    if new < it || it.is_nan() { new } else { it }
                },
            )?
        }
        Aggregation::Max => {
            fold(
                context,
                vector,
                places,
                &mut out,
                |it, new| {
                    if new > it || it.is_nan() { new } else { it }
                },
            )?
        }
        Aggregation::Count | Aggregation::Group => {
            out.are_rates = false;
            count(context, aggregation, vector, places, &mut out)?;
        }
        _ => cells(context, aggregation, vector, places, &mut out)?,
    }
    Ok(out)
}

/// A series without values for each group, in the order in which the groups are counted.
pub(crate) fn groups_of(vector: &Vector, grouping: &Grouping, groups: &[u32]) -> Vector {
    let mut out = Vector { are_rates: vector.are_rates, ..Vector::new(vector.width) };
    for (nth, group) in groups.iter().enumerate() {
        if *group as usize == out.len() {
            out.push(grouping.kept(&vector.labels[nth]));
        }
    }
    out
}

fn fold(
    context: &Context<'_>,
    vector: &Vector,
    places: impl Iterator<Item = usize>,
    out: &mut Vector,
    chosen: impl Fn(f64, f64) -> f64,
) -> Result<(), Failed> {
    for (nth, place) in places.enumerate() {
        context.work(vector.width as u64)?;
        for (it, new) in out.column_mut(place).iter_mut().zip(vector.column(nth)) {
            if is_absent(*it) {
                *it = *new;
            } else if !is_absent(*new) {
                *it = chosen(*it, *new);
            }
        }
    }
    Ok(())
}

fn count(
    context: &Context<'_>,
    aggregation: Aggregation,
    vector: &Vector,
    places: impl Iterator<Item = usize>,
    out: &mut Vector,
) -> Result<(), Failed> {
    for (nth, place) in places.enumerate() {
        context.work(vector.width as u64)?;
        for (it, new) in out.column_mut(place).iter_mut().zip(vector.column(nth)) {
            if !is_absent(*new) {
                let is_first = is_absent(*it) || aggregation == Aggregation::Group;
                *it = if is_first { 1.0 } else { *it + 1.0 };
            }
        }
    }
    Ok(())
}

fn cells(
    context: &Context<'_>,
    aggregation: Aggregation,
    vector: &Vector,
    places: impl Iterator<Item = usize>,
    out: &mut Vector,
) -> Result<(), Failed> {
    let spreads = matches!(aggregation, Aggregation::Stddev | Aggregation::Stdvar);
    let width = vector.width;
    let mut cells = vec![Cell::default(); out.values.len()];
    for (nth, place) in places.enumerate() {
        context.work(width as u64)?;
        let row = &mut cells[place * width..][..width];
        for (cell, new) in row.iter_mut().zip(vector.column(nth)).filter(|(_, it)| !is_absent(**it))
        {
            if spreads { cell.spread(*new) } else { cell.add(*new) }
        }
    }
    for (value, cell) in out.values.iter_mut().zip(cells) {
        *value = cell.result(aggregation);
    }
    Ok(())
}

impl Cell {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.first.add(value);
    }

    /// Keeps the mean and the sum of squared differences from it (Welford).
    fn spread(&mut self, value: f64) {
        self.count += 1.0;
        let delta = value - self.first.total();
        self.first.add(delta / self.count);
        self.second.add(delta * (value - self.first.total()));
    }

    fn result(self, aggregation: Aggregation) -> f64 {
        if self.count == 0.0 {
            return ABSENT;
        }
        match aggregation {
            Aggregation::Avg => self.first.total() / self.count,
            Aggregation::Stdvar => self.second.total() / self.count,
            Aggregation::Stddev => (self.second.total() / self.count).sqrt(),
            _ => self.first.total(),
        }
    }
}
