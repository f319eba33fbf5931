//! The command line of `gyre fincore`.

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use options::OptionRule;
use pagecache::residency::Way;

use crate::command_line::{CommandLine, Word};
use crate::misuse::Misuse;

pub(super) const COMMAND_LINE: CommandLine = CommandLine {
    synopsis: "fincore [OPTIONS] FILE|DIRECTORY...",
    summary: "Show which pages of files the page cache holds. Nothing is read, no access time moves. \
              Below a directory all files are looked at; links found there are not followed.",
    options: &[
        rule("pages", Some('p'), None, "list the pages of each file, by their state"),
        rule("names", Some('n'), None, "the same, with what .rrd files and ring stores keep there"),
        rule("map", Some('m'), None, "draw each file as a line of its pages"),
        rule("width", Some('w'), Some("COLUMNS"), "how wide a map is; that of the terminal, or 80"),
        rule(
            "distribution",
            Some('d'),
            None,
            "which share of the files has how many pages resident",
        ),
        rule("plot", None, Some("FILE"), "draw the distribution into this file, .svg or .png"),
        rule("top", Some('t'), Some("N"), "the N files with the most pages resident alone"),
        rule("total", Some('s'), None, "the total alone"),
        rule("watch", None, Some("SECONDS"), "look again and again, show what came and what left"),
        rule("count", None, Some("N"), "with --watch: end after N samples"),
        rule("json", Some('j'), None, "a JSON object a line: each file, then the total"),
        rule("stdin", None, None, "names come on standard input, too, one a line"),
        rule("null", Some('0'), None, "the same, each with a zero byte at its end"),
        rule("one-file-system", Some('x'), None, "stay on the file system of each operand"),
        rule("threads", None, Some("N"), "threads that look; as many as there are processors"),
        rule(
            "mincore",
            None,
            None,
            "ask as before Linux 6.5, by mincore(2), even where cachestat(2) is",
        ),
    ],
    notes: "exit codes: 0 all files were looked at, 1 some were not, 2 misuse\n",
};

const fn rule(
    long: &'static str,
    short: Option<char>,
    value: Option<&'static str>,
    help: &'static str,
) -> OptionRule {
    OptionRule { long, short, value, help }
}

/// What is shown of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A line each.
    Files,
    /// A line for each stretch of pages.
    Pages { named: bool },
    /// A line of marks each.
    Map,
    /// Those with the most pages resident.
    Top(usize),
    /// Nothing but the total.
    Total,
    /// Files by pages resident.
    Distribution,
    /// What changes.
    Watch(Watching),
}

/// How often is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watching {
    pub(super) every: Duration,
    /// None: until it is ended.
    pub(super) samples: Option<u64>,
    /// Files that are named in each sample.
    pub(super) files: usize,
}

/// What ends each name on standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Lines,
    ZeroBytes,
}

/// The command line, understood.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) shown: Shown,
    pub(super) plot: Option<PathBuf>,
    pub(super) width: Option<usize>,
    pub(super) as_json: bool,
    pub(super) stdin: Option<Names>,
    pub(super) one_file_system: bool,
    pub(super) threads: Option<usize>,
    pub(super) way: Way,
    pub(super) operands: Vec<OsString>,
}

/// Files named in each sample of a watch, where `--top` does not say.
const WATCH_FILES: usize = 10;
const THREADS_MAX: u64 = 64;
/// Samples a day apart are the rarest.
const WATCH_SECONDS_MAX: f64 = 86_400.0;

impl Arguments {
    /// Understands the words behind `gyre fincore`.
    pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Self>, Misuse> {
        let words = COMMAND_LINE.read(words)?;
        let mut found = Self {
            shown: Shown::Files,
            plot: None,
            width: None,
            as_json: false,
            stdin: None,
            one_file_system: false,
            threads: None,
            way: Way::Cachestat,
            operands: Vec::new(),
        };
        let (mut shown, mut top, mut every, mut samples) = (Vec::new(), None, None, None);
        for word in words {
            let (option, value) = match word {
                Word::Operand(operand) => {
                    found.operands.push(operand);
                    continue;
                }
                Word::Option(option, value) => (option, value),
            };
            let number = |range| number(option, &value, range);
            match option {
                "help" => return Ok(None),
                "pages" => shown.push(Shown::Pages { named: false }),
                "names" => shown.push(Shown::Pages { named: true }),
                "map" => shown.push(Shown::Map),
                "distribution" => shown.push(Shown::Distribution),
                "total" => shown.push(Shown::Total),
                "top" => top = Some(number(1..=1_000_000)? as usize),
                "watch" => every = Some(seconds(&value)?),
                "count" => samples = Some(number(1..=u64::MAX)?),
                "plot" => found.plot = Some(plot_file(value)?),
                "width" => found.width = Some(number(10..=10_000)? as usize),
                "json" => found.as_json = true,
                "stdin" => found.stdin = found.stdin.or(Some(Names::Lines)),
                "null" => found.stdin = Some(Names::ZeroBytes),
                "one-file-system" => found.one_file_system = true,
                "threads" => found.threads = Some(number(1..=THREADS_MAX)? as usize),
                _ => found.way = Way::Mincore,
            }
        }
        if found.plot.is_some() && !shown.contains(&Shown::Distribution) {
            shown.push(Shown::Distribution);
        }
        match (every, top) {
            (Some(every), top) => {
                let files = top.unwrap_or(WATCH_FILES);
                shown.push(Shown::Watch(Watching { every, samples, files }));
            }
            (None, Some(top)) => shown.push(Shown::Top(top)),
            (None, None) => {}
        }
        if every.is_none() && samples.is_some() {
            return Err(Misuse::lacks("--count", "--watch, too"));
        }
        found.shown = one_of(shown)?;
        found.check().map(Some)
    }

