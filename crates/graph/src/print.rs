//! What PRINT and GPRINT say.

use rrd::{Tick, UNKNOWN};

use crate::Error;
use crate::arguments::{Printed, PrintedAs};
use crate::calculate::Values;
use crate::format::{NumberFormat, Scale, duration, strftime, strftime_never, timestamp};
use crate::plan::Plan;

/// The text of one PRINT or GPRINT; `scale` is the unit shared by `%S`.
///
/// # Errors
/// [`Error::DurationFormat`].
pub(crate) fn print(
    what: &Printed,
    plan: &Plan,
    values: &Values,
    scale: &mut Scale,
) -> Result<String, Error> {
    let tick = values.window.tick;
    let fact = values.fact(what.of);
    let number = match (fact, what.cf, values.series(what.of)) {
        (Some(fact), _, _) => fact.value,
        (None, Some(cf), Some(series)) => series.consolidated(cf),
        _ => UNKNOWN,
    };
    Ok(match what.printed_as {
        PrintedAs::Number => NumberFormat::parse(&what.format)
            .map_or_else(String::new, |format| format.print(number, plan.settings.base, scale)),
        PrintedAs::Time => {
            // No moment belongs to a whole series: rrdtool prints the present one.
            match fact.map(|fact| fact.when_seconds) {
                None => strftime(&what.format, Tick::SECOND, plan.now.seconds, &plan.zone),
                Some(Some(time)) => strftime(&what.format, tick, time, &plan.zone),
                Some(None) => strftime_never(&what.format),
            }
        }
        PrintedAs::Timestamp => timestamp(&what.format, tick, number),
        PrintedAs::Duration => duration(&what.format, number).map_err(|_| Error::DurationFormat)?,
    })
}
