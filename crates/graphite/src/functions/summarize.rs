//! Longer steps.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use crate::Error;
use crate::aggregation::{Aggregation, are_enough};
use crate::at_time::Unit;
use crate::function::{Function, Invocation, functions};
use crate::parameter::{Otherwise, SERIES, aggregation, boolean, interval, text};
use crate::time_series::TimeSeries;

const DAY: i64 = 86_400;
const HOUR: i64 = 3600;
const MINUTE: i64 = 60;

pub(super) const FUNCTIONS: &[Function] = functions! { "Transform";
    "summarize"(
        SERIES, interval("intervalString"), aggregation("func").or(Otherwise::Text("sum")),
        boolean("alignToFrom"),
    ) "An aggregation of the values of each interval." => summarize;
    "smartSummarize"(
        SERIES, interval("intervalString"), aggregation("func").or(Otherwise::Text("sum")),
        text("alignTo").optional().such_as(&["hours", "days", "weeks", "months", "years"]),
    ) "The same, with intervals from the request's start, or from a round time before it."
        => smart_summarize;
    "hitcount"(SERIES, interval("intervalString"), boolean("alignToInterval"))
        "Rates for each second, as counts in each interval." => hitcount;
};

/// Intervals from a start to an end.
#[derive(Clone, Copy)]
struct Intervals {
    start: i64,
    end: i64,
    seconds: i64,
}

fn summarize(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let seconds = call.interval_above_zero(1)?;
    let from_start = call.boolean(3);
    let mut made = Vec::new();
    for mut it in call.series(0) {
        let intervals = match from_start {
            true => Intervals { start: it.start, end: it.end, seconds },
            false => Intervals {
                start: it.start - it.start.rem_euclid(seconds),
                end: it.end - it.end.rem_euclid(seconds) + seconds,
                seconds,
            },
        };
        let (aggregation, _) = call.aggregation(2);
        let values = summed(call, &it, aggregation, intervals)?;
        let (unit, name) = (call.text(1), call.text(2));
        it.tag("summarize", unit);
        it.tag("summarizeFunction", name);
        let suffix = if from_start { ", true" } else { "" };
        let name = format!("summarize({}, \"{unit}\", \"{name}\"{suffix})", it.name);
        let end = intervals.start + seconds * values.len() as i64;
        let end = if from_start { end } else { intervals.end };
        made.push(TimeSeries {
            start: intervals.start,
            end,
            step: seconds,
            ..it.derived(name, values)
        });
    }
    Ok(made)
}

/// One value for each interval.
fn summed(
    call: &Invocation<'_>,
    series: &TimeSeries,
    aggregation: Aggregation,
    intervals: Intervals,
) -> Result<Vec<f64>, Error> {
    let Intervals { start, end, seconds } = intervals;
    call.world.take((end - start).max(0) as u64 / seconds as u64 + 1)?;
    let points = ((end.max(series.end) - series.start).max(0) / series.step + 1) as usize;
    let points = points.min(series.values.len());
    let within = ((series.end - series.start + series.step - 1) / series.step).max(0) as usize;
    let values = &series.values[..points.min(within)];
    let time = |nth: usize| series.start + nth as i64 * series.step;
    let wanted = seconds as f64 / series.step as f64;
    let (mut all, mut nth, mut begin) = (Vec::new(), 0, start);
    while begin < end {
        let (mut first, mut known) = (nth, 0);
        while nth < values.len() && time(nth) < begin + seconds {
            if time(nth) <= begin {
                first = nth;
            }
            if time(nth) >= begin && !values[nth].is_nan() {
                known += 1;
            }
            nth += 1;
        }
        all.push(match are_enough(known, wanted, series.x_files_factor) {
            true => aggregation.of(&values[first..nth]),
            false => f64::NAN,
        });
        begin += seconds;
    }
    Ok(all)
}

fn smart_summarize(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let seconds = call.interval_above_zero(1)?;
    let mut series = call.series(0);
    if let Some(unit) = call.text_if_given(3).map(str::to_owned) {
        let start = aligned(call, &unit).ok_or_else(|| {
            call.wrong(
                3,
                "years, months, weeks, weeks1 to weeks7, days, hours, \
                                              minutes or seconds",
            )
        })?;
        let mut earlier = call.context.at(start, call.context.end);
        series = call.again(&mut earlier)?;
    }
    let mut made = Vec::new();
    for mut it in series {
        let intervals = Intervals { start: it.start, end: it.end, seconds };
        let (aggregation, _) = call.aggregation(2);
        let values = summed(call, &it, aggregation, intervals)?;
        let (unit, name) = (call.text(1), call.text(2));
        it.tag("smartSummarize", unit);
        it.tag("smartSummarizeFunction", name);
        let name = format!("smartSummarize({}, \"{unit}\", \"{name}\")", it.name);
        let end = it.start + seconds * values.len() as i64;
        made.push(TimeSeries { end, step: seconds, ..it.derived(name, values) });
    }
    Ok(made)
}

