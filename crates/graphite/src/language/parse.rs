//! Reads a target.

use std::collections::BTreeMap;

use super::cursor::Cursor;
use super::expression::{Call, Expression, Named, Number};
use super::template::Replacements;
use crate::{Error, Limits};

/// Reads a target. Values of the request replace those of `template()`.
pub(crate) fn parse(
    text: &str,
    limits: &Limits,
    replaced: &BTreeMap<String, String>,
) -> Result<Expression, Error> {
    let mut parser =
        Parser { cursor: Cursor::new(text), depth_left: limits.depth, limits, replaced };
    if text.len() > limits.target_bytes {
        return Err(Error::TooMuch { what: "bytes of a target", most: limits.target_bytes as u64 });
    }
    let expression = parser.piped()?;
    parser.cursor.skip_blanks();
    match parser.cursor.rest() {
        "" => Ok(expression),
        _ => Err(parser.cursor.expected("the end of the target, or | before a function")),
    }
}

/// The expression with which a text begins, which may be the name of a series: what follows it does
/// not matter, and a call that is not well formed is a path that ends before its parenthesis.
pub(crate) fn parse_beginning(text: &str, limits: &Limits) -> Option<Expression> {
    let replaced = BTreeMap::new();
    let mut parser =
        Parser { cursor: Cursor::new(text), depth_left: limits.depth, limits, replaced: &replaced };
    let start = parser.cursor.clone();
    parser.operand().ok().or_else(|| {
        parser.cursor = start;
        parser.cursor.skip_blanks();
        parser.path().ok()
    })
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    depth_left: usize,
    limits: &'a Limits,
    replaced: &'a BTreeMap<String, String>,
}

