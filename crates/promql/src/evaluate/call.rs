//! Functions whose arguments are values.

use series::Labels;

use super::sorting;
use crate::arguments::Arguments;
use crate::axis::Axis;
use crate::calendar;
use crate::context::Context;
use crate::error::Failed;
use crate::histogram;
use crate::mapping;
use crate::number;
use crate::relabel::{self, Replacement};
use crate::vector::{Value, Vector, is_absent};

/// What a function makes of its arguments.
///
/// # Errors
///
/// There is no such function, or an argument is wrong.
pub(crate) fn call(
    context: &Context<'_>,
    name: &str,
    values: Vec<Value>,
    axis: &Axis,
) -> Result<Value, Failed> {
    let mut arguments = Arguments::new(name, values);
    if let Some(change) = mapping::of_one(name) {
        return arguments.vector()?.map(change).without_names().map(Value::Vector);
    }
    if let Some(of_seconds) = calendar::of_seconds(name) {
        let vector = if arguments.has_more() { arguments.vector()? } else { times(axis) };
        return vector.map(of_seconds).without_names().map(Value::Vector);
    }
    match name {
        "time" => Ok(Value::Scalar(seconds(axis).collect())),
        "pi" => Ok(Value::Scalar(vec![std::f64::consts::PI; axis.count])),
        "vector" => Ok(Value::Vector(unlabelled(axis, arguments.scalar()?.into_iter()))),
        "scalar" => Ok(Value::Scalar(scalar(&arguments.vector()?))),
        _ => of_vectors(context, name, &mut arguments, axis).map(Value::Vector),
    }
}

fn of_vectors(
    context: &Context<'_>,
    name: &str,
    arguments: &mut Arguments,
    axis: &Axis,
) -> Result<Vector, Failed> {
    match name {
        "round" => {
            let vector = arguments.vector()?;
            let to = if arguments.has_more() { arguments.scalar()? } else { vec![1.0; axis.count] };
            vector.map_at(|nth, value| mapping::round(value, to[nth])).without_names()
        }
        "clamp" | "clamp_min" | "clamp_max" => clamp(name, arguments, axis),
        "timestamp" => {
            let vector = arguments.vector()?;
            vector.map_at(|nth, _| axis.time_micros(nth) as f64 / 1e6).without_names()
        }
        "sort" => Ok(sorting::by_value(arguments.vector()?, false)),
        "sort_desc" => Ok(sorting::by_value(arguments.vector()?, true)),
        "sort_by_label" | "sort_by_label_desc" => {
            let (vector, mut names) = (arguments.vector()?, Vec::new());
            while arguments.has_more() {
                names.push(arguments.text()?);
            }
            Ok(sorting::by_label(vector, &names, name.ends_with("desc")))
        }
        "histogram_quantile" => {
            let (shares, vector) = (arguments.scalar()?, arguments.vector()?);
            histogram::quantile(context, &shares, &vector)
        }
        "label_replace" | "label_join" => labels(name, arguments),
        _ => Err(unsupported(name)),
    }
}

fn unsupported(name: &str) -> Failed {
    let why = match name.starts_with("histogram_") {
        true => "it works on native histograms, and a row is a number",
        false => "this function of newer versions of Prometheus is not here",
    };
    Failed::Unsupported { what: format!("{name}()"), why }
}

fn clamp(name: &str, arguments: &mut Arguments, axis: &Axis) -> Result<Vector, Failed> {
    let mut vector = arguments.vector()?;
    let least = match name {
        "clamp_max" => vec![f64::NEG_INFINITY; axis.count],
        _ => arguments.scalar()?,
    };
    let most = match name {
        "clamp_min" => vec![f64::INFINITY; axis.count],
        _ => arguments.scalar()?,
    };
    vector = vector.map_at(|nth, value| match least[nth] > most[nth] {
        true => crate::vector::ABSENT,
        false => mapping::at_least(mapping::at_most(value, most[nth]), least[nth]),
    });
    vector.without_names()
}

fn labels(name: &str, arguments: &mut Arguments) -> Result<Vector, Failed> {
    let (vector, target) = (arguments.vector()?, arguments.text()?);
    let mut texts = Vec::new();
    while arguments.has_more() {
        texts.push(arguments.text()?);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match (name, &texts[..]) {
        ("label_replace", [replacement, source, pattern]) => {
            let what = Replacement { target: &target, replacement, source, pattern };
            relabel::replace(vector, &what)
        }
        ("label_join", [separator, sources @ ..]) => {
            relabel::join(vector, &target, separator, sources)
        }
        _ => {
            let (function, found) = (name.to_owned(), format!("{} texts", texts.len() + 1));
            Err(Failed::Argument { function, expected: "a target and what it is made of", found })
        }
    }
}

fn seconds(axis: &Axis) -> impl Iterator<Item = f64> {
    axis.times_micros().map(|micros| micros as f64 / 1e6)
}

/// The times themselves, as a series without labels.
fn times(axis: &Axis) -> Vector {
    unlabelled(axis, seconds(axis))
}

fn unlabelled(axis: &Axis, values: impl Iterator<Item = f64>) -> Vector {
    let mut vector = Vector::new(axis.count);
    let column = vector.push(Labels::default());
    column.iter_mut().zip(values).for_each(|(place, value)| *place = value);
    vector
}

/// The one sample of each time; NaN if there is none or more.
fn scalar(vector: &Vector) -> Vec<f64> {
    let mut found = vec![(0_u32, f64::NAN); vector.width];
    for nth in 0..vector.len() {
        let present = found.iter_mut().zip(vector.column(nth)).filter(|(_, it)| !is_absent(**it));
        present.for_each(|(place, value)| *place = (place.0 + 1, *value));
    }
    let only = |(count, value)| if count == 1 { value } else { f64::NAN };
    found.into_iter().map(only).collect()
}

/// Refuses factors of smoothing that smooth nothing.
///
/// # Errors
///
/// One is not between 0 and 1.
pub(crate) fn check_factors(name: &str, numbers: &[Vec<f64>]) -> Result<(), Failed> {
    let expected = "two factors between 0 and 1";
    let wrong = |found| Failed::Argument { function: name.to_owned(), expected, found };
    let is_factor = |value: &f64| *value > 0.0 && *value < 1.0;
    match numbers.iter().flatten().find(|value| !is_factor(value)) {
        Some(value) => Err(wrong(number::value_text(*value))),
        None => Ok(()),
    }
}
