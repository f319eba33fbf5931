//! `and`, `or` and `unless`: series that are there because others are, or are not.

use series::Labels;

use crate::context::Context;
use crate::error::Failed;
use crate::grouping::Grouping;
use crate::operators::SetOperator;
use crate::vector::{ABSENT, Vector, is_absent};

/// Which groups have a sample at which time.
struct Presence {
    bits: Vec<bool>,
    width: usize,
}

impl Presence {
    fn of(vector: &Vector, groups: &[u32], count: usize) -> Self {
        let (width, mut bits) = (vector.width, vec![false; count * vector.width]);
        for (nth, group) in groups.iter().enumerate() {
            let row = &mut bits[*group as usize * width..][..width];
            let column = vector.column(nth);
            row.iter_mut().zip(column).for_each(|(bit, value)| *bit |= !is_absent(*value));
        }
        Self { bits, width }
    }

    fn of_group(&self, group: u32) -> &[bool] {
        &self.bits[group as usize * self.width..][..self.width]
    }
}

/// The set that an operator makes of two.
///
/// # Errors
///
/// Too many values.
pub(crate) fn combine(
    context: &Context<'_>,
    operator: SetOperator,
    left: Vector,
    right: Vector,
    grouping: &Grouping,
) -> Result<Vector, Failed> {
    let groups = grouping.assign(&[&left.labels, &right.labels]);
    context.take_values(groups.count, left.width)?;
    let [of_left, of_right] = [&groups.of_list[0], &groups.of_list[1]];
    match operator {
        SetOperator::And => {
            Ok(kept(left, of_left, &Presence::of(&right, of_right, groups.count), true))
        }
        SetOperator::Unless => {
            Ok(kept(left, of_left, &Presence::of(&right, of_right, groups.count), false))
        }
        SetOperator::Or => {
            let presence = Presence::of(&left, of_left, groups.count);
            joined(left, kept(right, of_right, &presence, false))
        }
    }
}

/// The samples of groups that are present elsewhere, or that are not.
fn kept(mut vector: Vector, groups: &[u32], presence: &Presence, if_present: bool) -> Vector {
    for (nth, group) in groups.iter().enumerate() {
        let bits = presence.of_group(*group);
        let column = vector.column_mut(nth);
        for (value, _) in column.iter_mut().zip(bits).filter(|(_, bit)| **bit != if_present) {
            *value = ABSENT;
        }
    }
    vector
}

/// Both sets. A series that is in both is one, for the right one has nothing where the left has.
fn joined(mut left: Vector, right: Vector) -> Result<Vector, Failed> {
    left.are_rates &= right.are_rates || right.labels.is_empty();
    left.labels.extend(right.labels);
    left.values.extend(right.values);
    left.merged(|_: &Labels| Failed::SameLabels)
}