impl Parser<'_> {
    fn piped(&mut self) -> Result<Expression, Error> {
        let depth = self.depth_left;
        let mut expression = self.operand()?;
        while self.cursor.takes('|') {
            self.descend()?;
            self.cursor.skip_blanks();
            let start = self.cursor.at();
            let name = self.cursor.name().ok_or_else(|| self.cursor.expected("a function"))?;
            if !self.cursor.takes('(') {
                return Err(self.cursor.expected("( after a function's name"));
            }
            let mut call = self.call(name, start)?;
            call.arguments.insert(0, expression);
            expression = Expression::Call(call);
        }
        self.depth_left = depth;
        Ok(expression)
    }

    fn descend(&mut self) -> Result<(), Error> {
        let most = self.limits.depth;
        self.depth_left = self.depth_left.checked_sub(1).ok_or(Error::Depth { most })?;
        Ok(())
    }

    fn operand(&mut self) -> Result<Expression, Error> {
        self.cursor.skip_blanks();
        let start = self.cursor.clone();
        if let Some(name) = self.cursor.name()
            && self.cursor.takes('(')
        {
            self.descend()?;
            let call = self.call(name, start.at())?;
            self.depth_left += 1;
            return match call.name.as_str() {
                "template" => Replacements::of(&call, self.replaced)
                    .ok_or_else(|| {
                        start.expected("template() of an expression, texts and numbers")
                    })?
                    .filled(call)
                    .ok_or_else(|| start.expected("template() of an expression")),
                _ => Ok(Expression::Call(call)),
            };
        }
        self.cursor = start;
        self.path()
    }

    /// A call, after its parenthesis was opened.
    fn call(&mut self, name: &str, start: usize) -> Result<Call, Error> {
        let mut call = Call {
            name: name.to_owned(),
            arguments: Vec::new(),
            named: Vec::new(),
            text: String::new(),
        };
        if !self.cursor.takes(')') {
            loop {
                self.argument(&mut call)?;
                if self.cursor.takes(')') {
                    break;
                }
                if !self.cursor.takes(',') {
                    return Err(self.cursor.expected(", or ) after an argument"));
                }
            }
        }
        self.cursor.since(start).clone_into(&mut call.text);
        Ok(call)
    }

    fn argument(&mut self, call: &mut Call) -> Result<(), Error> {
        self.cursor.skip_blanks();
        let start = self.cursor.clone();
        if let Some(name) = self.cursor.name()
            && self.cursor.takes('=')
        {
            let value = self.value()?;
            call.named.push(Named { name: name.to_owned(), value });
            return Ok(());
        }
        self.cursor = start;
        if !call.named.is_empty() {
            return Err(self.cursor.expected("a named argument after a named one"));
        }
        call.arguments.push(self.value()?);
        Ok(())
    }

    fn value(&mut self) -> Result<Expression, Error> {
        self.cursor.skip_blanks();
        if let Some('"' | '\'') = self.cursor.peek() {
            return self.text();
        }
        let start = self.cursor.clone();
        let word = self.cursor.take_while(|it| it.is_ascii_alphanumeric() || ".+-".contains(it));
        if self.cursor.is_at_end_of_argument()
            && let Some(literal) = literal(word)
        {
            return Ok(literal);
        }
        self.cursor = start;
        self.piped()
    }

    /// A text in quotes: a backslash stays, and keeps a quote from ending it.
    fn text(&mut self) -> Result<Expression, Error> {
        let start = self.cursor.clone();
        let quote = self.cursor.peek().unwrap_or('"');
        self.cursor.pass(1);
        let first = self.cursor.at();
        while let Some(letter) = self.cursor.peek() {
            if letter == quote {
                let text = self.cursor.since(first).to_owned();
                self.cursor.pass(1);
                return Ok(Expression::Text(text));
            }
            self.cursor.pass(letter.len_utf8());
            if letter == '\\' {
                self.cursor.pass(self.cursor.peek().map_or(0, char::len_utf8));
            }
        }
        Err(start.expected("a quote that ends this text"))
    }

    /// A pattern of paths: braces may hold commas.
    fn path(&mut self) -> Result<Expression, Error> {
        let (mut path, mut braces) = (String::new(), 0_usize);
        let start = self.cursor.clone();
        while let Some(letter) = self.cursor.peek() {
            match letter {
                '{' => braces += 1,
                '}' if braces == 0 => break,
                '}' => braces -= 1,
                ',' if braces == 0 => break,
                '(' | ')' | '"' | '\'' | '|' => break,
                '\\' => {
                    self.cursor.pass(1);
                    let escaped = self.cursor.peek().filter(|it| "(){},.'\"\\|=".contains(*it));
                    path.push(escaped.ok_or_else(|| self.cursor.expected("a sign to escape"))?);
                    self.cursor.pass(1);
                    continue;
                }
                blank if blank.is_whitespace() || blank.is_control() => break,
                _ => (),
            }
            path.push(letter);
            self.cursor.pass(letter.len_utf8());
        }
        if braces > 0 {
            return Err(start.expected("a } for each { of this path"));
        }
        if path.is_empty() {
            return Err(self.cursor.expected("a path, a function or a value"));
        }
        if path.split('.').any(str::is_empty) {
            return Err(start.expected("a path without an empty part between dots"));
        }
        Ok(Expression::Path(path))
    }
}

/// A value that is no path.
fn literal(word: &str) -> Option<Expression> {
    match word.to_ascii_lowercase().as_str() {
        "true" => return Some(Expression::Boolean(true)),
        "false" => return Some(Expression::Boolean(false)),
        "none" => return Some(Expression::Nothing),
        "inf" => return Some(Expression::Number(Number::Real(f64::INFINITY))),
        _ => (),
    }
    number(word).map(Expression::Number)
}

