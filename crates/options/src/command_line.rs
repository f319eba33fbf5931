//! The command lines of gyre's own verbs. Words may be any bytes, because file names may.
//!
//! Options and operands may be in any order, short options may be joined, a value follows directly
//! or as the next word, and `--` ends the options.

use std::ffi::OsString;

use lexopt::{Arg, Parser};

use crate::help::{self, Columns};
use crate::{Described, HELP, Misuse, Naming, OwnRow, Value};

const COLUMNS: Columns = Columns { indent: 26, width: 92 };

/// The command line of a verb, whose options set something in a `T`.
pub struct CommandLine<T: 'static> {
    /// The synopsis: the line after `usage:`.
    pub synopsis: &'static str,
    /// What the verb does.
    pub summary: &'static str,
    /// Its options, without `--help`.
    pub options: &'static [OwnRow<T>],
    /// The text after the options in the help.
    pub notes: &'static str,
}

impl<T> CommandLine<T> {
    /// The name of the command: the words of the synopsis before the first in capitals or brackets.
    pub fn name(&self) -> String {
        let is_name =
            |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let words: Vec<&str> = self.synopsis.split_whitespace().take_while(is_name).collect();
        words.join(" ")
    }

    /// The command for its page and for completions.
    #[must_use]
    pub fn described(&self) -> Described {
        Described {
            called: self.name(),
            synopsis: self.synopsis.to_owned(),
            summary: self.summary.to_owned(),
            options: self.options.iter().map(OwnRow::naming).chain([&HELP]).copied().collect(),
            notes: self.notes.to_owned(),
        }
    }

    /// The output of `--help`.
    #[must_use]
    pub fn help(&self) -> String {
        let mut text = format!("usage: {}\n\n", self.synopsis);
        for paragraph in self.summary.split("\n\n") {
            help::wrap(&mut text, paragraph, COLUMNS.width, 0);
            text.push('\n');
        }
        text += "options:\n";
        let namings = self.options.iter().map(OwnRow::naming).chain([&HELP]);
        help::append_options(&mut text, namings, COLUMNS);
        if !self.notes.is_empty() {
            text.push('\n');
            text += self.notes;
        }
        text
    }

    /// Applies the options to `settings`, in order, and returns the operands; `None` as soon as a
    /// word asks for help.
    ///
    /// # Errors
    ///
    /// The error of the first wrong word.
    pub fn read_into(
        &self,
        settings: &mut T,
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<Option<Vec<OsString>>, Misuse> {
        self.go_through(words, |row, value| row.setter().apply(settings, value))
    }

    /// The operands, for any values of the options.
    ///
    /// # Errors
    ///
    /// As for [`Self::read_into`], except those of values.
    pub fn operands(
        &self,
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<Option<Vec<OsString>>, Misuse> {
        self.go_through(words, |_, _| Ok(()))
    }

    fn go_through(
        &self,
        words: impl IntoIterator<Item = OsString>,
        mut apply: impl FnMut(&'static OwnRow<T>, Value) -> Result<(), Misuse>,
    ) -> Result<Option<Vec<OsString>>, Misuse> {
        // The lexer splits joined words only while it is read, so all words are collected first.
        let words: Vec<OsString> = words.into_iter().collect();
        let mut operands = Vec::new();
        let mut parser = Parser::from_args(words);
        loop {
            let (row, shown) = match parser.next().map_err(told)? {
                None => return Ok(Some(operands)),
                Some(Arg::Value(operand)) => {
                    operands.push(operand);
                    continue;
                }
                Some(Arg::Short('h') | Arg::Long("help")) => return Ok(None),
                Some(Arg::Short(letter)) => {
                    (self.find(|naming| naming.short == Some(letter)), format!("-{letter}"))
                }
                Some(Arg::Long(name)) => {
                    (self.find(|naming| naming.long == name), format!("--{name}"))
                }
            };
            let row = row.ok_or_else(|| Misuse::Unknown(shown.clone()))?;
            let Naming { long, value, .. } = *row.naming();
            let text = match value {
                None => OsString::new(),
                Some(expected) => parser.value().map_err(|_| Misuse::lacks(shown, expected))?,
            };
            apply(row, Value::new(long, text))?;
        }
    }

    /// The same, with default settings.
    ///
    /// # Errors
    ///
    /// As for [`Self::read_into`].
    pub fn read(
        &self,
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<Option<(T, Vec<OsString>)>, Misuse>
    where
        T: Default,
    {
        let mut settings = T::default();
        let operands = self.read_into(&mut settings, words)?;
        Ok(operands.map(|operands| (settings, operands)))
    }

    fn find(&self, is_it: impl Fn(&Naming) -> bool) -> Option<&'static OwnRow<T>> {
        self.options.iter().find(|row| is_it(row.naming()))
    }
}

/// Operands as text.
///
/// # Errors
///
/// An operand is not UTF-8.
pub fn texts(operands: Vec<OsString>) -> Result<Vec<String>, Misuse> {
    let text =
        |word: OsString| word.into_string().map_err(|word| Misuse::words("UTF-8", word.display()));
    operands.into_iter().map(text).collect()
}

fn told(error: lexopt::Error) -> Misuse {
    match error {
        lexopt::Error::UnexpectedValue { option, .. } => Misuse::lacks(option, "no value"),
        lexopt::Error::UnexpectedOption(option) => Misuse::Unknown(option),
        other => Misuse::unfit(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{checked, switch};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    const LINE: CommandLine<Vec<String>> = CommandLine {
        synopsis: "gyre verb [OPTIONS] FILE...",
        summary: "Does a thing.",
        options: &[
            checked("-p --range", "A-B", "a stretch", |seen, value| {
                seen.push(format!("range={}", value.text()?));
                Ok(())
            }),
            switch("-t --touch", "bring", |seen| seen.push("touch".into())),
        ],
        notes: "",
    };

    fn read(line: &str) -> Result<(Vec<String>, Vec<OsString>), String> {
        let words = line.split_whitespace().map(OsString::from);
        LINE.read(words).map(Option::unwrap_or_default).map_err(|misuse| misuse.to_string())
    }

    #[test]
    fn options_stand_anywhere_in_every_form() {
        let (seen, operands) = read("a -tp 1-2 b --range=3-4 - -p5- --touch -- -t").unwrap();
        assert_eq!(seen.join(" "), "touch range=1-2 range=3-4 range=5- touch");
        assert_eq!(operands, ["a", "b", "-", "-t"]);
        let any = OsStr::from_bytes(b"\xff").to_owned();
        assert_eq!(LINE.read([any.clone()]), Ok(Some((Vec::new(), vec![any]))));
        assert_eq!(LINE.read(["-th".into()]), Ok(None));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, words) in [
            ("-x", "unknown option -x"),
            ("--touches", "unknown option --touches"),
            ("--touch=1", "--touch: expected no value"),
            ("a -p", "-p: expected A-B"),
            ("--range", "--range: expected A-B"),
        ] {
            assert_eq!(read(line).unwrap_err(), words);
        }
        let odd = OsStr::from_bytes(b"--\xff").to_owned();
        assert!(matches!(LINE.read([odd]), Err(Misuse::Unknown(_))));
    }

    #[test]
    fn help_lists_every_option() {
        let help = LINE.help();
        assert!(help.starts_with("usage: gyre verb [OPTIONS] FILE...\n\nDoes a thing.\n\noptions"));
        assert!(help.contains("  -p, --range A-B         a stretch\n"), "{help}");
        assert!(help.contains("  -h, --help"));
        assert_eq!(LINE.name(), "gyre verb");
    }
}
