//! The command line of `gyre fadvise`.

use std::ffi::{OsStr, OsString};

use disk::Advice;
use options::OptionRule;
use pagecache::advise::Stretch;

use super::range;
use crate::command_line::{CommandLine, Word};
use crate::misuse::Misuse;

pub(super) const COMMAND_LINE: CommandLine = CommandLine {
    synopsis: "fadvise (--advice ADVICE | --touch | --evict | --lock) [OPTIONS] FILE|DIRECTORY...",
    summary: "Advise the kernel about files, and look whether it had an effect. Below a directory all \
              files are meant; links found there are not followed. The file - is standard input.",
    options: &[
        OptionRule {
            long: "advice",
            short: Some('a'),
            value: Some("ADVICE"),
            help: "dontneed: drop the pages from the page cache, what is dirty is written first; \
                   willneed: begin to read them into it; random, sequential, normal, noreuse: how \
                   a descriptor reads, which ends with it",
        },
        OptionRule {
            long: "touch",
            short: Some('t'),
            value: None,
            help: "read the files into the page cache",
        },
        OptionRule {
            long: "evict",
            short: Some('e'),
            value: None,
            help: "drop them from it: --advice dontneed",
        },
        OptionRule {
            long: "lock",
            short: Some('l'),
            value: None,
            help: "read the files and keep them in memory until a signal (INT, TERM or HUP) comes",
        },
        OptionRule {
            long: "memory",
            short: None,
            value: Some("MIB"),
            help: "of --lock: no more than that; a file that does not fit is left out",
        },
        OptionRule {
            long: "range",
            short: Some('p'),
            value: Some("A-B"),
            help: "only these bytes of each file, B not among them: A-B, A- or -B; K, M, G, T and p \
                   (pages) may follow a number",
        },
        OptionRule {
            long: "sync",
            short: None,
            value: None,
            help: "write each file, metadata too, to disk first, whatever the advice",
        },
        OptionRule {
            long: "no-sync",
            short: None,
            value: None,
            help: "of dontneed: leave dirty pages alone, they stay",
        },
        OptionRule {
            long: "wait",
            short: Some('w'),
            value: None,
            help: "of willneed: until the pages are there",
        },
        OptionRule {
            long: "stdin",
            short: None,
            value: None,
            help: "names come on standard input, too, one a line",
        },
        OptionRule {
            long: "null",
            short: Some('0'),
            value: None,
            help: "the same, each with a zero byte at its end",
        },
        OptionRule { long: "verbose", short: Some('v'), value: None, help: "a line for each file" },
        OptionRule {
            long: "quiet",
            short: Some('q'),
            value: None,
            help: "nothing but what went wrong",
        },
        OptionRule {
            long: "json",
            short: Some('j'),
            value: None,
            help: "a JSON object a line: each file (with --quiet those that went wrong), then the total",
        },
    ],
    notes: "exit codes: 0 it had the effect, or the advice has none that lasts (said on standard \
            error);\n1 not on all files; 2 misuse\n",
};

/// What is to be done to each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Drop pages.
    Evict,
    /// Begin to read.
    Ask,
    /// Read.
    Touch,
    /// Read and keep.
    Lock,
    /// An advice that ends with the descriptor.
    Passing(Advice),
}

/// How names come on standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Lines,
    Zeros,
}

/// The command line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) action: Action,
    /// What it is called in reports.
    pub(super) advice: &'static str,
    pub(super) stretch: Stretch,
    pub(super) sync: bool,
    pub(super) no_sync: bool,
    pub(super) wait: bool,
    pub(super) memory_bytes: Option<u64>,
    pub(super) list: Option<List>,
    pub(super) verbose: bool,
    pub(super) quiet: bool,
    pub(super) json: bool,
    pub(super) operands: Vec<OsString>,
}

/// Advice by its names.
const ADVICE: [(&str, Action); 6] = [
    ("dontneed", Action::Evict),
    ("willneed", Action::Ask),
    ("random", Action::Passing(Advice::Random)),
    ("sequential", Action::Passing(Advice::Sequential)),
    ("noreuse", Action::Passing(Advice::NoReuse)),
    ("normal", Action::Passing(Advice::Normal)),
];

