//! The command line of `gyre fadvise`.

use std::ffi::OsString;

use disk::Advice;
use options::{CommandLine, Misuse, checked, switch};
use pagecache::advise::Stretch;

use super::range;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre fadvise (--advice ADVICE | --touch | --evict | --lock) [OPTIONS] FILE|DIRECTORY...",
    summary: "Give the kernel advice about files, and check whether it had an effect. Of a \
              directory, all files below it are advised; symbolic links in it are not followed. \
              The file - is standard input.",
    options: &[
        checked(
            "-a --advice",
            "ADVICE",
            "dontneed: drop the pages from the page cache, dirty pages are written first; \
             willneed: begin to read them into the page cache; random, sequential, normal, \
             noreuse: how a descriptor reads, which ends when it is closed",
            |it, value| {
                it.actions.push(value.one_of(&ADVICE)?);
                Ok(())
            },
        ),
        switch("-t --touch", "read the files into the page cache", |it| {
            it.actions.push(("touch", Action::Touch));
        }),
        switch(
            "-e --evict",
            "drop the files from the page cache, the same as --advice dontneed",
            |it| {
                it.actions.push(("dontneed", Action::Evict));
            },
        ),
        switch(
            "-l --lock",
            "read the files and lock them in memory until a signal (INT, TERM or HUP) comes",
            |it| it.actions.push(("lock", Action::Lock)),
        ),
        checked(
            "--memory",
            "MIB",
            "for --lock: lock at most this much; a file that does not fit is left out",
            |it, value| {
                it.memory_bytes = Some(value.mebibytes()?);
                Ok(())
            },
        ),
        checked(
            "-p --range",
            "A-B",
            "only bytes A to B of each file, without B: A-B, A- or -B; K, M, G, T or p (pages) may \
             follow a number",
            |it, value| {
                let found = range::parse(value.text()?);
                it.stretch = found.ok_or_else(|| value.wrong(range::EXPECTED))?;
                Ok(())
            },
        ),
        switch("--sync", "first write each file and its metadata to disk, with any advice", |it| {
            it.sync = true;
        }),
        switch(
            "--no-sync",
            "for dontneed: do not write dirty pages, so they stay in the page cache",
            |it| {
                it.no_sync = true;
            },
        ),
        switch("-w --wait", "for willneed: wait until the pages are in the page cache", |it| {
            it.wait = true
        }),
        switch("--stdin", "read further names from standard input, one on each line", |it| {
            it.list = it.list.or(Some(List::Lines));
        }),
        switch(
            "-0 --null",
            "read further names from standard input, each ended by a zero byte",
            |it| {
                it.list = Some(List::Zeros);
            },
        ),
        switch("-v --verbose", "print a line for each file", |it| it.verbose = true),
        switch("-q --quiet", "print only errors", |it| it.quiet = true),
        switch(
            "-j --json",
            "print a JSON object on each line: the files (with --quiet only those with errors), \
             then the total",
            |it| it.json = true,
        ),
    ],
    notes: "exit codes: 0 the advice had its effect on all files, or has no lasting effect (which \
            is told on\nstandard error); 1 not on all files; 2 misuse\n",
};

/// What is done to each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Drop the pages.
    Evict,
    /// Ask the kernel to read them, without waiting.
    Ask,
    /// Read them.
    Touch,
    /// Read them and lock them in memory.
    Lock,
    /// Give an advice that ends when the descriptor is closed.
    Passing(Advice),
}

/// How the names on standard input are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Lines,
    Zeros,
}

/// The parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) action: Action,
    /// The name of the advice in reports.
    pub(super) advice: &'static str,
    /// The actions that the options ask for. More than one is an error.
    actions: Vec<(&'static str, Action)>,
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

impl Default for Wanted {
    fn default() -> Self {
        Self {
            action: Action::Evict,
            advice: "",
            actions: Vec::new(),
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
        }
    }
}

/// Parses the arguments of `gyre fadvise`; `None` if they ask for help.
pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    wanted.operands = operands;
    let [(advice, action)] = wanted.actions[..] else {
        let found = wanted.actions.len();
        let found = if found == 0 { "none".into() } else { found.to_string() };
        return Err(Misuse::words("one of --advice, --touch, --evict and --lock", found));
    };
    (wanted.advice, wanted.action) = (advice, action);
    check(wanted).map(Some)
}

/// Refuses combinations of options that make no sense.
fn check(wanted: Wanted) -> Result<Wanted, Misuse> {
    let only = |is_given: bool, option, action: Action, with| {
        let is_wrong = is_given && wanted.action != action;
        if is_wrong { Err(Misuse::goes_with(option, with)) } else { Ok(()) }
    };
    only(wanted.wait, "--wait", Action::Ask, "--advice willneed")?;
    only(wanted.no_sync, "--no-sync", Action::Evict, "--advice dontneed")?;
    only(wanted.memory_bytes.is_some(), "--memory", Action::Lock, "--lock")?;
    if wanted.sync && wanted.no_sync {
        return Err(Misuse::unfit("--sync and --no-sync exclude each other"));
    }
    if wanted.operands.is_empty() && wanted.list.is_none() {
        return Err(Misuse::operands("a FILE, a DIRECTORY or --stdin"));
    }
    if wanted.list.is_some() && wanted.operands.iter().any(|operand| operand == "-") {
        return Err(Misuse::unfit("standard input is either a list of names or the file -"));
    }
    Ok(wanted)
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
