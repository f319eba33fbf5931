//! Statistics.

/// The percentile of the figures.
pub(crate) fn percentile(figures: &[f64], percent: usize) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let nth = (sorted.len().saturating_sub(1) * percent).div_ceil(100);
    sorted.get(nth).copied().unwrap_or(f64::NAN)
}

pub(crate) fn median(figures: &[f64]) -> f64 {
    percentile(figures, 50)
}

/// The number of pages of 4 KiB in these bytes.
pub(crate) fn pages(bytes: u64) -> f64 {
    bytes as f64 / 4096.0
}

#[cfg(test)]
mod tests {
    use super::{median, percentile};

    #[test]
    fn percentiles_are_taken_upwards() {
        let figures: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&figures, 99), 100.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert!(median(&[]).is_nan());
    }
}
