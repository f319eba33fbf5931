//! The command line of `gyre simulate`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use capacity::policy::{DEFAULT_WINDOW_PAGES, Tuning};
use capacity::replay::Method;
use capacity::scenario::{CachePolicy, ReadaheadPolicy};
use capacity::trace::BlockMap;
use rrdtool::OptionRule;

use crate::command_line::{CommandLine, Word};

const fn rule(long: &'static str, value: Option<&'static str>, help: &'static str) -> OptionRule {
    OptionRule { long, short: None, value, help }
}

pub(super) const COMMAND_LINE: CommandLine = CommandLine {
    synopsis: "simulate [OPTIONS] [FILE.rrd | DS:... RRA:... | --trace FILE]",
    summary: "Say how many pages updates read and write if each file may have so many pages of the \
              page cache, before there is such a machine. The files are like FILE.rrd, or as DS and \
              RRA say, or as MRTG makes them.",
    options: &[
        rule("files", Some("N"), "so many files share the cache (1)"),
        rule("step", Some("SECONDS"), "of what DS and RRA say, or of MRTG's layout (300)"),
        rule(
            "pages",
            Some("LIST"),
            "pages of the cache for each file: 4,8 or 2-20 (all that differ)",
        ),
        rule("cache", Some("LIST"), "lru, fifo, clock, 2q, linux (lru)"),
        rule(
            "readahead",
            Some("LIST"),
            "none; article, observed: Linux 2.6; today, around: reads and mappings of today's; \
             adaptive (none)",
        ),
        rule("window", Some("PAGES"), "the largest window of today's (32) and of adaptive (256)"),
        rule("ratio", Some("PERCENT"), "readahead_ratio of adaptive (50)"),
        rule("hit-rate", Some("N"), "readahead_hit_rate of adaptive (1)"),
        rule("congested", None, "adaptive: the disk has more to do than it can"),
        rule(
            "method",
            Some("METHOD"),
            "how programs write: pwrite, stream (RRDtool 1.0), mapping (RRDtool since) (pwrite)",
        ),
        rule(
            "file-system",
            Some("KIND"),
            "what counts beside data: none, ext4 (the inode), ext2 (and indirect blocks) (none)",
        ),
        rule("page", Some("BYTES"), "size of a page (4096)"),
        rule("days", Some("DAYS"), "so many are counted (7)"),
        rule("warm-up", Some("DAYS"), "so many are simulated before (2)"),
        rule("seed", Some("N"), "where rings stand at first, by chance (1)"),
        rule("together", None, "all rings stand in their first slot at first"),
        rule(
            "trace",
            Some("FILE"),
            "no files like those, but the updates that FILE tells (- for stdin)",
        ),
        rule(
            "record",
            Some("DIR"),
            "make one file in DIR, update it for real, evicted before each update, and take what is \
             resident after it",
        ),
        rule(
            "rrdtool",
            Some("PROGRAM"),
            "--record: PROGRAM updates it, in its pipe mode (gyre itself)",
        ),
        rule(
            "write-trace",
            Some("FILE"),
            "simulate nothing, but write the updates to FILE (- for stdout)",
        ),
        rule("plot", Some("FILE.svg"), "draw the pages read, too"),
        rule("csv", None, "the table as comma-separated values"),
        rule("json", None, "everything, as JSON"),
    ],
    notes: "exit codes: 0 done; 1 a file cannot be read or written, or cannot be simulated; 2 misuse\n",
};

/// How the table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
    Csv,
}

