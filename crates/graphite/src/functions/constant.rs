//! Series of no database.

use crate::Error;
use crate::consolidation::Consolidation;
use crate::function::{Function, Invocation, functions};
use crate::number_text::{general, python_float};
use crate::parameter::{
    Otherwise, Parameter, SERIES, aggregation, boolean, date, float, integer, text,
};
use crate::time_series::{Steps, TimeSeries};

use super::combine::constant;

const CONSOLIDATION: Parameter = text("consolidationFunc")
    .one_of(&["average", "avg", "avg_zero", "first", "last", "max", "min", "sum"]);

pub(super) const FUNCTIONS: &[Function] = functions! { "Special";
    "constantLine"(float("value")) "A line at a height." => constant_line;
    "threshold"(float("value"), text("label").optional(), text("color").optional())
        "A line at a height with a name and a color." => threshold;
    "aggregateLine"(
        SERIES, aggregation("func").or(Otherwise::Text("average")), boolean("keepStep"),
    ) "A line at the height of each series' aggregation." => aggregate_line;
    "verticalLine"(date("ts"), text("label").optional(), text("color").optional())
        "A line at a time." => vertical_line;
    "identity"(text("name")) "The time as a value, each minute." => |it| times(it, 60, |time| time);
    "timeFunction"(text("name"), integer("step").or(Otherwise::Whole(60)))
        "The time as a value." => |it| times(it, it.whole(1), |time| time);
    "time"(text("name"), integer("step").or(Otherwise::Whole(60)))
        "The time as a value." => |it| times(it, it.whole(1), |time| time);
    "sinFunction"(
        text("name"), integer("amplitude").or(Otherwise::Whole(1)), integer("step").or(Otherwise::Whole(60)),
    ) "The sine of the time." => sine;
    "sin"(
        text("name"), integer("amplitude").or(Otherwise::Whole(1)), integer("step").or(Otherwise::Whole(60)),
    ) "The sine of the time." => sine;
    "consolidateBy"(SERIES, CONSOLIDATION)
        "How points become one where there are too many. Of a bare path, 'min', 'max' and 'last' read \
         the archives that were consolidated so." => consolidate_by;
    "cumulative"(SERIES) "The sum of points where there are too many." => |it| {
        consolidated(it, "sum")
    };
    "setXFilesFactor"(SERIES, float("xFilesFactor"))
        "The part of points that must be known where some become one." => set_x_files_factor;
    "xFilesFactor"(SERIES, float("xFilesFactor"))
        "The part of points that must be known where some become one." => set_x_files_factor;
};

fn constant_line(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (value, name) = (call.float(0), call.shown(0));
    let path = format!("constantLine({name})");
    Ok(vec![constant(call, name, path, value)])
}

fn threshold(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let mut made = constant_line(call)?;
    for it in &mut made {
        if let Some(label) = call.text_if_given(1).filter(|it| !it.is_empty()) {
            label.clone_into(&mut it.name);
        }
        it.look.color = call.text_if_given(2).map(str::to_owned);
    }
    Ok(made)
}

fn aggregate_line(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, keeps_step) = (call.series(0), call.boolean(2));
    let (aggregation, _) = call.aggregation(1);
    let made = |it: &TimeSeries| {
        let value = aggregation.of(&it.values);
        let shown = if value.is_nan() { "None".into() } else { general(value) };
        let name = format!("aggregateLine({}, {shown})", it.name);
        if keeps_step {
            return it.derived(name, vec![value; it.values.len()]);
        }
        let text = if value.is_nan() { "None".into() } else { python_float(value) };
        TimeSeries { name: name.clone(), ..constant(call, text, name, value) }
    };
    Ok(series.iter().map(made).collect())
}

fn vertical_line(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let time = call.date(0)?;
    if !(call.context.start..=call.context.end).contains(&time) {
        return Err(call.wrong(0, "a time from the request's start to its end"));
    }
    let steps = Steps { start: time, end: time, step: 1 };
    let mut made = call.made(call.text(1).to_owned(), steps, vec![1.0, 1.0]);
    made.look.is_infinite = true;
    made.look.color = call.text_if_given(2).map(str::to_owned);
    Ok(vec![made])
}

fn times(
    call: &mut Invocation<'_>,
    step: i64,
    value: impl Fn(f64) -> f64,
) -> Result<Vec<TimeSeries>, Error> {
    if step < 1 {
        return Err(call.wrong(call.arguments.len() - 1, "a step of at least a second"));
    }
    let (start, end) = (call.context.start, call.context.end);
    let count = ((end - start).max(0) + step - 1) / step;
    call.world.take(count as u64)?;
    let values = (0..count).map(|nth| value((start + nth * step) as f64)).collect();
    let name = call.text(0).to_owned();
    let path = match call.function.name {
        "identity" => format!("identity(\"{name}\")"),
        _ => name.clone(),
    };
    Ok(vec![TimeSeries { path, ..call.made(name, Steps { start, end, step }, values) }])
}

fn sine(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let amplitude = call.whole(1) as f64;
    times(call, call.whole(2), |time| time.sin() * amplitude)
}

fn consolidate_by(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let name = call.text(1).to_owned();
    consolidated(call, &name)
}

fn consolidated(call: &mut Invocation<'_>, name: &str) -> Result<Vec<TimeSeries>, Error> {
    let mut series = call.series(0);
    for it in &mut series {
        it.consolidation = Consolidation::named(name).unwrap_or_default();
        it.tag("consolidateBy", name);
        it.rename(format!("consolidateBy({},\"{name}\")", it.name));
    }
    Ok(series)
}

fn set_x_files_factor(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (mut series, x_files_factor) = (call.series(0), call.float(1));
    call.context.x_files_factor = x_files_factor;
    for it in &mut series {
        it.x_files_factor = x_files_factor;
        it.tag("xFilesFactor", call.shown(1));
    }
    Ok(series)
}
