//! `histogram_quantile` over buckets that are series, told apart by the label `le`.

use series::METRIC_NAME;

use crate::aggregate::groups_of;
use crate::context::Context;
use crate::error::Failed;
use crate::grouping::Grouping;
use crate::vector::{Vector, is_absent};

/// The label with a bucket's upper bound.
const BOUND: &str = "le";

/// Samples up to a bound, as one number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bucket {
    bound: f64,
    count: f64,
}

/// The value below which a share of what the buckets count lies.
///
/// # Errors
///
/// Too many values.
pub(crate) fn quantile(
    context: &Context<'_>,
    shares: &[f64],
    vector: &Vector,
) -> Result<Vector, Failed> {
    let bounds: Vec<Option<f64>> =
        vector.labels.iter().map(|it| it.get(BOUND).parse().ok()).collect();
    let grouping = Grouping::without(&[BOUND.to_owned(), METRIC_NAME.to_owned()]);
    let groups = grouping.assign(&[&vector.labels]);
    context.take_values(groups.count, vector.width)?;
    let mut out = groups_of(vector, &grouping, &groups.of_list[0]);
    let mut members = vec![Vec::new(); groups.count];
    for (nth, group) in groups.of_list[0].iter().enumerate() {
        members[*group as usize].extend(bounds[nth].map(|bound| (bound, nth)));
    }
    for (group, members) in members.iter().enumerate() {
        for (time, share) in shares.iter().enumerate() {
            context.work(members.len() as u64)?;
            let buckets = members
                .iter()
                .map(|(bound, nth)| Bucket { bound: *bound, count: vector.column(*nth)[time] });
            let present: Vec<Bucket> = buckets.filter(|it| !is_absent(it.count)).collect();
            if !present.is_empty() {
                out.column_mut(group)[time] = of_buckets(*share, present);
            }
        }
    }
    Ok(out)
}

fn of_buckets(share: f64, mut buckets: Vec<Bucket>) -> f64 {
    if share.is_nan() {
        return f64::NAN;
    }
    if !(0.0..=1.0).contains(&share) {
        return if share < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    buckets.sort_by(|one, other| one.bound.total_cmp(&other.bound));
    buckets.dedup_by(|next, kept| {
        let is_same = next.bound == kept.bound;
        kept.count += if is_same { next.count } else { 0.0 };
        is_same
    });
    // Counts of a bucket hold those of the ones below it, however the series were read.
    let mut most = f64::NEG_INFINITY;
    for bucket in &mut buckets {
        most = most.max(bucket.count);
        bucket.count = most;
    }
    let [.., before_last, last] = buckets[..] else { return f64::NAN };
    if last.bound != f64::INFINITY || last.count == 0.0 || last.count.is_nan() {
        return f64::NAN;
    }
    let mut rank = share * last.count;
    let place = buckets[..buckets.len() - 1].partition_point(|it| it.count < rank);
    if place == buckets.len() - 1 {
        return before_last.bound;
    }
    if place == 0 && buckets[0].bound <= 0.0 {
        return buckets[0].bound;
    }
    let Bucket { bound: end, mut count } = buckets[place];
    let mut start = 0.0;
    if let Some(below) = place.checked_sub(1).map(|nth| buckets[nth]) {
        start = below.bound;
        count -= below.count;
        rank -= below.count;
    }
    start + (end - start) * (rank / count)
}
