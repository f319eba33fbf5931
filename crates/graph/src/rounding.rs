//! Rounding without a call: processors of the x86-64 baseline have no instruction for it, and the
//! library's function takes longer than what is drawn with its answer.

/// The nearest whole number; the one farther from zero where a number lies in the middle. What no
/// `i64` holds becomes the nearest one that does, and NaN becomes 0.
pub(crate) fn whole(number: f64) -> i64 {
    let cut = number as i64;
    let rest = number - cut as f64;
    cut.saturating_add(i64::from(rest >= 0.5) - i64::from(rest <= -0.5))
}

/// The same as `f64::round` gives it, but that zero has no sign.
pub(crate) fn rounded(number: f64) -> f64 {
    /// From here on every number is a whole one, so that a sum this large is rounded to one: to the
    /// even one where a number lies in the middle.
    const WHOLE_FROM: f64 = (1_u64 << 52) as f64;
    let size = number.abs();
    if size >= WHOLE_FROM {
        return number;
    }
    let even = (size + WHOLE_FROM) - WHOLE_FROM;
    let nearest = if size - even == 0.5 { even + 1.0 } else { even };
    if number < 0.0 { -nearest } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::{rounded, whole};

    #[test]
    fn numbers_are_rounded_as_the_library_rounds_them() {
        let near = [0.0, 0.4, 0.5, 0.6, 1.0, 1.5, 2.5, 1e6 + 0.5, 1e15 + 0.5, 4.5e15, 1e300];
        let near = near.into_iter().flat_map(|it: f64| [it.next_down(), it, it.next_up()]);
        for number in near.flat_map(|it| [it, -it]).chain([f64::INFINITY]) {
            assert_eq!(rounded(number), number.round(), "{number:e}");
            assert_eq!(whole(number), number.round() as i64, "{number:e}");
        }
        assert!(rounded(f64::NAN).is_nan());
        assert_eq!(whole(f64::NAN), 0);
    }
}
