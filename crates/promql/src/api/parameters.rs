//! The texts of parameters as times, steps and selectors.

use promql_parser::parser::Expr;
use series::Matcher;

use super::{Chosen, InstantQuery, RangeQuery};
use crate::axis::Axis;
use crate::context::Asked;
use crate::error::Failed;
use crate::{number, select, text};

/// The time of an instant query.
pub(super) fn instant(query: &InstantQuery<'_>, now_micros: i64) -> Result<Asked, Failed> {
    let axis = match query.time {
        None | Some("") => Axis::at(now_micros.div_euclid(1_000) * 1_000),
        Some(time) => Axis::at(self::time("time", time)?),
    };
    Ok(Asked { axis, end_micros: axis.start_micros })
}

/// The times of a range query.
pub(super) fn range(query: &RangeQuery<'_>, steps_max: usize) -> Result<Asked, Failed> {
    let start_micros = time("start", query.start)?;
    let end_micros = time("end", query.end)?;
    if end_micros < start_micros {
        return Err(wrong("end", "end timestamp must not be before start time".to_owned()));
    }
    let step_micros = number::duration_micros(query.step).ok_or_else(|| {
        let found = format!("cannot parse {:?} to a valid duration", query.step);
        wrong("step", found)
    })?;
    if step_micros <= 0 {
        let why = "zero or negative query resolution step widths are not accepted. Try a positive \
                   integer";
        return Err(wrong("step", why.to_owned()));
    }
    let steps = (end_micros - start_micros) / step_micros;
    match usize::try_from(steps) {
        Ok(steps) if steps <= steps_max => {
            let axis = Axis { start_micros, step_micros, count: steps + 1 };
            Ok(Asked { axis, end_micros })
        }
        _ => Err(Failed::TooFine { limit: steps_max }),
    }
}

fn time(name: &'static str, text: &str) -> Result<i64, Failed> {
    let why = || format!("cannot parse {text:?} to a valid timestamp");
    number::time_micros(text).ok_or_else(|| wrong(name, why()))
}

fn wrong(name: &'static str, why: String) -> Failed {
    Failed::Parameter { name, why }
}

/// How many are asked for; all without it, and for 0.
pub(super) fn limit(text: Option<&str>) -> Result<usize, Failed> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(usize::MAX) };
    match text.parse() {
        Ok(0) => Ok(usize::MAX),
        Ok(limit) => Ok(limit),
        Err(_) => {
            Err(wrong("limit", format!("expected a number that is not negative, found {text:?}")))
        }
    }
}

/// The conditions of each `match[]`.
pub(super) fn selectors(chosen: &Chosen<'_>) -> Result<Vec<Vec<Matcher>>, Failed> {
    for (name, text) in ["start", "end"].into_iter().zip(chosen.times) {
        text.filter(|text| !text.is_empty()).map(|text| time(name, text)).transpose()?;
    }
    chosen.matches.iter().map(|text| selector(text)).collect()
}

fn selector(text: &str) -> Result<Vec<Matcher>, Failed> {
    match text::parse(text) {
        Ok(Expr::VectorSelector(it)) if it.offset.is_none() && it.at.is_none() => {
            select::matchers(&it)
        }
        Ok(_) => Err(wrong("match[]", format!("expected a selector of series, found {text:?}"))),
        Err(Failed::Syntax { why }) => Err(wrong("match[]", why)),
        Err(other) => Err(other),
    }
}
