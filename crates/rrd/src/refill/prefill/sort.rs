//! The order that rrdtool brings supplies in.

use std::cmp::Ordering;

/// Sorts by a relation that may contradict itself: of equals, and of two that each go before the
/// other, the order is the one that rrdtool's way of sorting leaves, a quicksort around the first.
pub(super) fn sort<T: Copy>(items: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let pivot = items[0];
    let (mut left, mut right) = (1, items.len() - 1);
    while left < right {
        if compare(&items[left], &pivot).is_le() {
            left += 1;
        } else if compare(&items[right], &pivot).is_ge() {
            right -= 1;
        } else {
            items.swap(left, right);
        }
    }
    let middle = if compare(&items[left], &pivot).is_le() { left } else { left - 1 };
    items.swap(middle, 0);
    let (before, after) = items.split_at_mut(left);
    sort(before, compare);
    sort(after, compare);
}

#[cfg(test)]
mod tests {
    use super::sort;

    #[test]
    fn sorts_what_has_an_order() {
        let mut numbers: Vec<u32> = (0..50).map(|nth| nth * 37 % 50).collect();
        sort(&mut numbers, &u32::cmp);
        assert_eq!(numbers, (0..50).collect::<Vec<_>>());
    }
}
