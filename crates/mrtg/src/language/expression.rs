//! The expression that a target calculates from its polls.

use super::number::Number;
use super::poll::{Direction, PollIndex};

/// An expression over polls, as steps of a stack machine, so that deeply nested input cannot
/// exhaust the stack of this program.
///
/// Nearly all of a million are one poll, which takes no memory beside.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Form);

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Poll(PollIndex),
    Steps(Box<[Step]>),
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Push the value of a poll.
    Poll(PollIndex),
    /// Push a constant.
    Constant(Number),
    /// Change the sign of the topmost value.
    Negate,
    /// Replace the two topmost values.
    Operate(Operator),
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    /// The precedence: multiplication and division bind tighter.
    pub(crate) const fn binds(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide => 2,
        }
    }

    fn apply(self, left: Number, right: Number) -> Option<Number> {
        match self {
            Self::Add => left.plus(right),
            Self::Subtract => left.minus(right),
            Self::Multiply => left.times(right),
            Self::Divide => left.over(right),
        }
    }
}

impl Expression {
    pub(crate) fn new(steps: Vec<Step>) -> Self {
        match steps[..] {
            [Step::Poll(poll)] => Self(Form::Poll(poll)),
            _ => Self(Form::Steps(steps.into())),
        }
    }

    /// Gives each poll another number.
    pub(crate) fn renumber(&mut self, mut number: impl FnMut(PollIndex) -> PollIndex) {
        let steps = match &mut self.0 {
            Form::Poll(poll) => {
                *poll = number(*poll);
                return;
            }
            Form::Steps(steps) => steps,
        };
        for step in steps {
            if let Step::Poll(poll) = step {
                *poll = number(*poll);
            }
        }
    }

    /// The steps, in order.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        let (one, several) = match &self.0 {
            Form::Poll(poll) => (Some(Step::Poll(*poll)), &[][..]),
            Form::Steps(steps) => (None, &steps[..]),
        };
        one.into_iter().chain(several.iter().copied())
    }

    /// The poll, if the expression calculates nothing.
    #[must_use]
    pub fn only_poll(&self) -> Option<PollIndex> {
        match self.0 {
            Form::Poll(poll) => Some(poll),
            Form::Steps(_) => None,
        }
    }

    /// The value for one direction. `None` is unknown: if a poll has no value, or on division by
    /// zero. The value is not rounded; [`crate::Target::reading`] does that.
    pub fn evaluate(
        &self,
        direction: Direction,
        mut value: impl FnMut(PollIndex, Direction) -> Option<Number>,
    ) -> Option<Number> {
        let mut stack = Vec::new();
        for step in self.steps() {
            let result = match step {
                Step::Poll(poll) => value(poll, direction)?,
                Step::Constant(number) => number,
                Step::Negate => stack.pop().and_then(Number::negate)?,
                Step::Operate(operator) => {
                    let right = stack.pop()?;
                    operator.apply(stack.pop()?, right)?
                }
            };
            stack.push(result);
        }
        stack.pop()
    }

    /// The polls in the order of the expression, including repetitions.
    pub fn polls(&self) -> impl Iterator<Item = PollIndex> {
        self.steps().filter_map(|step| match step {
            Step::Poll(poll) => Some(poll),
            _ => None,
        })
    }

    /// The poll, if the expression has only one, however often it is repeated. MRTG then uses the
    /// time of that poll for the sample, and otherwise the time of the calculation.
    #[must_use]
    pub fn single_poll(&self) -> Option<PollIndex> {
        let mut polls = self.polls();
        let first = polls.next()?;
        polls.all(|other| other == first).then_some(first)
    }
}
