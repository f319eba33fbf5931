//! The comments with numbers in a page's head: other programs read them.

use maud::{Markup, PreEscaped};

use crate::period::{PERIODS, letter};
use crate::summary::Summary;

/// The comments of all pictures, in MRTG's order. `told` says what their rows say, in the order of
/// [`PERIODS`]; `None` for a picture that is left out.
pub(crate) fn comments(told: [Option<&Summary>; 4], with_ratio: bool) -> Markup {
    // Programs expect each on a line of its own.
    let mut all = "\n".to_owned();
    for (period, told) in PERIODS.into_iter().zip(told) {
        for (key, value) in values(told, with_ratio) {
            all.push_str(&format!("<!-- {key} {} {value} -->\n", letter(period)));
        }
    }
    PreEscaped(all)
}

/// The keys that MRTG writes, and their values. A picture that is left out has keys without values.
fn values(told: Option<&Summary>, with_ratio: bool) -> Vec<(&'static str, String)> {
    let Some(told) = told else {
        return ["maxin", "maxout", "avin", "avout"].map(|key| (key, String::new())).into();
    };
    let mut all = both(["maxin", "maxout"], told.maximum);
    let ratio =
        |key, percent: Option<f64>| with_ratio.then(|| (key, whole(percent.unwrap_or(0.0))));
    all.extend(ratio("maxpercent", told.ratios.maximum_percent));
    all.extend(both(["avin", "avout"], told.average));
    all.extend(ratio("avpercent", told.ratios.average_percent));
    all.extend(known(["cuin", "cuout"], told.current));
    all.extend(ratio("cupercent", told.ratios.current_percent));
    let peaks = told.average_peak;
    if peaks.iter().flatten().filter(|peak| **peak >= 0.5).count() == peaks.len() {
        all.extend(known(["avmxin", "avmxout"], peaks));
    }
    all
}

/// Both values; one that is unknown is 0, as with MRTG.
fn both(keys: [&'static str; 2], values: [Option<f64>; 2]) -> Vec<(&'static str, String)> {
    known(keys, values.map(|value| Some(value.unwrap_or(0.0))))
}

fn known(keys: [&'static str; 2], values: [Option<f64>; 2]) -> Vec<(&'static str, String)> {
    let both = keys.into_iter().zip(values);
    both.filter_map(|(key, value)| Some((key, whole(value?)))).collect()
}

/// MRTG has whole numbers.
fn whole(value: f64) -> String {
    format!("{:.0}", value.round_ties_even())
}
