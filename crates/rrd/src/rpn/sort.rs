//! The order of SORT, MEDIAN and PERCENT.
//!
//! rrdtool hands the C library a comparison that contradicts itself where infinities are. What
//! comes of that is decided by the steps of the sort; so they are the C library's: halves are
//! sorted and merged.

use std::cmp::Ordering;

/// Sorts ascending, unknowns first, infinities where rrdtool puts them.
pub fn sort(values: &mut [f64]) {
    let mut room = values.to_vec();
    merge_sort(values, &mut room);
}

fn merge_sort(values: &mut [f64], room: &mut [f64]) {
    if values.len() <= 1 {
        return;
    }
    let middle = values.len() / 2;
    let (low, high) = values.split_at_mut(middle);
    merge_sort(low, room);
    merge_sort(high, room);
    let (mut low, mut high) = (&*low, &*high);
    let room = &mut room[..low.len() + high.len()];
    for place in &mut *room {
        let takes_low = match (low.first(), high.first()) {
            (Some(a), Some(b)) => order(*a, *b) != Ordering::Greater,
            (first, _) => first.is_some(),
        };
        let from = if takes_low { &mut low } else { &mut high };
        if let Some((value, rest)) = from.split_first() {
            *place = *value;
            *from = rest;
        }
    }
    values.copy_from_slice(room);
}

fn order(a: f64, b: f64) -> Ordering {
    match () {
        () if a.is_nan() || b.is_nan() => b.is_nan().cmp(&a.is_nan()),
        () if a.is_infinite() => a.total_cmp(&0.0),
        // The sign is that of `b`, not the one that would put `b` in its place.
        () if b.is_infinite() => b.total_cmp(&0.0),
        () => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
    }
}