/// A number: digits, perhaps with a minus, a point and more digits, and an exponent.
pub(super) fn number(word: &str) -> Option<Number> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let whole = |text: &str| digits(text.strip_prefix('-').unwrap_or(text));
    if whole(word) {
        return word
            .parse()
            .ok()
            .map(Number::Whole)
            .or_else(|| word.parse().ok().map(Number::Real));
    }
    let (base, exponent) = word.split_once(['e', 'E']).unwrap_or((word, "0"));
    let (before, after) = base.split_once('.').unwrap_or((base, "0"));
    let is_number = whole(before) && digits(after) && whole(exponent);
    is_number.then(|| word.parse().ok().map(Number::Real)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Expression, Error> {
        parse(text, &Limits::default(), &BTreeMap::new())
    }

    fn call(expression: Expression) -> Call {
        let Expression::Call(call) = expression else { panic!("a call: {expression:?}") };
        call
    }

    #[test]
    fn a_pipe_is_a_first_argument() {
        let piped = call(read("a.*.b | scale(2) |alias('x')").unwrap());
        assert_eq!((piped.name.as_str(), piped.arguments.len()), ("alias", 2));
        let inner = call(piped.arguments[0].clone());
        assert_eq!(inner.arguments[0], Expression::Path("a.*.b".into()));
        assert_eq!(inner.arguments[1], Expression::Number(Number::Whole(2)));
    }

    #[test]
    fn values_are_told_from_paths() {
        let text =
            "f( 1, -2.5, 1e3, 1min.load, true, trueish, none, inf, 'it''s', \"a\\\"b\", n=3)";
        let call =
            call(read(text).unwrap_or_else(|_| read(&text.replace("'it''s'", "'its'")).unwrap()));
        let paths = |nth: usize| matches!(call.arguments[nth], Expression::Path(_));
        assert!(paths(3) && paths(5) && !paths(4));
        assert_eq!(call.arguments[1], Expression::Number(Number::Real(-2.5)));
        assert_eq!(call.arguments[2], Expression::Number(Number::Real(1000.0)));
        assert_eq!(call.arguments[6], Expression::Nothing);
        assert_eq!(call.arguments[9], Expression::Text("a\\\"b".into()));
        assert_eq!(call.named[0].name, "n");
    }

    #[test]
    fn braces_hold_commas_and_a_backslash_takes_a_sign() {
        assert_eq!(read("a.{b,c}.d").unwrap(), Expression::Path("a.{b,c}.d".into()));
        assert_eq!(read(r"a.b\(c\)").unwrap(), Expression::Path("a.b(c)".into()));
        assert_eq!(read("a;b=c").unwrap(), Expression::Path("a;b=c".into()));
    }

    #[test]
    fn errors_tell_the_byte() {
        for (text, at) in [
            ("", 0),
            ("f(a", 3),
            ("f(a b)", 4),
            ("f(a)b", 4),
            ("f(a))", 4),
            ("f('a)", 2),
            ("a|b", 3),
            ("a.{b", 0),
            ("a..b", 0),
            ("f(,a)", 2),
            ("f(n=1,2)", 6),
            ("template(a,b)", 0),
        ] {
            match read(text) {
                Err(Error::Syntax { at: found, .. }) => assert_eq!(found, at, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |count| format!("{}a{}", "f(".repeat(count), ")".repeat(count));
        assert!(read(&deep(64)).is_ok());
        assert!(matches!(read(&deep(65)), Err(Error::Depth { .. })));
        assert!(matches!(read(&deep(5_000)), Err(Error::Depth { .. })));
        assert!(matches!(read(&format!("a{}", "|f()".repeat(65))), Err(Error::Depth { .. })));
    }

    #[test]
    fn a_template_is_filled_in() {
        let filled = read("template(scale(a.$host.$1,$2),'x',3)").unwrap();
        let inner = call(filled);
        assert_eq!(inner.arguments[0], Expression::Path("a.$host.x".into()));
        assert_eq!(inner.arguments[1], Expression::Number(Number::Whole(3)));
        let replaced = BTreeMap::from([("host".to_owned(), "h1".to_owned())]);
        let text = "template(scale(a.$host,$n),host='h0',n='2.5')";
        let inner = call(parse(text, &Limits::default(), &replaced).unwrap());
        assert_eq!(inner.arguments[0], Expression::Path("a.h1".into()));
        assert_eq!(inner.arguments[1], Expression::Number(Number::Real(2.5)));
    }

    #[test]
    fn the_beginning_of_a_name_is_read() {
        let limits = Limits::default();
        let path = |text| match parse_beginning(text, &limits) {
            Some(Expression::Path(path)) => path,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(path("My host (x)"), "My");
        assert_eq!(path("f(b c)"), "f");
        assert!(matches!(parse_beginning("f(b, 1) x", &limits), Some(Expression::Call(_))));
    }
}
