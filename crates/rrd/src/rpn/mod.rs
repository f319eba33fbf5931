//! Reverse Polish notation (RPN): the language of CDEF expressions and COMPUTE sources.
//!
//! [`Program::parse`] turns `in,8,*` into a checked program, [`Program::evaluate`] runs it over
//! columns of values: once for each step of the grid that the columns have in common.

mod operator;
mod parse;
mod column;
mod shifts;
mod evaluate;
mod look_back;
mod windows;
mod moving;
mod reach;
mod arithmetic;
mod stack;
mod sort;
mod compute;

pub use column::{Column, Variable};
pub use compute::ComputeError;
pub use evaluate::{Answer, Clock};
pub use operator::Vocabulary;
pub use reach::Window;

pub use sort::sort;

pub(crate) use compute::{is_known, reads_source};
use operator::Operator;
pub(crate) use stack::Stack;

/// A checked RPN expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    nodes: Vec<Node>,
}

/// One word of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    /// A constant.
    Number(f64),
    /// The value of a variable, by the index that the lookup gave it.
    Variable(usize),
    /// The previous value of a variable.
    PreviousOf(usize),
    /// An operator.
    Call(Operator),
}

impl Program {
    /// The variables that the expression reads, in order of appearance, repeats included.
    pub fn variables(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Variable(index) | Node::PreviousOf(index) => Some(*index),
            Node::Number(_) | Node::Call(_) => None,
        })
    }
}

/// Why an expression is refused; the words are rrdtool's where it has them.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum RpnError {
    /// Nothing between the equals sign and the end.
    #[error("can not parse an empty rpn expression")]
    Empty,
    /// A word that is neither operator, number nor known variable: the rest of the expression.
    #[error("don't understand '{0}'")]
    Unknown(String),
    /// `PREV(x)` of a variable that does not exist.
    #[error("variable '{0}' not found")]
    NoVariable(String),
    /// An operator finds fewer values than it takes.
    #[error("RPN stack underflow")]
    Underflow,
    /// More or fewer than one value is left.
    #[error("RPN final stack size != 1")]
    Leftover,
    /// A COMPUTE source asks for the value before.
    #[error("VDEF made it into rpn_calc... aborting")]
    PreviousOf,
    /// PERCENT is asked for a percentage that is none.
    #[error("percentile argument must be between 0 and 100")]
    Percent,
    /// No series gives the expression a time grid.
    #[error("rpn expressions without DEF or CDEF variables are not supported")]
    NoSeries,
    /// The series have so small a step in common that the result would be very long.
    #[error(
        "the series have steps of {} s in common, which makes {rows} rows",
        tick.told(i64::try_from(*step_seconds).unwrap_or(i64::MAX))
    )]
    TooManyRows {
        /// How many rows there would be.
        rows: i64,
        /// What steps are counted in.
        #[serde(default)]
        tick: crate::Tick,
        /// The greatest common divisor of the steps.
        step_seconds: u64,
    },
    /// TREND is asked for something else than a series.
    #[error("malformed trend arguments")]
    MalformedTrend,
    /// PREDICT is asked for something else than a series.
    #[error("malformed predict arguments")]
    MalformedPrediction,
    /// PREDICT is asked to look forward.
    #[error("negative shift step not allowed: {0}")]
    NegativeShift(i32),
    /// PREDICTPERC is asked for a percentage that is none.
    #[error("unsupported percentile: {0:.6}")]
    UnsupportedPercentile(f64),
    /// The windows of TREND or PREDICT are so long that the calculation would not end.
    #[error("the windows of TREND or PREDICT look at too many rows")]
    TooManyLooks,
}

#[cfg(test)]
mod tests;