/// The command line, understood.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) files: u32,
    pub(super) step: Option<String>,
    /// Empty for all.
    pub(super) pages: Vec<u32>,
    pub(super) caches: Vec<(&'static str, CachePolicy)>,
    pub(super) readahead: Vec<(&'static str, ReadaheadPolicy)>,
    pub(super) method: Method,
    pub(super) block_map: BlockMap,
    pub(super) page_bytes: u64,
    pub(super) days: u64,
    pub(super) warming_days: u64,
    /// `None` for rings that stand together.
    pub(super) seed: Option<u64>,
    pub(super) trace: Option<PathBuf>,
    pub(super) record: Option<PathBuf>,
    pub(super) rrdtool: Option<PathBuf>,
    pub(super) write_trace: Option<PathBuf>,
    pub(super) plot: Option<PathBuf>,
    pub(super) form: Form,
    pub(super) operands: Vec<OsString>,
}

const METHODS: [(&str, Method); 3] =
    [("pwrite", Method::Pwrite), ("stream", Method::Stream), ("mapping", Method::Mapping)];

const FILE_SYSTEMS: [(&str, BlockMap); 3] =
    [("none", BlockMap::DataOnly), ("ext4", BlockMap::Extents), ("ext2", BlockMap::Indirect)];

const READAHEAD: [(&str, ReadaheadPolicy); 6] = [
    ("none", ReadaheadPolicy::None),
    ("article", ReadaheadPolicy::Article),
    ("observed", ReadaheadPolicy::Observed),
    ("today", ReadaheadPolicy::OnDemand(DEFAULT_WINDOW_PAGES)),
    ("around", ReadaheadPolicy::ReadAround(DEFAULT_WINDOW_PAGES)),
    (
        "adaptive",
        ReadaheadPolicy::Adaptive(Tuning {
            ratio_percent: 50,
            hit_rate: 1,
            pages_max: 256,
            is_congested: false,
        }),
    ),
];

const DAYS_MAX: u64 = 100_000;

/// Understands the words behind `gyre simulate`; `None` where help is wanted.
pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, String> {
    let mut wanted = Wanted {
        files: 1,
        step: None,
        pages: Vec::new(),
        caches: vec![CachePolicy::NAMES[0]],
        readahead: vec![READAHEAD[0]],
        method: Method::Pwrite,
        block_map: BlockMap::DataOnly,
        page_bytes: 4096,
        days: 7,
        warming_days: 2,
        seed: Some(1),
        trace: None,
        record: None,
        rrdtool: None,
        write_trace: None,
        plot: None,
        form: Form::Text,
        operands: Vec::new(),
    };
    let (mut window, mut tuning) = (None, Tuning::default());
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
            "files" => wanted.files = number(name, &value, 1, u64::from(u32::MAX))? as u32,
            "step" => wanted.step = Some(text(name, &value)?.to_owned()),
            "pages" => wanted.pages = ranges(text(name, &value)?)?,
            "cache" => wanted.caches = list(name, &value, &CachePolicy::NAMES)?,
            "readahead" => wanted.readahead = list(name, &value, &READAHEAD)?,
            "window" => window = Some(number(name, &value, 1, 1 << 20)? as u32),
            "ratio" => tuning.ratio_percent = number(name, &value, 0, 10_000)? as u32,
            "hit-rate" => tuning.hit_rate = number(name, &value, 0, 10_000)? as u32,
            "congested" => tuning.is_congested = true,
            "method" => wanted.method = one(name, &value, &METHODS)?,
            "file-system" => wanted.block_map = one(name, &value, &FILE_SYSTEMS)?,
            "page" => wanted.page_bytes = page_bytes(&value)?,
            "days" => wanted.days = number(name, &value, 1, DAYS_MAX)?,
            "warm-up" => wanted.warming_days = number(name, &value, 0, DAYS_MAX)?,
            "seed" => wanted.seed = Some(number(name, &value, 0, u64::MAX)?),
            "together" => wanted.seed = None,
            "trace" => wanted.trace = Some(value.into()),
            "record" => wanted.record = Some(value.into()),
            "rrdtool" => wanted.rrdtool = Some(value.into()),
            "write-trace" => wanted.write_trace = Some(value.into()),
            "plot" => wanted.plot = Some(value.into()),
            "csv" => wanted.form = Form::Csv,
            _ => wanted.form = Form::Json,
        }
    }
    for (_, readahead) in &mut wanted.readahead {
        set_window(readahead, window, tuning);
    }
    wanted.fits_together()?;
    Ok(Some(wanted))
}

impl Wanted {
    fn fits_together(&self) -> Result<(), String> {
        let has_layout = !self.operands.is_empty() || self.step.is_some();
        let wrong = [
            (
                self.trace.is_some() && (has_layout || self.files != 1),
                "--trace: it tells its files",
            ),
            (self.trace.is_some() && self.record.is_some(), "--trace: nothing is recorded then"),
            (self.record.is_some() && self.files != 1, "--record: one file is recorded"),
            (self.rrdtool.is_some() && self.record.is_none(), "--rrdtool: only with --record"),
        ];
        let wrong = wrong.into_iter().find(|(is_wrong, _)| *is_wrong);
        wrong.map_or(Ok(()), |(_, reason)| Err(reason.into()))
    }
}

