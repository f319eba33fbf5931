//! The order of the series of an answer.

use std::cmp::Ordering;

use crate::regression::nan_first;
use crate::vector::Vector;

/// A vector whose series stand in the order of a comparison of their numbers.
fn reordered(vector: &Vector, compare: impl Fn(usize, usize) -> Ordering) -> Vector {
    let mut order: Vec<usize> = (0..vector.len()).collect();
    order.sort_by(|one, other| compare(*one, *other));
    let mut sorted = Vector { is_ordered: true, ..Vector::new(vector.width) };
    for nth in order {
        sorted.push(vector.labels[nth].clone()).copy_from_slice(vector.column(nth));
    }
    sorted
}

/// Sorted by value, NaN last. Series of several times have no such order.
pub(crate) fn by_value(vector: Vector, is_descending: bool) -> Vector {
    if vector.width != 1 {
        return vector;
    }
    reordered(&vector, |one, other| {
        let (one, other) = (vector.values[one], vector.values[other]);
        match (one.is_nan(), other.is_nan(), is_descending) {
            (false, false, true) => nan_first(other, one),
            (false, false, false) => nan_first(one, other),
            (one, other, _) => one.cmp(&other),
        }
    })
}

/// Sorted by the values of labels, numbers in them as numbers.
pub(crate) fn by_label(vector: Vector, names: &[String], is_descending: bool) -> Vector {
    if vector.width != 1 {
        return vector;
    }
    reordered(&vector, |one, other| {
        let (one, other) = (&vector.labels[one], &vector.labels[other]);
        let by_names = names.iter().map(|name| natural(one.get(name), other.get(name)));
        let order = by_names.fold(Ordering::Equal, Ordering::then).then_with(|| one.cmp(other));
        if is_descending { order.reverse() } else { order }
    })
}

/// The order of texts in which runs of digits are compared as numbers.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    loop {
        let [of_one, of_other] = [one, other].map(digits);
        if of_one > 0 && of_other > 0 {
            let [left, right] = [&one[..of_one], &other[..of_other]].map(without_zeros);
            let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
            if order.is_ne() {
                return order;
            }
            (one, other) = (&one[of_one..], &other[of_other..]);
            continue;
        }
        let (Some((left, one_rest)), Some((right, other_rest))) =
            (one.split_first(), other.split_first())
        else {
            return one.len().cmp(&other.len());
        };
        if left != right {
            return left.cmp(right);
        }
        (one, other) = (one_rest, other_rest);
    }
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_texts_are_compared_as_numbers() {
        assert_eq!(natural("eth9", "eth10"), Ordering::Less);
        assert_eq!(natural("eth010", "eth9"), Ordering::Greater);
        assert_eq!(natural("a", "ab"), Ordering::Less);
        assert_eq!(natural("eth1", "eth1"), Ordering::Equal);
    }
}
