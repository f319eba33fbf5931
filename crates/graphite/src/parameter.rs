//! What functions take.

/// A parameter of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
    /// Whether it takes all further arguments: the last one alone may.
    pub(crate) is_many: bool,
    pub(crate) default: Otherwise,
    /// What it may be, where that is a few words; empty for anything.
    pub(crate) options: &'static [&'static str],
    /// What a user may want.
    pub(crate) suggestions: &'static [&'static str],
}

/// What stands for an argument that is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Otherwise {
    None,
    Text(&'static str),
    Whole(i64),
    Real(f64),
    Boolean(bool),
    Infinity,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    SeriesList,
    Float,
    Integer,
    IntegerOrInfinity,
    /// A count of points, or an interval.
    IntegerOrInterval,
    Interval,
    Boolean,
    Text,
    Date,
    /// A part of a path, from 0 or from its end.
    Node,
    /// The same, or a tag.
    NodeOrTag,
    Tag,
    /// An aggregation by its name, which may end in `Series`.
    Aggregation,
    /// An aggregation, or a function that joins series.
    AggregationOrFunction,
    /// A number, or series.
    Any,
}

impl Kind {
    /// As `/functions` calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SeriesList => "seriesList",
            Self::Float => "float",
            Self::Integer => "integer",
            Self::IntegerOrInfinity => "intOrInf",
            Self::IntegerOrInterval => "intOrInterval",
            Self::Interval => "interval",
            Self::Boolean => "boolean",
            Self::Text => "string",
            Self::Date => "date",
            Self::Node => "node",
            Self::NodeOrTag => "nodeOrTag",
            Self::Tag => "tag",
            Self::Aggregation => "aggFunc",
            Self::AggregationOrFunction => "aggOrSeriesFunc",
            Self::Any => "any",
        }
    }
}

const fn parameter(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        is_required: true,
        is_many: false,
        default: Otherwise::None,
        options: &[],
        suggestions: &[],
    }
}

impl Parameter {
    /// It may be left out.
    pub(crate) const fn optional(self) -> Self {
        Self { is_required: false, ..self }
    }

    /// It may be left out, and is this then.
    pub(crate) const fn or(self, default: Otherwise) -> Self {
        Self { is_required: false, default, ..self }
    }

    /// It takes all further arguments.
    pub(crate) const fn many(self) -> Self {
        Self { is_many: true, ..self }
    }

    /// It is one of these words.
    pub(crate) const fn one_of(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    /// What a user may want.
    pub(crate) const fn such_as(self, suggestions: &'static [&'static str]) -> Self {
        Self { suggestions, ..self }
    }
}

/// The first parameter of most functions.
pub(crate) const SERIES: Parameter = series("seriesList");
/// The only one of functions that join series.
pub(crate) const LISTS: Parameter = series("seriesLists").many();

const INTERVALS: &[&str] = &["10min", "1h", "1d"];
const WINDOWS: &[&str] = &["5", "7", "10", "1min", "5min", "10min", "30min", "1hour"];
const SHIFTS: &[&str] = &["1h", "6h", "12h", "1d", "2d", "7d", "14d", "30d"];

pub(crate) const fn series(name: &'static str) -> Parameter {
    parameter(name, Kind::SeriesList)
}

pub(crate) const fn float(name: &'static str) -> Parameter {
    parameter(name, Kind::Float)
}

pub(crate) const fn integer(name: &'static str) -> Parameter {
    parameter(name, Kind::Integer)
}

/// How many points may be unknown; all if it is not said.
pub(crate) const fn point_limit() -> Parameter {
    parameter("limit", Kind::IntegerOrInfinity).or(Otherwise::Infinity)
}

pub(crate) const fn window() -> Parameter {
    parameter("windowSize", Kind::IntegerOrInterval).such_as(WINDOWS)
}

pub(crate) const fn interval(name: &'static str) -> Parameter {
    parameter(name, Kind::Interval).such_as(INTERVALS)
}

pub(crate) const fn shift(name: &'static str) -> Parameter {
    parameter(name, Kind::Interval).such_as(SHIFTS)
}

pub(crate) const fn boolean(name: &'static str) -> Parameter {
    parameter(name, Kind::Boolean).or(Otherwise::Boolean(false))
}

pub(crate) const fn text(name: &'static str) -> Parameter {
    parameter(name, Kind::Text)
}

pub(crate) const fn date(name: &'static str) -> Parameter {
    parameter(name, Kind::Date)
}

pub(crate) const fn node(name: &'static str) -> Parameter {
    parameter(name, Kind::Node)
}

pub(crate) const fn node_or_tag(name: &'static str) -> Parameter {
    parameter(name, Kind::NodeOrTag)
}

pub(crate) const fn tag(name: &'static str) -> Parameter {
    parameter(name, Kind::Tag)
}

pub(crate) const fn aggregation(name: &'static str) -> Parameter {
    parameter(name, Kind::Aggregation)
}

pub(crate) const fn callback() -> Parameter {
    parameter("callback", Kind::AggregationOrFunction)
}

pub(crate) const fn any(name: &'static str) -> Parameter {
    parameter(name, Kind::Any)
}

pub(crate) const fn x_files_factor() -> Parameter {
    float("xFilesFactor").optional()
}
