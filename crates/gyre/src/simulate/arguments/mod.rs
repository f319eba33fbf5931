//! The command line of `gyre simulate`.

mod options;
mod group;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

use capacity::policy::Tuning;
use capacity::replay::Method;
use capacity::scenario::{CachePolicy, ReadaheadPolicy};
use capacity::trace::BlockMap;

use ::options::Misuse;
pub(super) use group::{WantedGroup, WantedLayout};
pub(super) use options::LINE;
use options::READAHEAD;

/// The format of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
    Csv,
}

/// The parsed command line.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// The groups of files; empty if a trace names the files.
    pub(super) groups: Vec<WantedGroup>,
    /// Pages of the cache for each file; empty for all numbers.
    pub(super) pages: Vec<u32>,
    pub(super) caches: Vec<(&'static str, CachePolicy)>,
    pub(super) readahead: Vec<(&'static str, ReadaheadPolicy)>,
    pub(super) method: Method,
    pub(super) block_map: BlockMap,
    pub(super) page_bytes: u64,
    pub(super) days: u64,
    pub(super) warming_days: u64,
    /// The seed for the positions of rings; `None` if all begin in their first slot.
    pub(super) seed: Option<u64>,
    pub(super) trace: Option<PathBuf>,
    pub(super) record: Option<PathBuf>,
    pub(super) rrdtool: Option<PathBuf>,
    pub(super) no_advice: bool,
    pub(super) write_trace: Option<PathBuf>,
    pub(super) plot: Option<PathBuf>,
    pub(super) form: Form,
    loose: Loose,
}

/// Options that are valid only together with others.
#[derive(Clone, Debug, Default)]
struct Loose {
    files: Option<u32>,
    step_seconds: Option<u64>,
    operands: Vec<OsString>,
    window: Option<u32>,
    tuning: Tuning,
}

/// Parses the arguments of `gyre simulate`; `None` if they ask for help.
pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let loose = Loose { operands, ..std::mem::take(&mut wanted.loose) };
    for (_, readahead) in &mut wanted.readahead {
        set_window(readahead, loose.window, loose.tuning);
    }
    wanted.take_files(loose)?;
    wanted.fits_together()?;
    Ok(Some(wanted))
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
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
            no_advice: false,
            write_trace: None,
            plot: None,
            form: Form::Text,
            loose: Loose::default(),
        }
    }
}

impl Wanted {
    /// Sets the files: from a trace, from `--group`, or from the operands.
    fn take_files(&mut self, loose: Loose) -> Result<(), Misuse> {
        let Loose { files, step_seconds, operands, .. } = loose;
        let tells_files = files.is_some() || step_seconds.is_some() || !operands.is_empty();
        match (&self.trace, &self.groups[..]) {
            (Some(_), _) if tells_files || !self.groups.is_empty() => {
                Err(Misuse::unfit("--trace: it tells its files"))
            }
            (None, []) => {
                let layout = WantedLayout::of_operands(operands)?;
                let group = WantedGroup::new(files.unwrap_or(1), step_seconds, layout)?;
                self.groups.push(group);
                Ok(())
            }
            (None, _) if tells_files => {
                Err(Misuse::unfit("--group: it tells its files, step and layout"))
            }
            _ => Ok(()),
        }
    }

    fn fits_together(&self) -> Result<(), Misuse> {
        let (is_recorded, is_one) = (self.record.is_some(), self.groups.len() == 1);
        let wrong = [
            (self.trace.is_some() && is_recorded, "--trace: nothing is recorded then"),
            (
                is_recorded && !(is_one && self.groups[0].files == 1),
                "--record: one file is recorded",
            ),
            (self.rrdtool.is_some() && !is_recorded, "--rrdtool: only with --record"),
            (self.no_advice && !is_recorded, "--no-advice: only with --record"),
            (
                self.no_advice && self.rrdtool.is_some(),
                "--no-advice: --rrdtool advises as it likes",
            ),
        ];
        let wrong = wrong.into_iter().find(|(is_wrong, _)| *is_wrong);
        wrong.map_or(Ok(()), |(_, reason)| Err(Misuse::unfit(reason)))
    }
}

