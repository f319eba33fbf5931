//! Command lines whose operands may be any bytes, as names of files are: one table feeds the parser
//! and the help.
//!
//! Options and operands may stand in any order, letters may be joined, a value follows directly or
//! as the next word, `--` ends the options.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::ExitCode;

use options::{Columns, OptionRule, append_options, wrap};
use pagecache::Fault;
use rrdtool::system_words;

use crate::figures;
use crate::misuse::Misuse;

const COLUMNS: Columns = Columns { indent: 26, width: 92 };
/// The option that every verb has.
const HELP: OptionRule =
    OptionRule { long: "help", short: Some('h'), value: None, help: "this text" };

/// Prints a verb's answer. That who reads has gone is no failure: what was to be done is done.
///
/// # Errors
/// What kept it from being printed.
pub(crate) fn answer(text: &str) -> Result<(), Unprinted> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Unprinted(error)),
        _ => Ok(()),
    }
}

/// An answer cannot be printed.
#[derive(Debug, thiserror::Error)]
#[error("{}", system_words(.0))]
pub(crate) struct Unprinted(io::Error);

/// The same, and nothing else: how `who` ends, who has no more to do than that.
pub(crate) fn show(who: &str, text: &str) -> ExitCode {
    match answer(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            rrdtool::complain!("{who}: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// What a verb's command line may be.
#[derive(Debug)]
pub(crate) struct CommandLine {
    /// The line behind `usage:`, without it.
    pub(crate) synopsis: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) options: &'static [OptionRule],
    /// What follows the options in the help.
    pub(crate) notes: &'static str,
}

/// One word, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// An option by its long name, and its value (empty where it takes none).
    Option(&'static str, OsString),
    Operand(OsString),
}

impl CommandLine {
    /// Understands the words, or says in a line what is wrong with one. `--help` and `-h` are an
    /// option of every verb.
    pub(crate) fn read(
        &self,
        words: impl IntoIterator<Item = OsString>,
    ) -> Result<Vec<Word>, Misuse> {
        let mut read = Vec::new();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let bytes = word.as_bytes();
            match bytes {
                b"--help" | b"-h" => return Ok(vec![Word::Option("help", OsString::new())]),
                b"--" => {
                    read.extend(words.by_ref().map(Word::Operand));
                }
                [b'-', b'-', name @ ..] => read.push(self.long(name, &mut words)?),
                [b'-', letters @ ..] if !letters.is_empty() => {
                    self.letters(letters, &mut words, &mut read)?;
                }
                _ => read.push(Word::Operand(word)),
            }
        }
        Ok(read)
    }

    fn long(&self, word: &[u8], rest: &mut impl Iterator<Item = OsString>) -> Result<Word, Misuse> {
        let (name, value) = match word.iter().position(|byte| *byte == b'=') {
            Some(at) => (&word[..at], Some(OsStr::from_bytes(&word[at + 1..]).to_owned())),
            None => (word, None),
        };
        let rule = self.options.iter().find(|rule| rule.long.as_bytes() == name);
        let shown = || format!("--{}", String::from_utf8_lossy(name));
        let rule = rule.ok_or_else(|| Misuse::Unknown(shown()))?;
        match (rule.value, value) {
            (None, Some(_)) => Err(Misuse::lacks(shown(), "no value")),
            (None, None) => Ok(Word::Option(rule.long, OsString::new())),
            (Some(kind), value) => {
                let value = value.or_else(|| rest.next());
                let value = value.ok_or_else(|| Misuse::lacks(shown(), kind))?;
                Ok(Word::Option(rule.long, value))
            }
        }
    }

    fn letters(
        &self,
        letters: &[u8],
        rest: &mut impl Iterator<Item = OsString>,
        read: &mut Vec<Word>,
    ) -> Result<(), Misuse> {
        for (nth, letter) in letters.iter().enumerate() {
            let letter = char::from(*letter);
            let rule = self.options.iter().find(|rule| rule.short == Some(letter));
            let rule = rule.ok_or_else(|| Misuse::Unknown(format!("-{letter}")))?;
            let Some(kind) = rule.value else {
                read.push(Word::Option(rule.long, OsString::new()));
                continue;
            };
            let joined = OsStr::from_bytes(&letters[nth + 1..]);
            let value = if joined.is_empty() { rest.next() } else { Some(joined.to_owned()) };
            let value = value.ok_or_else(|| Misuse::lacks(format!("-{letter}"), kind))?;
            read.push(Word::Option(rule.long, value));
            break;
        }
        Ok(())
    }

    /// What the words ask for; where that is help, or nothing that can be understood, it is printed
    /// and the exit code is returned.
    pub(crate) fn understood<T>(&self, parsed: Result<Option<T>, Misuse>) -> Result<T, ExitCode> {
        match parsed {
            Ok(Some(wanted)) => Ok(wanted),
            Ok(None) => match io::stdout().write_all(self.help().as_bytes()) {
                Ok(()) => Err(ExitCode::SUCCESS),
                Err(error) => {
                    self.say_error(&error);
                    Err(ExitCode::FAILURE)
                }
            },
            Err(misuse) => {
                let verb = self.verb();
                rrdtool::complain!("gyre {verb}: {misuse}\n`gyre {verb} --help` tells more");
                Err(ExitCode::from(2))
            }
        }
    }

    /// How a verb ends that did what it was told, or did not and says why.
    pub(crate) fn ended(&self, done: Result<(), impl Display>) -> ExitCode {
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                rrdtool::complain!("gyre {}: {reason}", self.verb());
                ExitCode::FAILURE
            }
        }
    }

    /// Says what ended the verb, but not that who reads has gone: that is its choice.
    pub(crate) fn say_error(&self, error: &io::Error) {
        if error.kind() != ErrorKind::BrokenPipe {
            rrdtool::complain!("gyre {}: {}", self.verb(), system_words(error));
        }
    }

    /// Says what could not be done with a file.
    pub(crate) fn say_fault(&self, path: &[u8], fault: &Fault) {
        let mut name = Vec::new();
        figures::put_path(&mut name, path, io::stderr().is_terminal());
        let (name, words) = (OsStr::from_bytes(&name).display(), system_words(&fault.error));
        rrdtool::complain!("gyre {}: {name}: {}: {words}", self.verb(), fault.action);
    }

    fn verb(&self) -> &'static str {
        self.synopsis.split(' ').next().unwrap_or_default()
    }

    /// What `--help` prints.
    pub(crate) fn help(&self) -> String {
        let mut text = format!("usage: gyre {}\n\n", self.synopsis);
        wrap(&mut text, self.summary, COLUMNS.width, 0);
        text += "\noptions:\n";
        append_options(&mut text, self.options, COLUMNS);
        append_options(&mut text, &[HELP], COLUMNS);
        if !self.notes.is_empty() {
            text += "\n";
            text += self.notes;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: CommandLine = CommandLine {
        synopsis: "verb [OPTIONS] FILE...",
        summary: "Does a thing.",
        options: &[
            OptionRule { long: "range", short: Some('p'), value: Some("A-B"), help: "a stretch" },
            OptionRule { long: "touch", short: Some('t'), value: None, help: "bring" },
        ],
        notes: "",
    };

    /// Options as `name=value`, operands as they are.
    fn read(line: &str) -> Result<Vec<String>, String> {
        let words = line.split_whitespace().map(OsString::from);
        let read =
            RULES.read(words).map_err(|misuse| misuse.to_string())?.into_iter().map(|word| {
                match word {
                    Word::Option(name, value) => format!("{name}={}", value.display()),
                    Word::Operand(word) => word.to_string_lossy().into_owned(),
                }
            });
        Ok(read.collect())
    }

    #[test]
    fn options_stand_anywhere_in_every_form() {
        let read = read("a -tp 1-2 b --range=3-4 - -p5- --touch -- -t").unwrap();
        let found = "a touch= range=1-2 b range=3-4 - range=5- touch= -t";
        assert_eq!(read.join(" "), found);
        let any = OsStr::from_bytes(b"\xff").to_owned();
        assert_eq!(RULES.read([any.clone()]), Ok(vec![Word::Operand(any)]));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(read("-x").unwrap_err(), "unknown option -x");
        assert_eq!(read("--touches").unwrap_err(), "unknown option --touches");
        assert_eq!(read("--touch=1").unwrap_err(), "--touch: expected no value");
        assert_eq!(read("a -p").unwrap_err(), "-p: expected A-B");
        assert_eq!(read("--range").unwrap_err(), "--range: expected A-B");
    }

    #[test]
    fn help_lists_every_option() {
        let help = RULES.help();
        assert!(help.starts_with("usage: gyre verb [OPTIONS] FILE...\n"));
        assert!(help.contains("  -p, --range A-B         a stretch\n"), "{help}");
        assert!(help.contains("  -h, --help"));
    }
}
