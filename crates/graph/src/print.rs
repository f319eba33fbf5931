//! What PRINT and GPRINT say.

use rrd::UNKNOWN;

use crate::arguments::{Printed, When};
use crate::calculate::Values;
use crate::format::{NumberFormat, Scale, strftime, strftime_never};
use crate::plan::Plan;

/// The text of one PRINT or GPRINT; `scale` is the unit shared by `%S`.
pub(crate) fn print(what: &Printed, plan: &Plan, values: &Values, scale: &mut Scale) -> String {
    let fact = values.fact(what.of);
    if what.when == When::Time {
        // Of a series the time of its end is printed.
        let seconds = fact.map_or(Some(plan.end_seconds), |fact| fact.when_seconds);
        return match seconds {
            Some(seconds) => strftime(&what.format, seconds, &plan.zone),
            None => strftime_never(&what.format),
        };
    }
    let number = match (fact, what.cf, values.series(what.of)) {
        (Some(fact), _, _) => fact.value,
        (None, Some(cf), Some(series)) => series.consolidated(cf),
        _ => UNKNOWN,
    };
    NumberFormat::parse(&what.format)
        .map_or_else(String::new, |format| format.print(number, plan.settings.base, scale))
}
