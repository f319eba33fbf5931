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

/// How far repeated figures lie from their median, as a share of it: half of the range that holds
/// four fifths of them. `None` for a single figure, of which that is not known.
pub(crate) fn spread(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let left_out = figures.len().saturating_sub(1) / 10;
    let (low, high) = (sorted.get(left_out)?, sorted.get(figures.len() - 1 - left_out)?);
    let range = high - low;
    let share = range / 2.0 / median(figures).abs();
    (figures.len() > 1 && share.is_finite()).then_some(share)
}

/// The number of pages of 4 KiB in these bytes.
pub(crate) fn pages(bytes: u64) -> f64 {
    bytes as f64 / 4096.0
}

#[cfg(test)]
mod tests {
    use super::{median, percentile, spread};

    #[test]
    fn percentiles_are_taken_upwards() {
        let figures: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(percentile(&figures, 99), 100.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_single_figure_out_of_many_does_not_widen_the_spread() {
        let figures: Vec<f64> = (0..=20).map(|nth| 100.0 + f64::from(nth % 3)).collect();
        let with_one_far = [&figures[..], &[900.0]].concat();
        assert_eq!(spread(&figures), Some(1.0 / 101.0));
        assert_eq!(spread(&with_one_far), spread(&figures));
        assert_eq!(spread(&[5.0]), None);
        assert_eq!(spread(&[0.0, 0.0]), None);
    }
}
