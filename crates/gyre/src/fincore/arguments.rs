//! The command line of `gyre fincore`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use options::{CommandLine, Misuse, Value, checked, switch};
use pagecache::residency::Way;

pub(super) const LINE: CommandLine<Arguments> = CommandLine {
    synopsis: "gyre fincore [OPTIONS] FILE|DIRECTORY...",
    summary: "Show which pages of files are in the page cache. No file is read, and no access time \
              changes. Of a directory, all files below it are shown; symbolic links in it are not \
              followed.",
    options: &[
        switch("-p --pages", "list the pages of each file, by their state", |it| {
            it.asked.push(Shown::Pages { named: false });
        }),
        switch(
            "-n --names",
            "the same, with the content of the pages for .rrd files and ring stores",
            |it| it.asked.push(Shown::Pages { named: true }),
        ),
        switch("-m --map", "show each file as a line with a mark for its pages", |it| {
            it.asked.push(Shown::Map)
        }),
        checked(
            "-w --width",
            "COLUMNS",
            "the width of a map (that of the terminal, or 80)",
            |it, value| {
                it.width = Some(value.number(10..=10_000)? as usize);
                Ok(())
            },
        ),
        switch("-d --distribution", "show how many files have how many resident pages", |it| {
            it.asked.push(Shown::Distribution);
        }),
        checked(
            "--plot",
            "FILE",
            "draw the distribution to this file, .svg or .png",
            |it, value| {
                it.plot = Some(plot_file(&value)?);
                Ok(())
            },
        ),
        checked(
            "-t --top",
            "N",
            "show only the N files with the most resident pages",
            |it, value| {
                it.top = Some(value.number(1..=1_000_000)? as usize);
                Ok(())
            },
        ),
        switch("-s --total", "show only the total", |it| it.asked.push(Shown::Total)),
        checked(
            "--watch",
            "SECONDS",
            "repeat at this interval, and show which pages came and left",
            |it, value| {
                it.every = Some(value.seconds(0.01..=WATCH_SECONDS_MAX)?);
                Ok(())
            },
        ),
        checked("--count", "N", "with --watch: end after N samples", |it, value| {
            it.samples = Some(value.number(1..=u64::MAX)?);
            Ok(())
        }),
        switch("-j --json", "print a JSON object on each line: the files, then the total", |it| {
            it.as_json = true;
        }),
        switch("--stdin", "read further names from standard input, one on each line", |it| {
            it.stdin = it.stdin.or(Some(Names::Lines));
        }),
        switch(
            "-0 --null",
            "read further names from standard input, each ended by a zero byte",
            |it| {
                it.stdin = Some(Names::ZeroBytes);
            },
        ),
        switch("-x --one-file-system", "stay on the file system of each operand", |it| {
            it.one_file_system = true;
        }),
        checked(
            "--threads",
            "N",
            "the number of threads (as many as there are processors)",
            |it, value| {
                it.threads = Some(value.number(1..=THREADS_MAX)? as usize);
                Ok(())
            },
        ),
        switch(
            "--mincore",
            "use mincore(2), as before Linux 6.5, even if cachestat(2) exists",
            |it| it.way = Way::Mincore,
        ),
    ],
    notes: "exit codes: 0 all files were inspected, 1 some were not, 2 misuse\n",
};

/// What is shown about the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// A line for each file.
    Files,
    /// A line for each stretch of pages.
    Pages { named: bool },
    /// A map of each file's pages, on one line.
    Map,
    /// The files with the most resident pages.
    Top(usize),
    /// Only the total.
    Total,
    /// How many files have how many resident pages.
    Distribution,
    /// The changes over time.
    Watch(Watching),
}

/// How often to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watching {
    pub(super) every: Duration,
    /// `None`: until a signal ends it.
    pub(super) samples: Option<u64>,
    /// The files that are named in each sample.
    pub(super) files: usize,
}

/// The byte that ends each name on standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Lines,
    ZeroBytes,
}

/// The parsed command line.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) shown: Shown,
    /// What the options ask to show. More than one is an error.
    asked: Vec<Shown>,
    top: Option<usize>,
    every: Option<Duration>,
    samples: Option<u64>,
    pub(super) plot: Option<PathBuf>,
    pub(super) width: Option<usize>,
    pub(super) as_json: bool,
    pub(super) stdin: Option<Names>,
    pub(super) one_file_system: bool,
    pub(super) threads: Option<usize>,
    pub(super) way: Way,
    pub(super) operands: Vec<OsString>,
}

/// Files named in each sample of `--watch`, unless `--top` gives a number.
const WATCH_FILES: usize = 10;
const THREADS_MAX: u64 = 64;
/// The longest interval between samples: a day.
const WATCH_SECONDS_MAX: f64 = 86_400.0;

impl Default for Arguments {
    fn default() -> Self {
        Self {
            shown: Shown::Files,
            asked: Vec::new(),
            top: None,
            every: None,
            samples: None,
            plot: None,
            width: None,
            as_json: false,
            stdin: None,
            one_file_system: false,
            threads: None,
            way: Way::Cachestat,
            operands: Vec::new(),
        }
    }
}

impl Arguments {
    /// Understands the words behind `gyre fincore`.
    pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Self>, Misuse> {
        let Some((mut found, operands)) = LINE.read(words)? else { return Ok(None) };
        found.operands = operands;
        found.shown = found.what_is_shown()?;
        found.check().map(Some)
    }

    fn what_is_shown(&self) -> Result<Shown, Misuse> {
        let Self { top, every, samples, .. } = *self;
        let mut shown = self.asked.clone();
        if self.plot.is_some() && !shown.contains(&Shown::Distribution) {
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
        one_of(shown)
    }

    fn check(self) -> Result<Self, Misuse> {
        if self.operands.is_empty() && self.stdin.is_none() {
            return Err(Misuse::operands("a file or a directory"));
        }
        if matches!(self.shown, Shown::Watch(_)) && self.stdin.is_some() {
            let expected = "operands, standard input can be read once only";
            return Err(Misuse::lacks("--watch", expected));
        }
        if self.as_json && self.shown == Shown::Map {
            return Err(Misuse::unfit("--map cannot be combined with --json; use --pages"));
        }
        Ok(self)
    }
}

/// Reduces the options to one way of showing. `--pages` with `--names` is one way.
fn one_of(mut shown: Vec<Shown>) -> Result<Shown, Misuse> {
    let named = Shown::Pages { named: true };
    if shown.contains(&named) {
        shown.retain(|each| *each != Shown::Pages { named: false });
    }
    shown.dedup();
    match shown.len() {
        0 => Ok(Shown::Files),
        1 => Ok(shown.remove(0)),
        _ => Err(Misuse::operands(
            "one of --pages, --names, --map, --distribution, --top, --total, --watch",
        )),
    }
}

fn plot_file(value: &Value) -> Result<PathBuf, Misuse> {
    let path = PathBuf::from(value.as_os_str());
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg" | "png") => Ok(path),
        _ => Err(value.wrong("a name that ends in .svg or .png")),
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
            ("--json --map a", "--map cannot be combined with --json; use --pages"),
        ] {
            assert_eq!(parse(line).unwrap_err(), words, "{line}");
        }
    }
}
