//! Rows that happened at another time than they say.

use std::ops::Range;

use rrd::UNKNOWN;

/// Moves rows by so many places, later if positive. Returns how many known rows have no place in
/// the ring any more.
pub(crate) fn shift(rows: &mut [f64], moved: Range<usize>, places: i64) -> usize {
    let old = rows[moved.clone()].to_vec();
    rows[moved.clone()].fill(UNKNOWN);
    let mut lost = 0;
    for (row, value) in moved.zip(old).filter(|(_, value)| !value.is_nan()) {
        let place = (row as i64).checked_add(places).and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| rows.get_mut(place)) {
            Some(cell) => *cell = value,
            None => lost += 1,
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::shift;

    #[test]
    fn rows_move_and_leave_nothing_behind() {
        let mut rows = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(shift(&mut rows, 1..3, 2), 0);
        assert_eq!((rows[0], rows[3], rows[4]), (1.0, 2.0, 3.0));
        assert!(rows[1].is_nan() && rows[2].is_nan());
        assert_eq!(shift(&mut rows, 0..5, -3), 1);
        assert_eq!(rows[..2], [2.0, 3.0]);
        assert_eq!(shift(&mut rows, 0..2, i64::MAX), 2);
        assert!(rows.iter().all(|row| row.is_nan()));
    }
}