fn set_window(readahead: &mut ReadaheadPolicy, window: Option<u32>, tuning: Tuning) {
    use ReadaheadPolicy::{LargeFolios, LargeReadAround, OnDemand, ReadAround};
    match (readahead, window) {
        (
            OnDemand(pages) | LargeFolios(pages) | ReadAround(pages) | LargeReadAround(pages),
            Some(window),
        ) => *pages = window,
        (ReadaheadPolicy::Adaptive(own), window) => {
            *own = Tuning { pages_max: window.unwrap_or(tuning.pages_max), ..tuning };
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Wanted>, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|misuse| misuse.to_string())
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

    const GROUP: &str = "--group none: expected a number of files from 1 to 4294967295, found none";

    #[test]
    fn files_are_told_by_operands_or_groups() {
        let groups = |line: &str| parsed(line).unwrap().unwrap().groups;
        let mrtg =
            |files, step_seconds| WantedGroup { files, step_seconds, layout: WantedLayout::Mrtg };
        assert_eq!(groups(""), [mrtg(1, None)]);
        assert_eq!(groups("--files 9 --step 1m"), [mrtg(9, Some(60))]);
        assert_eq!(groups("--group 9 --group=8"), [mrtg(9, None), mrtg(8, None)]);
        assert_eq!(groups("--trace a"), []);
    }

    #[test]
    fn mistakes_are_named() {
        let mistakes = [
            ("--pages 0", "--pages: expected 4,8 or 2-20, from 1 to 1000000, found 0"),
            ("--cache arc", "--cache: expected lru, fifo, clock, 2q, linux, found arc"),
            ("--page 5000", "--page: expected a power of two, found 5000"),
            (
                "--method pwrite,stream",
                "--method: expected pwrite, stream, mapping, found pwrite,stream",
            ),
            ("--trace a --files 2", "--trace: it tells its files"),
            ("--trace a --group 2", "--trace: it tells its files"),
            ("--trace a --record b", "--trace: nothing is recorded then"),
            ("--group 2 --files 2", "--group: it tells its files, step and layout"),
            ("--group 2 a.rrd", "--group: it tells its files, step and layout"),
            ("--group none", GROUP),
            ("--record a --files 2", "--record: one file is recorded"),
            ("--record a --group 1 --group 1", "--record: one file is recorded"),
            ("--rrdtool rrdtool", "--rrdtool: only with --record"),
            ("--no-advice", "--no-advice: only with --record"),
            ("--record a --rrdtool b --no-advice", "--no-advice: --rrdtool advises as it likes"),
            ("a.rrd b.rrd", "expected one file, or DS and RRA"),
            ("a.rrd RRA:LAST:0:1:9", "expected one file, or DS and RRA"),
            ("--step 60 a.rrd", "--step: a.rrd has its own"),
            ("--files 0", "--files: expected a number from 1 to 4294967295, found 0"),
            ("--pages 9-2", "--pages: expected 4,8 or 2-20, from 1 to 1000000, found 9-2"),
            (
                "--readahead most",
                "--readahead: expected none, article, observed, today, large, around, large-around, adaptive, found most",
            ),
            ("--window 0", "--window: expected a number from 1 to 1048576, found 0"),
            ("--ratio -1", "--ratio: expected a number from 0 to 10000, found -1"),
            ("--hit-rate x", "--hit-rate: expected a number from 0 to 10000, found x"),
            ("--congested=1", "--congested: expected no value"),
            ("--method mmap", "--method: expected pwrite, stream, mapping, found mmap"),
            ("--file-system xfs", "--file-system: expected none, ext4, ext2, found xfs"),
            ("--warm-up 1.5", "--warm-up: expected a number from 0 to 100000, found 1.5"),
            ("--seed one", "--seed: expected a number from 0, found one"),
            ("--trace", "--trace: expected FILE"),
            ("--days none", "--days: expected a number from 1 to 100000, found none"),
        ];
        for (line, expected) in mistakes {
            assert_eq!(parsed(line).unwrap_err(), expected);
        }
    }
}
