//! How series look in pictures.

use crate::Error;
use crate::function::{Body, Function, Invocation, functions};
use crate::number_text::general;
use crate::parameter::{Otherwise, SERIES, float, integer, text};
use crate::time_series::TimeSeries;

const DEFAULT_STACK: &str = "__DEFAULT__";

pub(super) const FUNCTIONS: &[Function] = functions! { "Graph";
    "alpha"(SERIES, float("alpha")) "How opaque series are, from 0 to 1." => |it| {
        let alpha = it.float(1);
        Ok(look(it, |it| it.look.alpha = Some(alpha)))
    };
    "color"(SERIES, text("theColor")) "The color of series." => |it| {
        let color = it.text(1).to_owned();
        Ok(look(it, |it| it.look.color = Some(color.clone())))
    };
    "lineWidth"(SERIES, float("width")) "How wide the lines of series are." => |it| {
        let width = it.float(1);
        Ok(look(it, |it| it.look.line_width = Some(width)))
    };
    "dashed"(SERIES, integer("dashLength").or(Otherwise::Whole(5))) "Lines with gaps." => |it| {
        let length = it.float(1);
        let shown = it.shown(1);
        Ok(look(it, |it| {
            it.tag("dashed", &shown);
            it.name = format!("dashed({}, {})", it.name, general(length));
            it.look.dash_length = Some(length);
        }))
    };
    "drawAsInfinite"(SERIES) "Lines from bottom to top where there is a value." => |it| Ok(look(it, |it| {
        it.tag("drawAsInfinite", 1);
        it.name = format!("drawAsInfinite({})", it.name);
        it.look.is_infinite = true;
    }));
    "secondYAxis"(SERIES) "Series by the scale of a second axis." => |it| Ok(look(it, |it| {
        it.tag("secondYAxis", 1);
        it.name = format!("secondYAxis({})", it.name);
        it.look.is_on_second_axis = true;
    }));
    "stacked"(SERIES, text("stack").or(Otherwise::Text(DEFAULT_STACK)))
        "Each series on top of those before." => stacked;
    "areaBetween"(SERIES) "The area between two series." => |it| {
        area_between(it, |it| Ok(it.series(0)))
    };
};

fn look(call: &mut Invocation<'_>, change: impl Fn(&mut TimeSeries)) -> Vec<TimeSeries> {
    let mut series = call.series(0);
    series.iter_mut().for_each(change);
    series
}

fn stacked(call: &mut Invocation<'_>) -> Result<Vec<TimeSeries>, Error> {
    let (series, name) = (call.series(0), call.text(1).to_owned());
    let mut stacks = call.context.stacks.borrow_mut();
    let stack = stacks.entry(name.clone()).or_default();
    let mut made = Vec::new();
    for mut it in series {
        if stack.len() < it.values.len() {
            stack.resize(it.values.len(), 0.0);
        }
        let add = |(value, sum): (&f64, &mut f64)| {
            *sum += if value.is_nan() { 0.0 } else { *value };
            if value.is_nan() { f64::NAN } else { *sum }
        };
        let values = it.values.iter().zip(stack.iter_mut()).map(add).collect();
        let mut title = it.name.clone();
        if name == DEFAULT_STACK {
            it.tag("stacked", &name);
            title = format!("stacked({title})");
        }
        let mut one = it.derived(title, values);
        one.look.is_stacked = true;
        made.push(one);
    }
    Ok(made)
}

/// Two series as the edges of an area.
pub(super) fn area_between(
    call: &mut Invocation<'_>,
    both: Body,
) -> Result<Vec<TimeSeries>, Error> {
    let mut series = both(call)?;
    let [lower, upper] = series.as_mut_slice() else {
        return Err(call.wrong_series(format!("exactly 2 series, found {}", series.len())));
    };
    (lower.look.is_stacked, lower.look.is_invisible) = (true, true);
    upper.look.is_stacked = true;
    upper.tag("areaBetween", 1);
    lower.tags.clone_from(&upper.tags);
    upper.name = format!("areaBetween({})", upper.path);
    lower.name.clone_from(&upper.name);
    Ok(series)
}
