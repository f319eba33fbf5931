//! SPDX licence expressions: `(MIT OR Apache-2.0) AND Unicode-3.0`.

/// Whether some choice within an expression leads to allowed licences only.
///
/// The old `MIT/Apache-2.0` of crates.io means OR.
pub(super) fn allows(expression: &str, allowed: &[&str]) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut parser = Parser { words: spaced.split_whitespace().collect(), position: 0, allowed };
    let verdict = parser.any()?;
    match parser.peek() {
        None => Ok(verdict),
        Some(word) => Err(format!("{word} is one word too many")),
    }
}

struct Parser<'a> {
    words: Vec<&'a str>,
    position: usize,
    allowed: &'a [&'a str],
}

impl Parser<'_> {
    /// `all OR all …`
    fn any(&mut self) -> Result<bool, String> {
        let mut verdict = self.all()?;
        while self.take("OR") {
            verdict |= self.all()?;
        }
        Ok(verdict)
    }

    /// `one AND one …`
    fn all(&mut self) -> Result<bool, String> {
        let mut verdict = self.one()?;
        while self.take("AND") {
            verdict &= self.one()?;
        }
        Ok(verdict)
    }

    /// A licence, perhaps `WITH` an exception, or an expression in parentheses.
    fn one(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let verdict = self.any()?;
            let closed = self.take(")");
            return closed.then_some(verdict).ok_or("a ) is missing".to_owned());
        }
        let mut licence = self.word()?.to_owned();
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.word()?);
        }
        Ok(self.allowed.contains(&licence.as_str()))
    }

    fn word(&mut self) -> Result<&str, String> {
        let word = self.words.get(self.position).copied();
        self.position += 1;
        word.ok_or("it ends too early".to_owned())
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.peek() == Some(word);
        self.position += usize::from(there);
        there
    }

    fn peek(&self) -> Option<&str> {
        self.words.get(self.position).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::allows;

    const ALLOWED: &[&str] = &["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];

    #[test]
    fn one_allowed_choice_is_enough() {
        for expression in [
            "MIT",
            "MIT/GPL-3.0-only",
            "GPL-2.0-only OR MIT",
            "(GPL-3.0-only OR MIT) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR MPL-2.0",
        ] {
            assert_eq!(allows(expression, ALLOWED), Ok(true), "{expression}");
        }
    }

    #[test]
    fn every_part_of_an_and_counts() {
        for expression in ["GPL-3.0-only", "MIT AND MPL-2.0", "Apache-2.0", "MITT"] {
            assert_eq!(allows(expression, ALLOWED), Ok(false), "{expression}");
        }
    }

    #[test]
    fn broken_expressions_are_errors() {
        for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT MIT"] {
            assert!(allows(expression, ALLOWED).is_err(), "{expression}");
        }
    }
}
