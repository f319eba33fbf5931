//! A query's text, read by `promql_parser` after it was found small enough for it.

use std::sync::Once;

use promql_parser::parser::value::ValueType;
use promql_parser::parser::{self, Expr, Function};

use crate::error::Failed;

/// Bytes of a query.
const BYTES_MAX: usize = 64 << 10;
/// Signs of a query: operators, brackets, commas. The parser's time grows with their square.
const SIGNS_MAX: usize = 2_000;
/// How deep expressions lie in each other; evaluation calls itself as deep.
const DEPTH_MAX: usize = 200;
/// No duration is longer, and the parser ends the program on one that no clock could hold.
const DURATION_SECONDS_MAX: f64 = 1e11;

/// Reads a query.
///
/// # Errors
///
/// It is no PromQL, or too large.
pub(crate) fn parse(text: &str) -> Result<Expr, Failed> {
    check(text)?;
    accept_older_names();
    let expression = parser::parse(text).map_err(|why| Failed::Syntax { why })?;
    let depth = depth(&expression);
    match depth > DEPTH_MAX {
        true => Err(too_complex("expressions within each other", DEPTH_MAX, depth)),
        false => Ok(expression),
    }
}

/// Functions that Prometheus gave other names later.
fn accept_older_names() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let types = vec![ValueType::Matrix, ValueType::Scalar, ValueType::Scalar];
        let older = Function::new("holt_winters", types, 0, ValueType::Vector, false);
        // It fails only if the parser's own functions have the name, and then all is well.
        let _ = parser::register_extra_functions(vec![older]);
    });
}

fn too_complex(what: &'static str, limit: usize, count: usize) -> Failed {
    Failed::TooComplex { what, limit, count }
}

/// How many expressions lie in each other at the deepest place.
fn depth(expression: &Expr) -> usize {
    1 + children(expression).into_iter().map(depth).max().unwrap_or(0)
}

/// The expressions right below one.
fn children(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::Aggregate(it) => it.param.iter().map(|it| &**it).chain([&*it.expr]).collect(),
        Expr::Unary(it) => vec![&it.expr],
        Expr::Binary(it) => vec![&it.lhs, &it.rhs],
        Expr::Paren(it) => vec![&it.expr],
        Expr::Subquery(it) => vec![&it.expr],
        Expr::Call(it) => it.args.args.iter().map(|it| &**it).collect(),
        _ => Vec::new(),
    }
}

/// Refuses what the parser would take too long for, or would end the program for.
fn check(text: &str) -> Result<(), Failed> {
    if text.len() > BYTES_MAX {
        return Err(too_complex("bytes", BYTES_MAX, text.len()));
    }
    let mut scan = Scan { rest: text, signs: 0, in_brackets: false, after_offset: false };
    while !scan.rest.is_empty() {
        scan.step()?;
    }
    match scan.signs > SIGNS_MAX {
        true => Err(too_complex("operators and brackets", SIGNS_MAX, scan.signs)),
        false => Ok(()),
    }
}

/// Looks over a text once, token by token.
struct Scan<'a> {
    rest: &'a str,
    signs: usize,
    in_brackets: bool,
    after_offset: bool,
}

impl<'a> Scan<'a> {
    fn step(&mut self) -> Result<(), Failed> {
        let letter = self.rest.chars().next().unwrap_or_default();
        match letter {
            '"' | '\'' | '`' => self.skip_string(letter),
            '#' => drop(self.take(|letter| letter != '\n' && letter != '\r')),
            _ if letter.is_whitespace() => drop(self.take(char::is_whitespace)),
            _ if letter.is_ascii_digit() || letter == '.' => self.number()?,
            ':' if self.in_brackets => self.sign(letter),
            _ if letter.is_alphabetic() || letter == '_' || letter == ':' => self.word()?,
            _ => self.sign(letter),
        }
        Ok(())
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|letter| !belongs(letter)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip_string(&mut self, quote: char) {
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            if letter == '\\' && quote != '`' {
                letters.next();
            } else if letter == quote {
                self.rest = &self.rest[at + 1..];
                return;
            }
        }
        self.rest = ""; // the parser names what nothing closes
    }

    fn number(&mut self) -> Result<(), Failed> {
        let from = self.rest;
        self.take(|letter| letter.is_alphanumeric() || letter == '.' || letter == '_');
        let mut end = from.len() - self.rest.len();
        if from[..end].ends_with(['e', 'E']) && self.rest.starts_with(['+', '-']) {
            self.rest = &self.rest[1..];
            end += 1 + self.take(|letter| letter.is_ascii_digit()).len();
        }
        self.check_duration(&from[..end])
    }

    fn word(&mut self) -> Result<(), Failed> {
        let word = self.take(|it| it.is_alphanumeric() || it == '_' || it == ':');
        self.check_duration(word)?; // `inf` and `nan` are numbers
        self.signs += 1;
        self.after_offset = word.eq_ignore_ascii_case("offset");
        Ok(())
    }

    fn sign(&mut self, letter: char) {
        self.rest = &self.rest[letter.len_utf8()..];
        self.signs += 1;
        self.after_offset &= matches!(letter, '+' | '-');
        self.in_brackets = (self.in_brackets || letter == '[') && letter != ']';
    }

    fn check_duration(&mut self, number: &str) -> Result<(), Failed> {
        let is_duration = self.in_brackets || std::mem::take(&mut self.after_offset);
        match number.parse::<f64>() {
            Ok(seconds) if is_duration && (seconds.is_nan() || seconds >= DURATION_SECONDS_MAX) => {
                let why = format!(
                    "expected a duration below {DURATION_SECONDS_MAX} seconds, found {number}"
                );
                Err(Failed::Syntax { why })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn durations_that_no_clock_holds_are_refused() {
        for text in
            ["a[1e300]", "a[5m:1e30]", "a offset 1e20", "a offset -inf", "a OFFSET # \n nan"]
        {
            assert!(refusal(text).contains("a duration below"), "{text}: {}", refusal(text));
        }
        assert!(parse("1e300 + a[5m] offset 5m > \"offset 1e300\"").is_err());
        parse("1e300 + sum_over_time(a{b=\"[1e300] \\\" offset 1e30\"}[5m] offset 5m)").unwrap();
    }

    #[test]
    fn large_and_deep_queries_are_refused() {
        assert!(refusal(&"-".repeat(5_000)).contains("operators"));
        assert!(refusal(&format!("{}a{}", "(".repeat(300), ")".repeat(300))).contains("within"));
        assert!(refusal(&"a".repeat(70_000)).contains("bytes"));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert!(refusal("nosuch(a)").contains("unknown function with name 'nosuch'"));
        assert!(refusal("sum(1)").contains("expected type vector"));
    }
}
