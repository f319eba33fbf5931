//! The two ways in which values are printed.

use std::io::Write as _;

use rrd::cformat::FloatFormat;

/// `%0.10e`, with the C library's `nan`, `-nan`, `inf`.
pub(crate) fn append(out: &mut Vec<u8>, value: f64) {
    let _ = out.write_all(FloatFormat::exponent(10).text(value).as_bytes()); // a Vec takes all
}

/// `%0.10e`, with `NaN` for every unknown value.
pub(crate) fn append_known(out: &mut Vec<u8>, value: f64) {
    if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else {
        append(out, value);
    }
}
