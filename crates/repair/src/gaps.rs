//! Unknown rows between known ones.

use crate::Replacement;
use crate::spikes::{Known, Sides, mean};

/// Fills gaps of at most so many rows that have known rows at both sides.
pub(crate) fn fill(rows: &mut [f64], rows_max: usize, by: Replacement) {
    let mean = mean(rows);
    let mut before: Option<Known> = None;
    for row in 0..rows.len() {
        let value = rows[row];
        if value.is_nan() {
            continue;
        }
        let here = Known { row, value };
        if let Some(last) = before
            && row - last.row - 1 <= rows_max
        {
            let sides = Sides { before, after: Some(here) };
            let gap = last.row + 1..row;
            for (unknown, cell) in gap.clone().zip(&mut rows[gap]) {
                *cell = sides.instead(unknown, by, mean);
            }
        }
        before = Some(here);
    }
}

#[cfg(test)]
mod tests {
    use super::fill;
    use crate::Replacement;

    const NAN: f64 = f64::NAN;

    #[test]
    fn short_gaps_are_filled_and_ends_are_not() {
        let mut rows = [NAN, 1.0, NAN, NAN, 4.0, NAN, NAN, NAN, 8.0, NAN];
        fill(&mut rows, 2, Replacement::Line);
        assert_eq!(rows[1..5], [1.0, 2.0, 3.0, 4.0]);
        assert!([0, 5, 6, 7, 9].iter().all(|row| rows[*row].is_nan()));
        fill(&mut rows, 3, Replacement::Previous);
        assert_eq!(rows[5..9], [4.0, 4.0, 4.0, 8.0]);
        assert!(rows[0].is_nan() && rows[9].is_nan());
    }

    #[test]
    fn a_mean_is_of_all_known_rows() {
        let mut rows = [NAN, NAN, 1.0, NAN, 3.0, 5.0];
        fill(&mut rows, 1, Replacement::Mean);
        assert_eq!(rows[2..], [1.0, 3.0, 3.0, 5.0]);
    }
}
