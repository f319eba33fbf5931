//! Arguments of a call, checked.

use crate::Error;
use crate::aggregation::Aggregation;
use crate::language::Number;
use crate::number_text::python_float;
use crate::parameter::{Kind, Otherwise, Parameter};
use crate::time_series::TimeSeries;

/// An argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Argument {
    #[default]
    Nothing,
    Series(Vec<TimeSeries>),
    Text(String),
    Number(Number),
    Boolean(bool),
}

impl Argument {
    /// As Python's `str` shows it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Nothing => "None".into(),
            Self::Series(_) => "series".into(),
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Boolean(true) => "True".into(),
            Self::Boolean(false) => "False".into(),
        }
    }

    /// The default of a parameter.
    pub(crate) fn by_default(parameter: &Parameter) -> Self {
        match parameter.default {
            Otherwise::None => Self::Nothing,
            Otherwise::Text(text) => Self::Text(text.to_owned()),
            Otherwise::Whole(whole) => Self::Number(Number::Whole(whole)),
            Otherwise::Real(real) => Self::Number(Number::Real(real)),
            Otherwise::Boolean(boolean) => Self::Boolean(boolean),
            Otherwise::Infinity => Self::Number(Number::Real(f64::INFINITY)),
        }
    }

    /// The argument in the form that the parameter's kind has.
    pub(crate) fn checked(
        self,
        function: &'static str,
        parameter: &'static Parameter,
        is_function: impl Fn(&str) -> bool,
    ) -> Result<Self, Error> {
        if self == Self::Nothing && !parameter.is_required {
            return Ok(Self::by_default(parameter));
        }
        let shown = self.described();
        let taken = self.into_kind(parameter.kind, is_function);
        let is_option = |it: &Self| match it {
            Self::Text(text) => {
                parameter.options.is_empty() || parameter.options.contains(&text.as_str())
            }
            _ => true,
        };
        taken.filter(is_option).ok_or_else(|| Error::Argument {
            function,
            parameter: parameter.name,
            expected: expected(parameter),
            found: shown,
        })
    }

    fn into_kind(self, kind: Kind, is_function: impl Fn(&str) -> bool) -> Option<Self> {
        match (kind, self) {
            (Kind::SeriesList, series @ Self::Series(_)) => Some(series),
            (Kind::Any, any) => Some(any),
            (Kind::Float, any) => any.number().map(|it| Self::Number(Number::Real(it.value()))),
            (Kind::Integer | Kind::Node, any) => any.whole(),
            (Kind::IntegerOrInfinity, any) => match any.number()?.value() {
                f64::INFINITY => Some(Self::Number(Number::Real(f64::INFINITY))),
                _ => any.whole(),
            },
            (Kind::IntegerOrInterval, text @ Self::Text(_)) => text.interval(),
            (Kind::IntegerOrInterval, any) => any.number().is_some().then_some(any),
            (Kind::Interval, any) => any.interval(),
            (Kind::Boolean, any) => any.boolean(),
            (Kind::NodeOrTag, any @ (Self::Text(_) | Self::Number(_))) => Some(any),
            (Kind::Date, Self::Number(number)) => Some(Self::Text(number.to_string())),
            (Kind::Text | Kind::Tag | Kind::Date, text @ Self::Text(_)) => Some(text),
            (Kind::Text, Self::Boolean(boolean)) => Some(Self::Boolean(boolean)),
            (Kind::Aggregation, Self::Text(name)) => {
                is_aggregation(&name).then_some(Self::Text(name))
            }
            (Kind::AggregationOrFunction, Self::Text(name)) => {
                (is_aggregation(&name) || is_function(&name)).then_some(Self::Text(name))
            }
            _ => None,
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok().map(Number::Real),
            _ => None,
        }
    }

    fn whole(self) -> Option<Self> {
        let number = match self.number()? {
            Number::Whole(whole) => whole,
            Number::Real(real) if real.fract() == 0.0 && real.abs() < 1e15 => real as i64,
            Number::Real(_) => return None,
        };
        Some(Self::Number(Number::Whole(number)))
    }

    fn interval(self) -> Option<Self> {
        match &self {
            Self::Text(text) if crate::at_time::interval(text).is_ok() => Some(self),
            _ => None,
        }
    }

    fn boolean(self) -> Option<Self> {
        match self {
            Self::Boolean(_) => Some(self),
            Self::Text(text) if text.eq_ignore_ascii_case("true") => Some(Self::Boolean(true)),
            Self::Text(text) if text.eq_ignore_ascii_case("false") => Some(Self::Boolean(false)),
            Self::Number(number) if number.value() == 0.0 => Some(Self::Boolean(false)),
            Self::Number(number) if number.value() == 1.0 => Some(Self::Boolean(true)),
            _ => None,
        }
    }

    fn described(&self) -> String {
        match self {
            Self::Nothing => "none".into(),
            Self::Series(series) => match series.first() {
                Some(first) => format!("series ({:?})", first.path),
                None => "series, none of which exists (a text needs quotes)".into(),
            },
            Self::Text(text) => format!("the text {text:?}"),
            Self::Number(Number::Whole(whole)) => whole.to_string(),
            Self::Number(Number::Real(real)) => python_float(*real),
            Self::Boolean(boolean) => boolean.to_string(),
        }
    }
}

/// The aggregation of a name, which may end in `Series`, and the name without that.
pub(crate) fn aggregation_named(name: &str) -> Option<(Aggregation, &str)> {
    let name = name.strip_suffix("Series").unwrap_or(name);
    Some((Aggregation::named(name)?, name))
}

fn is_aggregation(name: &str) -> bool {
    aggregation_named(name).is_some()
}

fn expected(parameter: &Parameter) -> String {
    if !parameter.options.is_empty() {
        return format!("one of {}", parameter.options.join(", "));
    }
    let words = match parameter.kind {
        Kind::SeriesList => "series",
        Kind::Float => "a number",
        Kind::Integer => "a whole number",
        Kind::IntegerOrInfinity => "a whole number or inf",
        Kind::IntegerOrInterval => "a count of points, or an interval in quotes as '10min'",
        Kind::Interval => "an interval in quotes as '1h'",
        Kind::Boolean => "true or false",
        Kind::Text => "a text in quotes",
        Kind::Date => "a time in quotes as '-1h' or '12:00_20260131'",
        Kind::Node => "the number of a part of a path",
        Kind::NodeOrTag => "the number of a part of a path, or a tag in quotes",
        Kind::Tag => "a tag in quotes",
        Kind::Aggregation | Kind::AggregationOrFunction => {
            let names = crate::aggregation::AGGREGATIONS.map(|(name, _)| name);
            return format!("one of {}", names.join(", "));
        }
        Kind::Any => "a number or series",
    };
    words.to_owned()
}
