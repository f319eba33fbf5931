//! The limits of a target's values, as its page shows them.

use mrtg::{Limits, Settings, leading_number};
use server::{Limit, LimitAt, LimitSide};

/// The limits of the rates of one direction: 0 is in, 1 is out. Those of failures are none of a
/// value that is drawn.
pub(crate) fn of(settings: &Settings, direction: usize) -> Vec<Limit> {
    let Some(thresholds) = settings.thresholds.as_deref() else { return Vec::new() };
    let Limits { min, max, .. } = &thresholds.rates;
    let letter = ["I", "O"][direction];
    let sides = [(LimitSide::Min, "ThreshMin", min), (LimitSide::Max, "ThreshMax", max)];
    let limits = sides.into_iter().filter_map(|(side, key, written)| {
        let written = written[direction].as_deref()?;
        Some(Limit { side, at: place(written), words: format!("{key}{letter} {written}").into() })
    });
    limits.collect()
}

fn place(written: &str) -> LimitAt {
    match written.strip_suffix('%') {
        Some(percent) => LimitAt::Percent(leading_number(percent).0),
        None => LimitAt::Value(leading_number(written).0),
    }
}

#[cfg(test)]
mod tests {
    use server::LimitAt;

    use super::place;

    #[test]
    fn a_limit_is_a_value_or_a_share() {
        assert_eq!(place("80%"), LimitAt::Percent(80.0));
        assert_eq!(place("1e6"), LimitAt::Value(1e6));
    }
}
