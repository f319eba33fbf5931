//! Functions of one sample.

/// A function of a sample alone.
pub(crate) fn of_one(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "abs" => f64::abs,
        "ceil" => f64::ceil,
        "floor" => f64::floor,
        "exp" => f64::exp,
        "sqrt" => f64::sqrt,
        "ln" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sinh" => f64::sinh,
        "cosh" => f64::cosh,
        "tanh" => f64::tanh,
        "asinh" => f64::asinh,
        "acosh" => f64::acosh,
        "atanh" => f64::atanh,
        "deg" => |value| value * 180.0 / std::f64::consts::PI,
        "rad" => |value| value * std::f64::consts::PI / 180.0,
        "sgn" => |value| match value {
            value if value > 0.0 => 1.0,
            value if value < 0.0 => -1.0,
            value => value,
        },
        _ => return None,
    })
}

/// A sample rounded to the nearest multiple; between two the larger.
pub(crate) fn round(value: f64, multiple: f64) -> f64 {
    // Divided by the inverse, as Prometheus does: 0.1 has none that is exact.
    let inverse = 1.0 / multiple;
    (value * inverse + 0.5).floor() / inverse
}

/// The larger of two numbers; NaN if one is.
pub(crate) fn at_least(value: f64, least: f64) -> f64 {
    if value.is_nan() || least.is_nan() { f64::NAN } else { value.max(least) }
}

/// The smaller of two numbers; NaN if one is.
pub(crate) fn at_most(value: f64, most: f64) -> f64 {
    if value.is_nan() || most.is_nan() { f64::NAN } else { value.min(most) }
}
