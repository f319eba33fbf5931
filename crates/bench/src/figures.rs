//! Figures made of many figures, and numbers as people read them.

/// The value below which so many percent of the figures lie.
pub(crate) fn percentile(figures: &[f64], percent: usize) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let nth = (sorted.len().saturating_sub(1) * percent).div_ceil(100);
    sorted.get(nth).copied().unwrap_or(f64::NAN)
}

pub(crate) fn median(figures: &[f64]) -> f64 {
    percentile(figures, 50)
}

/// `1000000` as `1,000,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in pages of 4 KiB.
pub(crate) fn pages(bytes: u64) -> f64 {
    bytes as f64 / 4096.0
}

#[cfg(test)]
mod tests {
    use super::{grouped, median, percentile};

    #[test]
    fn percentiles_are_taken_upwards() {
        let figures: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&figures, 99), 100.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(
            [0, 999, 1000, 320_000, 1_000_000].map(grouped),
            ["0", "999", "1,000", "320,000", "1,000,000"]
        );
    }
}
