//! The words of a command line, by a table.
//!
//! Options and operands may stand in any order, short options may be joined, values may follow
//! directly or as the next word, `--` ends the options. Long names are not abbreviated. The words
//! of errors are those of rrdtool's.

use std::fmt;

use crate::OptionRule;

/// Room for an error's text; longer ones are cut, closing quote included, as rrdtool's are.
const ERROR_BYTES: usize = 47;

/// Goes through the words of a command line.
pub struct Options<'a> {
    rules: &'static [OptionRule],
    words: &'a [&'a str],
    operands: Vec<&'a str>,
    /// Letters of a word of joined short options that are still to be looked at.
    joined: &'a str,
}

/// An option found: its long name, and its value (empty where it takes none).
pub type Found<'a> = (&'static str, &'a str);

impl<'a> Options<'a> {
    /// Goes through `words` by these rules.
    #[must_use]
    pub fn new(rules: &'static [OptionRule], words: &'a [&'a str]) -> Self {
        Self { rules, words, operands: Vec::new(), joined: "" }
    }

    /// The next option, or `None` once only operands are left.
    ///
    /// # Errors
    /// A word is no option of the table, lacks its value, or has one that it does not take.
    pub fn next_option(&mut self) -> Result<Option<Found<'a>>, Misread> {
        loop {
            if !self.joined.is_empty() {
                return self.short().map(Some);
            }
            let Some((&word, rest)) = self.words.split_first() else { return Ok(None) };
            self.words = rest;
            match word.strip_prefix('-') {
                Some("-") => {
                    self.operands.extend(rest);
                    self.words = &[];
                }
                None | Some("") => self.operands.push(word),
                Some(short) => match short.strip_prefix('-') {
                    Some(long) => return self.long(long).map(Some),
                    None => self.joined = short,
                },
            }
        }
    }

    /// The words that are no options, in order. To be called after the last option.
    #[must_use]
    pub fn operands(self) -> Vec<&'a str> {
        self.operands
    }

    fn short(&mut self) -> Result<Found<'a>, Misread> {
        let mut letters = self.joined.chars();
        let letter = letters.next().unwrap_or_default();
        let rest = letters.as_str();
        let rule = self.rules.iter().find(|rule| rule.short == Some(letter));
        let Some(rule) = rule else {
            self.joined = ""; // who goes on goes on with the next word
            return Err(Misread::new(Wrong::Unknown, letter));
        };
        if rule.value.is_none() {
            self.joined = rest;
            return Ok((rule.long, ""));
        }
        self.joined = "";
        if !rest.is_empty() {
            return Ok((rule.long, rest));
        }
        let value = self.next_word();
        value
            .map(|value| (rule.long, value))
            .ok_or_else(|| Misread::new(Wrong::LetterWithoutValue, letter))
    }

    fn long(&mut self, word: &'a str) -> Result<Found<'a>, Misread> {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let rule = self.rules.iter().find(|rule| rule.long == name);
        let rule = rule.ok_or_else(|| Misread::new(Wrong::Unknown, word))?;
        match (rule.value, attached) {
            (None, None) => Ok((rule.long, "")),
            (None, Some(_)) => Err(Misread::new(Wrong::Value, rule.long)),
            (Some(_), Some(value)) => Ok((rule.long, value)),
            (Some(_), None) => {
                let value = self.next_word();
                value
                    .map(|value| (rule.long, value))
                    .ok_or_else(|| Misread::new(Wrong::WithoutValue, rule.long))
            }
        }
    }

    fn next_word(&mut self) -> Option<&'a str> {
        let (&word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }
}

/// A word of a command line that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    wrong: Wrong,
    /// The option, without its dashes.
    option: String,
}

/// What is wrong with an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Unknown,
    LetterWithoutValue,
    WithoutValue,
    /// It has one and takes none.
    Value,
}

impl Misread {
    fn new(wrong: Wrong, option: impl Into<String>) -> Self {
        Self { wrong, option: option.into() }
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.wrong {
            Wrong::Unknown => "invalid option",
            Wrong::LetterWithoutValue => "option requires an argument",
            Wrong::WithoutValue => "option requires argument",
            Wrong::Value => "option takes no arguments",
        };
        let text = format!("{what} -- '{}'", self.option);
        f.write_str(&text[..text.floor_char_boundary(ERROR_BYTES)])
    }
}

impl std::error::Error for Misread {}

#[cfg(test)]
mod tests {
    use super::{Misread, Options};
    use crate::OptionRule;

    const RULES: &[OptionRule] = &[
        OptionRule { long: "template", short: Some('t'), value: Some("NAMES"), help: "" },
        OptionRule { long: "skip-past-updates", short: Some('s'), value: None, help: "" },
    ];

    /// The values of options, and the operands.
    fn parse(line: &str) -> Result<(Vec<String>, Vec<String>), Misread> {
        let words: Vec<&str> = line.split(' ').collect();
        let mut options = Options::new(RULES, &words);
        let mut found = Vec::new();
        while let Some((_, value)) = options.next_option()? {
            found.push(value.to_owned());
        }
        Ok((found, options.operands().into_iter().map(str::to_owned).collect()))
    }

    #[test]
    fn takes_options_anywhere_in_every_form() {
        let (values, operands) = parse("a -st b --template=c - -td --template e -- -s").unwrap();
        assert_eq!(values, ["", "b", "c", "d", "e"]);
        assert_eq!(operands, ["a", "-", "-s"]);
    }

    #[test]
    fn complains_in_rrdtools_words() {
        for (line, words) in [
            ("-x", "invalid option -- 'x'"),
            ("-5:5", "invalid option -- '5'"),
            ("--templ", "invalid option -- 'templ'"),
            ("a -t", "option requires an argument -- 't'"),
            ("--template", "option requires argument -- 'template'"),
            ("--skip-past-updates=1", "option takes no arguments -- 'skip-past-updates"),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), words);
        }
    }
}
