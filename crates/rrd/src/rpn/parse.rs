//! From the text of an expression to a checked program.

use super::operator::{Effect, Operator, Vocabulary};
use super::{Node, Program, RpnError};
use crate::number::{self, Parsed};

impl Program {
    /// Parses `text`; `lookup` gives the index of a variable, or `None` if there is none.
    ///
    /// # Errors
    /// What rrdtool says of a malformed expression, here before any value is read.
    pub fn parse(
        text: &str,
        lookup: &mut dyn FnMut(&str) -> Option<usize>,
    ) -> Result<Self, RpnError> {
        Self::parse_in(Vocabulary::Rrdtool, text, lookup)
    }

    /// The same with the words of a vocabulary.
    ///
    /// # Errors
    /// As [`Program::parse`].
    pub fn parse_in(
        vocabulary: Vocabulary,
        text: &str,
        lookup: &mut dyn FnMut(&str) -> Option<usize>,
    ) -> Result<Self, RpnError> {
        if text.is_empty() {
            return Err(RpnError::Empty);
        }
        let mut nodes = Vec::new();
        let mut rest = Some(text);
        while let Some(tail) = rest {
            let (word, after) = match tail.split_once(',') {
                Some((word, after)) => (word, Some(after)),
                None => (tail, None),
            };
            nodes.push(node(vocabulary, word, tail, lookup)?);
            rest = after;
        }
        let program = Self { nodes };
        // Nothing would give the values a time.
        if program.variables().next().is_none() {
            return Err(RpnError::NoSeries);
        }
        check_depth(&program.nodes)?;
        Ok(program)
    }
}

pub(super) fn node(
    vocabulary: Vocabulary,
    word: &str,
    tail: &str,
    lookup: &mut dyn FnMut(&str) -> Option<usize>,
) -> Result<Node, RpnError> {
    if let Some(operator) = Operator::in_vocabulary(word, vocabulary) {
        return Ok(Node::Call(operator));
    }
    // rrdtool knows a number by the comma behind it: none can stand last.
    if tail.len() > word.len()
        && let Some(number) = number(word)
    {
        return Ok(Node::Number(number));
    }
    if let Some(name) = word.strip_prefix("PREV(").and_then(|w| w.strip_suffix(')')) {
        let index = lookup(name).ok_or_else(|| RpnError::NoVariable(name.into()))?;
        return Ok(Node::PreviousOf(index));
    }
    lookup(word).map(Node::Variable).ok_or_else(|| RpnError::Unknown(tail.into()))
}

/// rrdtool takes longer words for names.
const NUMBER_LENGTH_MAX: usize = 40;

/// A decimal number, read with rrdtool's arithmetic; the words `nan` and `inf` and hexadecimals
/// are none.
fn number(word: &str) -> Option<f64> {
    let decimal = |byte: u8| byte.is_ascii_digit() || b"+-.e".contains(&byte);
    match number::parse(word) {
        _ if word.len() > NUMBER_LENGTH_MAX => None,
        Parsed::Whole(number) if word.bytes().all(decimal) => Some(number),
        _ => None,
    }
}

/// Follows the depth of the stack as far as counts are constant; the rest is checked when run.
fn check_depth(nodes: &[Node]) -> Result<(), RpnError> {
    let mut depth = 0_usize;
    let mut constant = None;
    for (at, node) in nodes.iter().enumerate() {
        let effect = match node {
            Node::Call(operator) => operator.effect(),
            Node::Number(_) | Node::Variable(_) | Node::PreviousOf(_) => Effect::Fixed(0, 1),
        };
        let Some((takes, leaves)) = counts(effect, constant) else {
            return Ok(());
        };
        depth = depth.checked_sub(takes).ok_or(RpnError::Underflow)? + leaves;
        check_trend(nodes, at)?;
        constant = match node {
            Node::Number(number) => Some(*number),
            _ => None,
        };
    }
    if depth == 1 { Ok(()) } else { Err(RpnError::Leftover) }
}

/// Refuses TREND and its like of something else than a series, and percentages that are none.
fn check_trend(nodes: &[Node], at: usize) -> Result<(), RpnError> {
    let Node::Call(operator) = nodes[at] else { return Ok(()) };
    let Some(words_back) = operator.series_of_trend() else { return Ok(()) };
    let before = |words: usize| at.checked_sub(words).map(|place| nodes[place]);
    if !matches!(before(words_back), Some(Node::Variable(_))) {
        return Err(RpnError::MalformedTrend);
    }
    match before(2) {
        Some(Node::Number(percent))
            if operator == Operator::TrendPercentile && !(0.0..=100.0).contains(&percent) =>
        {
            Err(RpnError::Percent)
        }
        _ => Ok(()),
    }
}

/// How many values an operator takes and leaves, if its count is the constant below it.
fn counts(effect: Effect, constant: Option<f64>) -> Option<(usize, usize)> {
    if let Effect::Fixed(takes, leaves) = effect {
        return Some((takes, leaves));
    }
    let count = constant.filter(|count| (0.0..1e6).contains(count))? as usize;
    match effect {
        Effect::KeepsCounted => Some((count + 1, count)),
        Effect::FoldsCounted if count > 0 => Some((count + 1, 1)),
        Effect::FoldsCountedWithParameter if count > 0 => Some((count + 2, 1)),
        Effect::DoublesCounted => Some((count + 1, 2 * count)),
        Effect::CopiesOne if count > 0 => Some((count + 1, count + 1)),
        _ => None,
    }
}