fn set_window(readahead: &mut ReadaheadPolicy, window: Option<u32>, tuning: Tuning) {
    match (readahead, window) {
        (ReadaheadPolicy::OnDemand(pages) | ReadaheadPolicy::ReadAround(pages), Some(window)) => {
            *pages = window;
        }
        (ReadaheadPolicy::Adaptive(own), window) => {
            *own = Tuning { pages_max: window.unwrap_or(tuning.pages_max), ..tuning };
        }
        _ => {}
    }
}

fn text<'a>(name: &str, value: &'a OsStr) -> Result<&'a str, String> {
    value.to_str().ok_or_else(|| format!("--{name}: expected text, found {}", value.display()))
}

fn number(name: &str, value: &OsStr, least: u64, most: u64) -> Result<u64, String> {
    let found = value.to_str().and_then(|text| text.parse::<u64>().ok());
    let expected = || format!("--{name}: expected {least} to {most}, found {}", value.display());
    found.filter(|number| (least..=most).contains(number)).ok_or_else(expected)
}

fn page_bytes(value: &OsStr) -> Result<u64, String> {
    let bytes = number("page", value, 512, 1 << 21)?;
    let expected = || format!("--page: expected a power of two, found {bytes}");
    bytes.is_power_of_two().then_some(bytes).ok_or_else(expected)
}

fn one<T: Copy>(name: &str, value: &OsStr, names: &[(&'static str, T)]) -> Result<T, String> {
    match list(name, value, names)?[..] {
        [(_, only)] => Ok(only),
        _ => Err(format!("--{name}: expected one, found {}", value.display())),
    }
}

fn list<T: Copy>(
    name: &str,
    value: &OsStr,
    names: &[(&'static str, T)],
) -> Result<Vec<(&'static str, T)>, String> {
    let find = |word: &str| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let found = names.iter().find(|(name, _)| *name == word).copied();
        found.ok_or_else(|| format!("--{name}: expected {}, found {word}", known.join(", ")))
    };
    text(name, value)?.split(',').map(find).collect()
}

/// `4,8` or `2-20`, ascending.
fn ranges(text: &str) -> Result<Vec<u32>, String> {
    let wrong = || format!("--pages: expected 4,8 or 2-20, from 1 to 1000000, found {text}");
    let count = |word: &str| {
        word.parse::<u32>().ok().filter(|pages| (1..=1_000_000).contains(pages)).ok_or_else(wrong)
    };
    let mut pages = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (count(first)?, count(last)?);
        if first > last || last - first > 10_000 {
            return Err(wrong());
        }
        pages.extend(first..=last);
    }
    pages.sort_unstable();
    pages.dedup();
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Wanted>, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn lists_and_ranges_are_understood() {
        let wanted = parsed("--pages 8,2-4 --cache lru,linux --readahead today --window 64");
        let wanted = wanted.unwrap().unwrap();
        assert_eq!(wanted.pages, [2, 3, 4, 8]);
        assert_eq!(wanted.caches.len(), 2);
        assert_eq!(wanted.readahead, [("today", ReadaheadPolicy::OnDemand(64))]);
        assert!(parsed("-h").unwrap().is_none());
    }

    #[test]
    fn mistakes_are_named() {
        let mistakes = [
            ("--pages 0", "--pages: expected 4,8 or 2-20, from 1 to 1000000, found 0"),
            ("--cache arc", "--cache: expected lru, fifo, clock, 2q, linux, found arc"),
            ("--page 5000", "--page: expected a power of two, found 5000"),
            ("--method pwrite,stream", "--method: expected one, found pwrite,stream"),
            ("--trace a --files 2", "--trace: it tells its files"),
            ("--rrdtool rrdtool", "--rrdtool: only with --record"),
            ("--days none", "--days: expected 1 to 100000, found none"),
        ];
        for (line, expected) in mistakes {
            assert_eq!(parsed(line).unwrap_err(), expected);
        }
    }
}