/// The last beginning of a unit of time before the request's start, in the request's zone.
fn aligned(call: &Invocation<'_>, text: &str) -> Option<i64> {
    let zone = call.world.zone();
    let civil = Timestamp::from_second(call.context.start).ok()?.to_zoned(zone.clone()).datetime();
    let midnight = |date: Date| Some(DateTime::from_parts(date, jiff::civil::Time::midnight()));
    let begin = match Unit::named(text)? {
        Unit::Year => midnight(Date::new(civil.year(), 1, 1).ok()?)?,
        Unit::Month => midnight(Date::new(civil.year(), civil.month(), 1).ok()?)?,
        Unit::Week => {
            let first = match text.chars().last()? {
                digit @ '1'..='7' => digit as i8 - b'0' as i8,
                letter if letter.is_alphabetic() => 1,
                _ => return None,
            };
            let days = (civil.date().weekday().to_monday_one_offset() - first).rem_euclid(7);
            midnight(civil.date().checked_sub(jiff::Span::new().days(i64::from(days))).ok()?)?
        }
        Unit::Day => midnight(civil.date())?,
        Unit::Hour => civil.with().minute(0).second(0).build().ok()?,
        Unit::Minute => civil.with().second(0).build().ok()?,
        Unit::Second => civil,
    };
    Some(begin.to_zoned(zone.clone()).ok()?.timestamp().as_second())
}

fn hitcount(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let seconds = call.interval_above_zero(1)?;
    let is_aligned = call.boolean(2);
    let mut series = call.series(0);
    if is_aligned {
        let unit = match seconds {
            DAY.. => "days",
            HOUR.. => "hours",
            MINUTE.. => "minutes",
            _ => "seconds",
        };
        let start = aligned(call, unit).unwrap_or(call.context.start);
        let mut earlier = call.context.at(start, call.context.end);
        series = call.again(&mut earlier)?;
        for it in &mut series {
            it.end = it.start + (it.end - it.start).div_euclid(seconds) * seconds + seconds;
        }
    }
    let mut made = Vec::new();
    for mut it in series {
        let count = ((it.end - it.start).max(0) + seconds - 1) / seconds;
        call.world.take(count as u64)?;
        let steps = (it.step / seconds + 2).saturating_mul(it.values.len() as i64);
        call.world.work(steps as u64)?;
        let start = it.end - count * seconds;
        let values = hits(&it, Intervals { start, end: it.end, seconds });
        let unit = call.text(1);
        it.tag("hitcount", unit);
        let suffix = if is_aligned { ", true" } else { "" };
        let name = format!("hitcount({}, \"{unit}\"{suffix})", it.name);
        made.push(TimeSeries { start, step: seconds, ..it.derived(name, values) });
    }
    Ok(made)
}

/// How much each interval has of the values, each of which counts for each second of its step.
fn hits(series: &TimeSeries, intervals: Intervals) -> Vec<f64> {
    let Intervals { start, end, seconds } = intervals;
    let count = (end - start) / seconds;
    let mut all = vec![f64::NAN; usize::try_from(count).unwrap_or(0)];
    let mut add = |nth: i64, hits: f64| {
        if let Some(sum) = usize::try_from(nth).ok().and_then(|nth| all.get_mut(nth)) {
            *sum = if sum.is_nan() { hits } else { *sum + hits };
        }
    };
    for (nth, value) in (0..).zip(&series.values).filter(|(_, value)| !value.is_nan()) {
        let from = series.start + nth * series.step - start;
        let to = from + series.step;
        let (first, first_rest) = (from.div_euclid(seconds), from.rem_euclid(seconds));
        let (mut last, mut last_rest) = (to.div_euclid(seconds), to.rem_euclid(seconds));
        if last >= count {
            (last, last_rest) = (count - 1, seconds);
        }
        if first == last {
            add(first, value * (last_rest - first_rest) as f64);
            continue;
        }
        add(first, value * (seconds - first_rest) as f64);
        for between in first + 1..last {
            add(between, value * seconds as f64);
        }
        if last_rest > 0 {
            add(last, value * last_rest as f64);
        }
    }
    all
}
