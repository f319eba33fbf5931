//! The expression of a COMPUTE source: from text, to text, and its value.

use super::operator::Vocabulary;
use super::stack::Stack;
use super::{Node, Operator, RpnError, arithmetic, parse};
use crate::UNKNOWN;
use crate::expression::{CompactNode, Expression};

/// The file format's numbers of words that are no operators.
const NUMBER: u8 = 0;
const VARIABLE: u8 = 1;
const PREVIOUS_OF: u8 = 36;

/// The operators that the file format knows and that a COMPUTE source may have, with their numbers.
const OPERATORS: [(u8, Operator); 52] = [
    (2, Operator::Infinity),
    (4, Operator::NegativeInfinity),
    (5, Operator::Unknown),
    (6, Operator::Now),
    (8, Operator::Add),
    (9, Operator::Remainder),
    (10, Operator::Subtract),
    (11, Operator::Multiply),
    (12, Operator::Divide),
    (13, Operator::Sine),
    (14, Operator::Duplicate),
    (15, Operator::Exchange),
    (16, Operator::Pop),
    (17, Operator::Cosine),
    (18, Operator::Logarithm),
    (19, Operator::Exponential),
    (20, Operator::Less),
    (21, Operator::LessOrEqual),
    (22, Operator::Greater),
    (23, Operator::GreaterOrEqual),
    (24, Operator::Equal),
    (25, Operator::If),
    (26, Operator::Minimum),
    (27, Operator::Maximum),
    (28, Operator::Limit),
    (29, Operator::Floor),
    (30, Operator::Ceiling),
    (31, Operator::IsUnknown),
    (34, Operator::NotEqual),
    (35, Operator::IsInfinite),
    (38, Operator::ArcTangent),
    (39, Operator::SquareRoot),
    (40, Operator::Sort),
    (41, Operator::Reverse),
    (44, Operator::ArcTangent2),
    (45, Operator::ToDegrees),
    (46, Operator::ToRadians),
    (49, Operator::Average),
    (50, Operator::Absolute),
    (51, Operator::AddKnown),
    (52, Operator::MinimumKnown),
    (53, Operator::MaximumKnown),
    (54, Operator::Median),
    (56, Operator::Depth),
    (57, Operator::Copy),
    (58, Operator::Roll),
    (59, Operator::Index),
    (65, Operator::Smallest),
    (66, Operator::Largest),
    (67, Operator::Deviation),
    (68, Operator::Percentile),
    (69, Operator::Power),
];

/// The operator of each number of the format.
const BY_NUMBER: [Option<Operator>; 70] = {
    let mut table = [None; 70];
    let mut nth = 0;
    while nth < OPERATORS.len() {
        table[OPERATORS[nth].0 as usize] = Some(OPERATORS[nth].1);
        nth += 1;
    }
    table
};

fn operator_of(node: CompactNode) -> Option<Operator> {
    BY_NUMBER.get(usize::from(node.operator)).copied().flatten()
}

/// Whether a COMPUTE source may have such a word.
pub(crate) fn is_known(node: CompactNode) -> bool {
    matches!(node.operator, NUMBER | VARIABLE | PREVIOUS_OF) || operator_of(node).is_some()
}

/// Whether a word reads a source.
pub(crate) fn reads_source(node: CompactNode) -> bool {
    matches!(node.operator, VARIABLE | PREVIOUS_OF)
}

/// Why the expression of a COMPUTE source is refused; the words are rrdtool's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum ComputeError {
    /// It is no expression over the sources before.
    #[error("failed to parse computed data source")]
    Malformed,
    /// It asks for a time or for other rows.
    #[error(
        "operators TIME LTIME STEPWIDTH PREV NEW* COUNT TREND TRENDNAN PREDICT PREDICTSIGMA \
         PREDICTPERC are not supported with DS COMPUTE"
    )]
    Forbidden,
    /// It is too long for the file format.
    #[error("Maximum 19 RPN nodes permitted. Got {0} RPN nodes at present.")]
    TooLong(usize),
    /// A constant that the file format cannot hold.
    #[error("constants must be integers in the interval (-32768, 32767)")]
    Constant,
}

/// Words of rrdtool's that a COMPUTE source may not have and that have no number here.
const FORBIDDEN: [&str; 14] = [
    "TIME",
    "LTIME",
    "STEPWIDTH",
    "PREV",
    "COUNT",
    "NEWDAY",
    "NEWWEEK",
    "NEWMONTH",
    "NEWYEAR",
    "TREND",
    "TRENDNAN",
    "PREDICT",
    "PREDICTSIGMA",
    "PREDICTPERC",
];

