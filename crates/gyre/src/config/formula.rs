//! An expression as a formula, with a letter for each poll.

use mrtg::{Expression, Operator, PollIndex, Step};

/// A formula, and the polls that its letters stand for, in their order.
pub(super) struct Formula {
    pub(super) text: String,
    pub(super) polls: Vec<PollIndex>,
}

/// A part of a formula, and how tightly its last operator binds.
struct Part {
    text: String,
    binds: u8,
}

const TIGHTEST: u8 = 4;

impl Formula {
    pub(super) fn of(expression: &Expression) -> Self {
        let mut formula = Self { text: String::new(), polls: Vec::new() };
        let mut stack: Vec<Part> = Vec::new();
        for step in expression.steps() {
            let part = match step {
                Step::Poll(poll) => Part { text: formula.letter(poll), binds: TIGHTEST },
                Step::Constant(number) => Part { text: number.to_string(), binds: TIGHTEST },
                Step::Negate => {
                    let inner = stack.pop().map(|part| part.within(3)).unwrap_or_default();
                    Part { text: format!("-{inner}"), binds: 3 }
                }
                Step::Operate(operator) => {
                    let (sign, binds) = sign(operator);
                    // What follows a minus or a slash keeps its parentheses.
                    let right = stack.pop().map(|part| part.within(binds + 1)).unwrap_or_default();
                    let left = stack.pop().map(|part| part.within(binds)).unwrap_or_default();
                    Part { text: format!("{left} {sign} {right}"), binds }
                }
            };
            stack.push(part);
        }
        formula.text = stack.pop().map(|part| part.text).unwrap_or_default();
        formula
    }

    /// The letter of a poll: `a` to `z`, then `a1` and so on.
    fn letter(&mut self, poll: PollIndex) -> String {
        let known = self.polls.iter().position(|known| *known == poll);
        let nth = known.unwrap_or_else(|| {
            self.polls.push(poll);
            self.polls.len() - 1
        });
        letter(nth)
    }
}

/// The letter of the poll with this number.
pub(super) fn letter(nth: usize) -> String {
    let letter = char::from(b'a' + (nth % 26) as u8);
    match nth / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

impl Part {
    /// The text, in parentheses if its operator binds less tightly.
    fn within(self, binds: u8) -> String {
        if self.binds < binds { format!("({})", self.text) } else { self.text }
    }
}

fn sign(operator: Operator) -> (char, u8) {
    match operator {
        Operator::Add => ('+', 1),
        Operator::Subtract => ('-', 1),
        Operator::Multiply => ('*', 2),
        Operator::Divide => ('/', 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text(String);

    impl mrtg::Source for Text {
        fn read(&self, _: &std::path::Path) -> std::io::Result<Vec<u8>> {
            Ok(self.0.clone().into())
        }

        fn glob(&self, _: &std::path::Path) -> std::io::Result<Vec<std::path::PathBuf>> {
            Ok(Vec::new())
        }
    }

    fn shown(target: &str) -> String {
        let text = format!("WorkDir: /w\nTarget[t]: {target}\nTitle[t]: t\nMaxBytes[t]: 1\n");
        let read = mrtg::Configuration::read("mrtg.cfg".as_ref(), &Text(text)).unwrap();
        Formula::of(&read.targets[0].expression).text
    }

    #[test]
    fn formulas_keep_the_parentheses_that_they_need() {
        let (one, two) = ("1:p@h", "2:p@h");
        assert_eq!(shown(one), "a");
        assert_eq!(shown(&format!("( {one} + {two} ) * 8 - {one}")), "(a + b) * 8 - a");
        assert_eq!(shown(&format!("{one} - ( {two} - 1 )")), "a - (b - 1)");
        assert_eq!(shown(&format!("( {one} * {two} ) / 2")), "a * b / 2");
        assert_eq!(shown(&format!("0 - {one} / ( 2 * 3 )")), "0 - a / (2 * 3)");
        assert_eq!(letter(27), "b1");
    }
}
