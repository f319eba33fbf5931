//! What a target says.

use std::fmt;

use crate::number_text::python_float;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    /// Series by a pattern of paths.
    Path(String),
    /// A function's call.
    Call(Call),
    /// A text in quotes.
    Text(String),
    /// A number.
    Number(Number),
    /// `true` or `false`.
    Boolean(bool),
    /// `None`.
    Nothing,
}

/// A function's call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The function.
    pub(crate) name: String,
    /// Its arguments.
    pub(crate) arguments: Vec<Expression>,
    /// Those with a name.
    pub(crate) named: Vec<Named>,
    /// The call as it was written.
    pub(crate) text: String,
}

/// An argument with a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named {
    /// The name.
    pub(crate) name: String,
    /// The argument.
    pub(crate) value: Expression,
}

/// A number as it was written: names of series show the difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Without a point.
    Whole(i64),
    /// With a point or an exponent, or `inf`.
    Real(f64),
}

impl Number {
    /// Its value.
    pub(crate) fn value(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Real(real) => real,
        }
    }
}

/// As Python's `str` shows it.
impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => whole.fmt(formatter),
            Self::Real(real) => python_float(*real).fmt(formatter),
        }
    }
}