    fn check(self) -> Result<Self, Misuse> {
        if self.operands.is_empty() && self.stdin.is_none() {
            return Err(Misuse::Operands("a file or a directory"));
        }
        if matches!(self.shown, Shown::Watch(_)) && self.stdin.is_some() {
            let expected = "operands, standard input can be read once only";
            return Err(Misuse::lacks("--watch", expected));
        }
        if self.as_json && self.shown == Shown::Map {
            let expected = "without --json, for which --pages lists the same";
            return Err(Misuse::lacks("--map", expected));
        }
        Ok(self)
    }
}

/// What is to be shown is one thing; pages with their names are pages.
fn one_of(mut shown: Vec<Shown>) -> Result<Shown, Misuse> {
    let named = Shown::Pages { named: true };
    if shown.contains(&named) {
        shown.retain(|each| *each != Shown::Pages { named: false });
    }
    shown.dedup();
    match shown.len() {
        0 => Ok(Shown::Files),
        1 => Ok(shown.remove(0)),
        _ => Err(Misuse::Operands(
            "one of --pages, --names, --map, --distribution, --top, --total, --watch",
        )),
    }
}

/// The number that an option's value is, within bounds.
fn number(option: &'static str, value: &OsStr, range: RangeInclusive<u64>) -> Result<u64, Misuse> {
    let found = value.to_str().and_then(|text| text.parse().ok());
    found.filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        let most = if *most == u64::MAX { String::new() } else { format!(" to {most}") };
        Misuse::value(option, format!("a number from {least}{most}"), value)
    })
}

fn seconds(value: &OsStr) -> Result<Duration, Misuse> {
    let found = value.to_str().and_then(|text| text.parse::<f64>().ok());
    let found = found.filter(|seconds| (0.01..=WATCH_SECONDS_MAX).contains(seconds));
    found.map(Duration::from_secs_f64).ok_or_else(|| {
        Misuse::value("watch", format!("seconds from 0.01 to {WATCH_SECONDS_MAX}"), value)
    })
}

fn plot_file(value: OsString) -> Result<PathBuf, Misuse> {
    let path = PathBuf::from(value);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg" | "png") => Ok(path),
        _ => Err(Misuse::value("plot", "a name that ends in .svg or .png", path.as_os_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Names, Shown};

    fn parse(line: &str) -> Result<Arguments, String> {
        let parsed = Arguments::parse(line.split(' ').map(Into::into));
        Ok(parsed.map_err(|misuse| misuse.to_string())?.unwrap())
    }

    #[test]
    fn one_thing_is_shown() {
        assert_eq!(parse("a").unwrap().shown, Shown::Files);
        assert_eq!(parse("-p --names a").unwrap().shown, Shown::Pages { named: true });
        assert_eq!(parse("--plot x.svg a").unwrap().shown, Shown::Distribution);
        assert_eq!(parse("--top 3 a").unwrap().shown, Shown::Top(3));
        let Shown::Watch(watching) = parse("--watch 0.5 --count 3 a").unwrap().shown else {
            panic!()
        };
        assert_eq!((watching.every.as_millis(), watching.samples), (500, Some(3)));
        assert_eq!(parse("--stdin -0").unwrap().stdin, Some(Names::ZeroBytes));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (line, words) in [
            ("--json", "expected a file or a directory"),
            (
                "--map --total a",
                "expected one of --pages, --names, --map, --distribution, --top, --total, --watch",
            ),
            ("--watch 1 -0", "--watch: expected operands, standard input can be read once only"),
            ("--watch 0 a", "--watch: expected seconds from 0.01 to 86400, found 0"),
            ("--top 0 a", "--top: expected a number from 1 to 1000000, found 0"),
            ("--count 3 a", "--count: expected --watch, too"),
            ("--plot x.pdf a", "--plot: expected a name that ends in .svg or .png, found x.pdf"),
            ("--json --map a", "--map: expected without --json, for which --pages lists the same"),
        ] {
            assert_eq!(parse(line).unwrap_err(), words, "{line}");
        }
    }
}
