//! Names in the order that people expect: `core2` before `core10`.

use std::cmp::Ordering;

/// Compares two names; numbers in them count as numbers.
pub(crate) fn natural_order(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    while !left.is_empty() && !right.is_empty() {
        let (number, after) = split_number(left);
        let (other_number, other_after) = split_number(right);
        let order = match number.is_empty() || other_number.is_empty() {
            true => {
                let (a, b) = (left.chars().next(), right.chars().next());
                left = skip(left);
                right = skip(right);
                a.cmp(&b)
            }
            false => {
                (left, right) = (after, other_after);
                compare_numbers(number, other_number)
            }
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

fn skip(text: &str) -> &str {
    let mut letters = text.chars();
    letters.next();
    letters.as_str()
}

fn split_number(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// Of any length: the longer one is the larger one.
fn compare_numbers(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::natural_order;

    #[test]
    fn numbers_count_as_numbers() {
        let mut names = ["core10", "b", "core2", "core2/10", "core2/9", "", "core02", "10", "9"];
        names.sort_by(|one, other| natural_order(one, other));
        let expected = ["", "9", "10", "b", "core02", "core2", "core2/9", "core2/10", "core10"];
        assert_eq!(names, expected);
    }
}
