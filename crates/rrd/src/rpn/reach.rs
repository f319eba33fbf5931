//! What an expression needs besides the rows that it answers: how far its windows reach back, and
//! whether larger values can only make it larger.

use super::shifts::c_int;
use super::{Node, Operator, Program};

/// A window of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The series that it looks back along, by the index that the lookup gave it.
    pub variable: usize,
    /// The operator's name.
    pub operator: &'static str,
    /// How many seconds it spans; 0 if that is the length of a row.
    pub span_seconds: f64,
    /// How many seconds before a row its first row may lie; `None` if only evaluating tells.
    pub reach_seconds: Option<f64>,
}

impl Program {
    /// The windows of the expression.
    pub fn windows(&self) -> impl Iterator<Item = Window> + '_ {
        (0..self.nodes.len()).filter_map(|at| self.window(at))
    }

    fn window(&self, at: usize) -> Option<Window> {
        let Node::Call(operator) = self.nodes[at] else { return None };
        if let Some(words_back) = operator.series_of_trend() {
            let span_seconds = match self.before(at, 1)? {
                Node::Call(Operator::StepWidth) => Some(0.0),
                node => number(node),
            };
            let window = Window {
                variable: variable(self.before(at, words_back)?)?,
                operator: operator.name(),
                span_seconds: span_seconds.unwrap_or(0.0),
                reach_seconds: span_seconds,
            };
            return Some(window);
        }
        let words_to_window = match operator {
            Operator::Predict | Operator::PredictDeviation => 2,
            Operator::PredictPercentile => 3,
            _ => return None,
        };
        Some(Window {
            variable: variable(self.before(at, 1)?)?,
            operator: operator.name(),
            span_seconds: 0.0,
            reach_seconds: self.reach_of_prediction(at, words_to_window),
        })
    }

    /// The greatest shift and the window behind it, if all are numbers.
    fn reach_of_prediction(&self, at: usize, words_to_window: usize) -> Option<f64> {
        let number_before = |words: usize| number(self.before(at, words)?);
        let window_seconds = number_before(words_to_window)?;
        let count = c_int(number_before(words_to_window + 1)?);
        let words_to_shifts = words_to_window + 2;
        let shift_seconds = match count {
            0 => 0.0,
            1.. => {
                let shifts = (0..count as usize).map(|nth| number_before(words_to_shifts + nth));
                shifts.collect::<Option<Vec<f64>>>()?.into_iter().fold(0.0, f64::max)
            }
            _ => number_before(words_to_shifts)? * f64::from(count.unsigned_abs() - 1),
        };
        Some(shift_seconds + window_seconds)
    }

    fn before(&self, at: usize, words: usize) -> Option<Node> {
        at.checked_sub(words).map(|place| self.nodes[place])
    }

    /// Whether a larger value of a series can never make the answer smaller. False where that is not
    /// plain from the words: only sums, extremes, roundings, and factors and divisors that are
    /// numbers above 0 are looked at.
    #[must_use]
    pub fn is_rising(&self) -> bool {
        let mut stack = Vec::new();
        let risen = self.nodes.iter().try_for_each(|node| step(&mut stack, *node));
        risen.is_some() && stack.len() == 1
    }
}

/// What is known of a value.
#[derive(Clone, Copy)]
enum Known {
    Number(f64),
    Rising,
}

fn step(stack: &mut Vec<Known>, node: Node) -> Option<()> {
    use Known::{Number, Rising};
    let value = match node {
        Node::Number(number) => Number(number),
        Node::Variable(_) | Node::PreviousOf(_) => Rising,
        Node::Call(Operator::Floor | Operator::Ceiling | Operator::Round) => stack.pop()?,
        Node::Call(operator) => {
            let (b, a) = (stack.pop()?, stack.pop()?);
            match (operator, a, b) {
                (
                    Operator::Add
                    | Operator::AddKnown
                    | Operator::Minimum
                    | Operator::MinimumKnown
                    | Operator::Maximum
                    | Operator::MaximumKnown,
                    ..,
                )
                | (Operator::Subtract, Rising, Number(_)) => Rising,
                (Operator::Multiply, Rising, Number(factor))
                | (Operator::Multiply, Number(factor), Rising)
                    if factor >= 0.0 =>
                {
                    Rising
                }
                (Operator::Divide, Rising, Number(divisor)) if divisor > 0.0 => Rising,
                _ => return None,
            }
        }
    };
    stack.push(value);
    Some(())
}

fn number(node: Node) -> Option<f64> {
    match node {
        Node::Number(number) => Some(number),
        _ => None,
    }
}

fn variable(node: Node) -> Option<usize> {
    match node {
        Node::Variable(variable) | Node::PreviousOf(variable) => Some(variable),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Program, Vocabulary};

    fn program(text: &str) -> Program {
        let mut lookup = |name: &str| ["a", "b"].iter().position(|known| *known == name);
        Program::parse_in(Vocabulary::Gyre, text, &mut lookup).expect(text)
    }

    #[test]
    fn windows_tell_how_far_they_reach_back() {
        for (text, variable, reach) in [
            ("a,3600,TREND", 0, Some(3600.0)),
            ("a,95,3600,TREND.PERCENT,b,+", 0, Some(3600.0)),
            ("b,STEPWIDTH,TREND.MIN", 1, Some(0.0)),
            ("a,b,TREND", 0, None),
            ("86400,604800,2,1800,a,PREDICT", 0, Some(606_600.0)),
            ("86400,-7,1800,a,PREDICT", 0, Some(6.0 * 86_400.0 + 1800.0)),
            ("86400,-7,1800,95,b,PREDICTPERC", 1, Some(6.0 * 86_400.0 + 1800.0)),
            ("86400,COUNT,1800,a,PREDICT", 0, None),
        ] {
            let windows: Vec<_> = program(text).windows().collect();
            assert_eq!(windows.len(), 1, "{text}");
            assert_eq!(
                (windows[0].variable, windows[0].reach_seconds),
                (variable, reach),
                "{text}"
            );
        }
        assert_eq!(program("a,b,+,PREV(a),-").windows().count(), 0);
    }

    #[test]
    fn what_rises_with_its_series() {
        for text in ["a,8,*", "a,b,+,8,*", "a,b,MAX,1e6,/", "8,a,*,5,-", "a,b,ADDNAN,FLOOR"] {
            assert!(program(text).is_rising(), "{text}");
        }
        for text in ["a,b,-", "5,a,-", "a,-8,*", "a,b,*", "1,a,/", "a,300,TREND", "a,UN,0,a,IF"] {
            assert!(!program(text).is_rising(), "{text}");
        }
    }
}
