//! Parses the words of rrdtool, rrdgraph and rrdcached by rows, with rrdtool's errors.
//!
//! Options and operands may be in any order, short options may be joined, values may follow
//! directly or as the next word, and `--` ends the options. Long names cannot be abbreviated.

use std::fmt;

use crate::Naming;

/// An option that sets something in a `T`; a refused value gives an `E`.
pub type Row<'a, T, E> = crate::Row<T, &'a str, E>;

/// The size of rrdtool's buffer for errors; longer ones are cut, including the closing quote.
const ERROR_BYTES: usize = 47;

/// Applies the options to `settings`, in order, and returns the operands.
///
/// # Errors
///
/// The first word that is not an option of the rows, lacks its value, or has a value that it does
/// not take; or the error of a setter.
pub fn read<'a, T, E: From<Misread>>(
    rows: &[Row<'a, T, E>],
    settings: &mut T,
    words: &[&'a str],
) -> Result<Vec<&'a str>, E> {
    let mut scan = Scan::new(rows, words);
    while let Some(given) = scan.next_option()? {
        given.apply(settings)?;
    }
    Ok(scan.operands())
}

/// Scans the words of a command line.
pub struct Scan<'s, 'a, T, E> {
    rows: &'s [Row<'a, T, E>],
    words: &'s [&'a str],
    operands: Vec<&'a str>,
    /// The rest of a word of joined short options.
    joined: &'a str,
}

/// An option that was found, with its value.
pub struct Given<'s, 'a, T, E> {
    row: &'s Row<'a, T, E>,
    /// Empty for an option without a value.
    value: &'a str,
}

impl<T, E> Given<'_, '_, T, E> {
    /// Sets the option.
    ///
    /// # Errors
    ///
    /// The setter refuses the value.
    pub fn apply(&self, settings: &mut T) -> Result<(), E> {
        self.row.setter().apply(settings, self.value)
    }
}

impl<'s, 'a, T, E> Scan<'s, 'a, T, E> {
    /// Scans `words` by these rows.
    #[must_use]
    pub fn new(rows: &'s [Row<'a, T, E>], words: &'s [&'a str]) -> Self {
        Self { rows, words, operands: Vec::new(), joined: "" }
    }

    /// The next option, or `None` once only operands are left. After an error, scanning continues
    /// after the wrong word.
    ///
    /// # Errors
    ///
    /// A word is not an option of the rows, lacks its value, or has a value that it does not take.
    pub fn next_option(&mut self) -> Result<Option<Given<'s, 'a, T, E>>, Misread> {
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

    /// The operands, in order. Call it after the last option.
    #[must_use]
    pub fn operands(self) -> Vec<&'a str> {
        self.operands
    }

    fn find(&self, is_it: impl Fn(&Naming) -> bool) -> Option<&'s Row<'a, T, E>> {
        self.rows.iter().find(|row| is_it(row.naming()))
    }

    fn short(&mut self) -> Result<Given<'s, 'a, T, E>, Misread> {
        let mut letters = self.joined.chars();
        let letter = letters.next().unwrap_or_default();
        let rest = letters.as_str();
        let Some(row) = self.find(|naming| naming.short == Some(letter)) else {
            self.joined = ""; // a caller that goes on goes on with the next word
            return Err(Misread::new(Wrong::Unknown, letter));
        };
        if row.naming().value.is_none() {
            self.joined = rest;
            return Ok(Given { row, value: "" });
        }
        self.joined = "";
        let value = if rest.is_empty() { self.next_word() } else { Some(rest) };
        let value = value.ok_or_else(|| Misread::new(Wrong::LetterWithoutValue, letter))?;
        Ok(Given { row, value })
    }

    fn long(&mut self, word: &'a str) -> Result<Given<'s, 'a, T, E>, Misread> {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let row = self.find(|naming| naming.long == name);
        let row = row.ok_or_else(|| Misread::new(Wrong::Unknown, word))?;
        let value = match (row.naming().value, attached) {
            (None, None) => "",
            (None, Some(_)) => return Err(Misread::new(Wrong::Value, name)),
            (Some(_), Some(value)) => value,
            (Some(_), None) => {
                let missing = || Misread::new(Wrong::WithoutValue, name);
                self.next_word().ok_or_else(missing)?
            }
        };
        Ok(Given { row, value })
    }

    fn next_word(&mut self) -> Option<&'a str> {
        let (&word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }
}

/// A wrong word on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    wrong: Wrong,
    /// The option, without its dashes.
    option: String,
}

/// The error of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Unknown,
    LetterWithoutValue,
    WithoutValue,
    /// It has a value but takes none.
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
    use super::{Misread, Row, read};
    use crate::{option, switch};

    const fn rows<'a>() -> [Row<'a, Vec<&'a str>, Misread>; 2] {
        [
            option("-t --template", "NAMES", "", Vec::push),
            switch("-s --skip-past-updates", "", |found: &mut Vec<&'a str>| found.push("")),
        ]
    }

    /// The values of options, and the operands.
    fn parse(line: &str) -> Result<(Vec<String>, Vec<String>), Misread> {
        let words: Vec<&str> = line.split(' ').collect();
        let mut found = Vec::new();
        let operands = read(&rows(), &mut found, &words)?;
        let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
        Ok((owned(found), owned(operands)))
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