/// Understands the words behind `gyre fadvise`; `None` where help is wanted.
pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let mut actions = Vec::new();
    let mut wanted = Wanted {
        action: Action::Evict,
        advice: "",
        stretch: Stretch::WHOLE,
        sync: false,
        no_sync: false,
        wait: false,
        memory_bytes: None,
        list: None,
        verbose: false,
        quiet: false,
        json: false,
        operands: Vec::new(),
    };
    for word in COMMAND_LINE.read(words)? {
        let (name, value) = match word {
            Word::Operand(operand) => {
                wanted.operands.push(operand);
                continue;
            }
            Word::Option(name, value) => (name, value),
        };
        match name {
            "help" => return Ok(None),
            "advice" => actions.push(advice(&value)?),
            "touch" => actions.push(("touch", Action::Touch)),
            "evict" => actions.push(("dontneed", Action::Evict)),
            "lock" => actions.push(("lock", Action::Lock)),
            "memory" => wanted.memory_bytes = Some(mebibytes(&value)?),
            "range" => wanted.stretch = stretch(&value)?,
            "sync" => wanted.sync = true,
            "no-sync" => wanted.no_sync = true,
            "wait" => wanted.wait = true,
            "stdin" => wanted.list = wanted.list.or(Some(List::Lines)),
            "null" => wanted.list = Some(List::Zeros),
            "verbose" => wanted.verbose = true,
            "quiet" => wanted.quiet = true,
            "json" => wanted.json = true,
            _ => unreachable!("--{name} stands in the table alone"),
        }
    }
    let [(advice, action)] = actions[..] else {
        let found = actions.len();
        let found = if found == 0 { "none".into() } else { found.to_string() };
        let expected = "one of --advice, --touch, --evict and --lock".into();
        return Err(Misuse::Words { expected, found });
    };
    (wanted.advice, wanted.action) = (advice, action);
    check(wanted).map(Some)
}

/// Refuses what would have no meaning.
fn check(wanted: Wanted) -> Result<Wanted, Misuse> {
    let only = |is_given: bool, option, action: Action, with| {
        let is_wrong = is_given && wanted.action != action;
        if is_wrong { Err(Misuse::GoesWith { option, with }) } else { Ok(()) }
    };
    only(wanted.wait, "--wait", Action::Ask, "--advice willneed")?;
    only(wanted.no_sync, "--no-sync", Action::Evict, "--advice dontneed")?;
    only(wanted.memory_bytes.is_some(), "--memory", Action::Lock, "--lock")?;
    if wanted.sync && wanted.no_sync {
        return Err(Misuse::Together("--sync and --no-sync exclude each other"));
    }
    if wanted.operands.is_empty() && wanted.list.is_none() {
        return Err(Misuse::Operands("a FILE, a DIRECTORY or --stdin"));
    }
    if wanted.list.is_some() && wanted.operands.iter().any(|operand| operand == "-") {
        return Err(Misuse::Together("standard input is either a list of names or the file -"));
    }
    Ok(wanted)
}

fn advice(value: &OsStr) -> Result<(&'static str, Action), Misuse> {
    let found = ADVICE.into_iter().find(|(name, _)| value == *name);
    let names = ADVICE.map(|(name, _)| name).join(", ");
    found.ok_or_else(|| Misuse::value("advice", format!("one of {names}"), value))
}

fn stretch(value: &OsStr) -> Result<Stretch, Misuse> {
    let found = value.to_str().and_then(range::parse);
    found.ok_or_else(|| Misuse::value("range", range::EXPECTED, value))
}

fn mebibytes(value: &OsStr) -> Result<u64, Misuse> {
    let number = value.to_str().and_then(|text| text.parse::<u64>().ok());
    let bytes = number.filter(|number| *number > 0).and_then(|number| number.checked_mul(1 << 20));
    bytes.ok_or_else(|| Misuse::value("memory", "a number of MiB above zero", value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Wanted>, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|misuse| misuse.to_string())
    }

    #[test]
    fn every_advice_has_its_action() {
        for (name, action) in ADVICE {
            let wanted = parsed(&format!("-a {name} file")).unwrap().unwrap();
            assert_eq!((wanted.advice, wanted.action), (name, action));
        }
        assert_eq!(parsed("-e file").unwrap().unwrap().action, Action::Evict);
        assert_eq!(parsed("-h").unwrap(), None);
    }

    #[test]
    fn mistakes_are_named() {
        for (line, words) in [
            ("file", "expected one of --advice"),
            ("-t -e file", "found 2"),
            ("-a dontcare file", "found dontcare"),
            ("-e", "expected a FILE"),
            ("-e --range 5 file", "--range: expected A-B"),
            ("-e --wait file", "--wait goes with"),
            ("-t --no-sync file", "--no-sync goes with"),
            ("-t --memory 5 file", "--memory goes with"),
            ("-l --memory 0 file", "above zero, found 0"),
            ("-e --sync --no-sync file", "exclude each other"),
            ("-e --stdin -", "standard input is either"),
        ] {
            let error = parsed(line).unwrap_err();
            assert!(error.contains(words), "{line}: {error}");
        }
    }
}
