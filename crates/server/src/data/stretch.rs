//! Rows as JSON, written without a tree of values between.

use std::io::Write as _;

use rrd::Stretch;

/// Appends `[[TIME,VALUE,...],...]`: each row with the time at which its step ends.
pub(super) fn append_rows(out: &mut Vec<u8>, stretch: &Stretch) {
    let columns = stretch.source_names.len().max(1);
    let step = stretch.step_seconds as i64;
    let first = stretch.start_seconds + (stretch.rows_before as i64 + 1) * step;
    out.push(b'[');
    for (nth, row) in stretch.held.chunks_exact(columns).enumerate() {
        let comma = if nth == 0 { "[" } else { ",[" };
        let time = stretch.tick.told(first + nth as i64 * step);
        let _ = write!(out, "{comma}{time}"); // a Vec takes everything
        for value in row {
            match value.is_finite() {
                true => {
                    let _ = write!(out, ",{value:?}");
                }
                false => out.extend(b",null"),
            }
        }
        out.push(b']');
    }
    out.push(b']');
}
