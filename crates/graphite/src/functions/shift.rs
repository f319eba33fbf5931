//! Series of other times.

use jiff::Timestamp;

use crate::Error;
use crate::function::{Function, Invocation, functions};
use crate::parameter::{Otherwise, SERIES, boolean, date, integer, shift};
use crate::time_series::TimeSeries;

pub(super) const FUNCTIONS: &[Function] = functions! { "Transform";
    "timeShift"(
        SERIES, shift("timeShift"), boolean("resetEnd").or(Otherwise::Boolean(true)),
        boolean("alignDst"),
    ) "Series of another time, as if they were of this one." => time_shift;
    "timeStack"(
        SERIES, shift("timeShiftUnit").or(Otherwise::Text("1d")),
        integer("timeShiftStart").or(Otherwise::Whole(0)), integer("timeShiftEnd").or(Otherwise::Whole(7)),
    ) "Series of several times, as if they were of this one." => time_stack;
    "timeSlice"(SERIES, date("startSliceAt"), date("endSliceAt").or(Otherwise::Text("now")))
        "Without values outside of a time." => time_slice;
};

/// A shift as it is meant: one without a sign goes back.
fn signed(text: &str) -> String {
    match text.starts_with(|it: char| it.is_ascii_digit()) {
        true => format!("-{text}"),
        false => text.to_owned(),
    }
}

fn time_shift(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, text) = (call.series(0), signed(call.text(1)));
    let Some(first) = series.first() else { return Ok(Vec::new()) };
    let mut seconds = crate::at_time::interval(&text)?;
    if call.boolean(3) {
        seconds += daylight_seconds(call, seconds);
    }
    let mut other = call.context.at(call.context.start + seconds, call.context.end + seconds);
    let mut shifted = call.again(&mut other)?;
    for it in &mut shifted {
        it.tag("timeShift", &text);
        it.name = format!("timeShift({}, \"{text}\")", it.name);
        it.end = match call.boolean(2) {
            true => first.end,
            false => it.end - it.start + first.start,
        };
        it.start = first.start;
    }
    Ok(shifted)
}

/// By how much daylight saving time moves a whole shift: one hour if all of the request's time has
/// it and none of the other's, or the other way round.
fn daylight_seconds(call: &Invocation<'_>, seconds: i64) -> i64 {
    let zone = call.world.zone();
    let has_daylight = |at: i64| {
        let at = Timestamp::from_second(at).ok();
        at.is_some_and(|at| zone.to_offset_info(at).dst().is_dst())
    };
    let (start, end) = (call.context.start, call.context.end);
    let here = [start, end].map(has_daylight);
    let there = [start + seconds, end + seconds].map(has_daylight);
    match (here, there) {
        ([true, true], [false, false]) => 3600,
        ([false, false], [true, true]) => -3600,
        _ => 0,
    }
}

fn time_stack(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, text) = (call.series(0), signed(call.text(1)));
    let Some(first) = series.first() else { return Ok(Vec::new()) };
    let seconds = crate::at_time::interval(&text)?;
    let mut made = Vec::new();
    for shift in call.whole(2)..call.whole(3) {
        call.world.work(64)?;
        let away = seconds.checked_mul(shift).filter(|it| it.abs() < 1 << 40);
        let away = away.ok_or_else(|| call.wrong(3, "a shift of less than 30,000 years"))?;
        let mut other = call.context.at(call.context.start + away, call.context.end + away);
        for mut it in call.again(&mut other)? {
            it.tag("timeShiftUnit", &text);
            it.tag("timeShift", shift);
            it.rename(format!("timeShift({}, {text}, {shift})", it.name));
            (it.start, it.end) = (first.start, first.end);
            made.push(it);
        }
    }
    Ok(made)
}

fn time_slice(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    let (start, end) = (call.date(1)?, call.date(2)?);
    for it in &mut series {
        it.tag("timeSliceStart", start);
        it.tag("timeSliceEnd", end);
        it.name = format!("timeSlice({}, {start}, {end})", it.name);
        // As graphite-web counts: from the request's start, not from the series'.
        let times = (0..).map(|nth: i64| call.context.start + nth * it.step);
        for (value, time) in it.values.iter_mut().zip(times) {
            if time < start || time > end {
                *value = f64::NAN;
            }
        }
    }
    Ok(series)
}