impl Expression {
    /// Reads the expression of a COMPUTE source; `names` are those of the sources before it.
    ///
    /// # Errors
    /// [`ComputeError`].
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, ComputeError> {
        Self::parse_by(text, &mut |name| names.iter().position(|known| *known == name))
    }

    /// The same, where `lookup` tells the position of a source by its name.
    ///
    /// # Errors
    /// [`ComputeError`].
    pub fn parse_by(
        text: &str,
        mut lookup: &mut dyn FnMut(&str) -> Option<usize>,
    ) -> Result<Self, ComputeError> {
        // One comma may stand at the end.
        let text = text.strip_suffix(',').unwrap_or(text);
        let mut words = Vec::new();
        let mut rest = Some(text);
        while let Some(tail) = rest {
            let (word, after) = match tail.split_once(',') {
                Some((word, after)) => (word, Some(after)),
                None => (tail, None),
            };
            words.push(match parse::node(Vocabulary::Rrdtool, word, tail, &mut lookup) {
                _ if FORBIDDEN.contains(&word) => None,
                // rrdtool 1.7 could not read the file.
                Ok(Node::Call(Operator::Round)) => return Err(ComputeError::Malformed),
                Ok(node) => Some(node),
                Err(_) => return Err(ComputeError::Malformed),
            });
            rest = after;
        }
        let nodes: Option<Vec<Node>> = words.into_iter().collect();
        let nodes = nodes.ok_or(ComputeError::Forbidden)?;
        let compact = nodes.iter().map(compact).collect::<Result<Vec<_>, _>>();
        let count = nodes.len();
        Self::from_nodes(&compact?).ok_or(ComputeError::TooLong(count))
    }

    /// The expression as text; `names` are those of all sources.
    #[must_use]
    pub fn text(&self, names: &[&str]) -> String {
        let name = |node: &CompactNode| {
            let name = usize::try_from(node.operand).ok().and_then(|source| names.get(source));
            name.copied().unwrap_or_default()
        };
        let word = |node: &CompactNode| match node.operator {
            NUMBER => node.operand.to_string(),
            VARIABLE => name(node).to_owned(),
            PREVIOUS_OF => format!("PREV({})", name(node)),
            _ => operator_of(*node).map_or("", Operator::name).to_owned(),
        };
        self.nodes().iter().map(word).collect::<Vec<_>>().join(",")
    }

    /// The value of the expression for the primary data points `pdps` of the sources before.
    ///
    /// # Errors
    /// [`RpnError`]: the words do not leave one value.
    pub(crate) fn value(
        &self,
        pdps: &[f64],
        now_seconds: i64,
        stack: &mut Stack,
    ) -> Result<f64, RpnError> {
        stack.clear();
        for node in self.nodes() {
            match node.operator {
                NUMBER => stack.push(f64::from(node.operand)),
                VARIABLE => {
                    let source = usize::try_from(node.operand).ok();
                    let pdp = source.and_then(|source| pdps.get(source).copied());
                    stack.push(pdp.unwrap_or(UNKNOWN));
                }
                PREVIOUS_OF => return Err(RpnError::PreviousOf),
                _ => match operator_of(*node) {
                    Some(Operator::Now) => stack.push(now_seconds as f64),
                    Some(operator) => arithmetic::apply(operator, stack)?,
                    None => return Err(RpnError::Underflow),
                },
            }
        }
        stack.answer()
    }
}

fn compact(node: &Node) -> Result<CompactNode, ComputeError> {
    let position = |index: usize| i16::try_from(index).map_err(|_| ComputeError::Malformed);
    let (operator, operand) = match *node {
        Node::Number(number) => {
            let operand = number as i16; // saturates, and is then another number
            if f64::from(operand) != number {
                return Err(ComputeError::Constant);
            }
            (NUMBER, operand)
        }
        Node::Variable(source) => (VARIABLE, position(source)?),
        Node::PreviousOf(source) => (PREVIOUS_OF, position(source)?),
        Node::Call(operator) => {
            let number = OPERATORS.iter().find(|(_, known)| *known == operator);
            (number.ok_or(ComputeError::Forbidden)?.0, 0)
        }
    };
    Ok(CompactNode { operator, operand })
}
