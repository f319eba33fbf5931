//! The options of `gyre simulate`.

use ::options::{CommandLine, checked, option, switch};
use capacity::policy::{DEFAULT_WINDOW_PAGES, Tuning};
use capacity::replay::Method;
use capacity::scenario::{CachePolicy, ReadaheadPolicy};
use capacity::trace::BlockMap;

use super::values::{page_bytes, ranges, step_seconds};
use super::{Form, Wanted, WantedGroup};

pub(in crate::simulate) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre simulate [OPTIONS] [FILE.rrd | DS:... RRA:... | --group GROUP... | --trace FILE]",
    summary: "Simulate how many pages updates read and write, for different numbers of pages that \
              each file may have of the page cache. The files have the layout of FILE.rrd, of DS \
              and RRA, or of MRTG.",
    options: &[
        checked("--files", "N", "the number of files that share the cache (1)", |it, value| {
            it.loose.files = Some(value.number_u32(1..=u32::MAX)?);
            Ok(())
        }),
        checked(
            "--step",
            "SECONDS",
            "the step of the layout of DS and RRA, or of MRTG's (300)",
            |it, value| {
                it.loose.step_seconds = Some(step_seconds(value.text()?)?);
                Ok(())
            },
        ),
        checked(
            "--group",
            "'N [STEP] [FILE.rrd | DS:... RRA:...]'",
            "N files of this layout; may be given several times for files that share the cache",
            |it, value| {
                it.groups.push(WantedGroup::parse(value.as_os_str())?);
                Ok(())
            },
        ),
        checked(
            "--pages",
            "LIST",
            "pages of the cache for each file: 4,8 or 2-20 (all numbers that make a difference)",
            |it, value| {
                it.pages = ranges(&value)?;
                Ok(())
            },
        ),
        checked(
            "--cache",
            "LIST",
            "the replacement policies: lru, fifo, clock, 2q, linux (lru)",
            |it, value| {
                it.caches = value.list(&CachePolicy::NAMES)?;
                Ok(())
            },
        ),
        checked(
            "--readahead",
            "LIST",
            "the readahead policies: none; article, observed: Linux 2.6; today, around: reads and \
             mappings of current Linux; large, large-around: the same with large folios; adaptive \
             (none)",
            |it, value| {
                it.readahead = value.list(&READAHEAD)?;
                Ok(())
            },
        ),
        checked(
            "--window",
            "PAGES",
            "the largest window of the current policies (32) and of adaptive (256)",
            |it, value| {
                it.loose.window = Some(value.number_u32(1..=1 << 20)?);
                Ok(())
            },
        ),
        checked("--ratio", "PERCENT", "readahead_ratio of adaptive (50)", |it, value| {
            it.loose.tuning.ratio_percent = value.number_u32(0..=10_000)?;
            Ok(())
        }),
        checked("--hit-rate", "N", "readahead_hit_rate of adaptive (1)", |it, value| {
            it.loose.tuning.hit_rate = value.number_u32(0..=10_000)?;
            Ok(())
        }),
        switch("--congested", "adaptive: the disk is overloaded", |it| {
            it.loose.tuning.is_congested = true
        }),
        checked(
            "--method",
            "METHOD",
            "how programs write: pwrite, stream (RRDtool 1.0), mapping (later RRDtool) (pwrite)",
            |it, value| {
                (_, it.method) = value.one_of(&METHODS)?;
                Ok(())
            },
        ),
        checked(
            "--file-system",
            "KIND",
            "metadata to simulate: none, ext4 (the inode), ext2 (inode and indirect blocks) (none)",
            |it, value| {
                (_, it.block_map) = value.one_of(&FILE_SYSTEMS)?;
                Ok(())
            },
        ),
        checked("--page", "BYTES", "size of a page (4096)", |it, value| {
            it.page_bytes = page_bytes(&value)?;
            Ok(())
        }),
        checked("--days", "DAYS", "the number of counted days (7)", |it, value| {
            it.days = value.number(1..=DAYS_MAX)?;
            Ok(())
        }),
        checked(
            "--warm-up",
            "DAYS",
            "the number of days simulated before, to warm the cache (2)",
            |it, value| {
                it.warming_days = value.number(0..=DAYS_MAX)?;
                Ok(())
            },
        ),
        checked(
            "--seed",
            "N",
            "the seed of the random initial positions of rings (1)",
            |it, value| {
                it.seed = Some(value.number(0..=u64::MAX)?);
                Ok(())
            },
        ),
        switch("--together", "all rings begin in their first slot", |it| it.seed = None),
        option(
            "--trace",
            "FILE",
            "simulate the updates of the trace in FILE instead (- for stdin)",
            |it, value| it.trace = Some(value.path()),
        ),
        option(
            "--record",
            "DIR",
            "simulate recorded updates instead: make one file in DIR, evict and update it \
             repeatedly, and record the resident pages after each update",
            |it, value| it.record = Some(value.path()),
        ),
        option(
            "--rrdtool",
            "PROGRAM",
            "--record: PROGRAM updates the file, in its pipe mode (gyre itself, by --method)",
            |it, value| it.rrdtool = Some(value.path()),
        ),
        switch(
            "--no-advice",
            "--record: gyre updates the file without random-access advice, so that the kernel \
             reads ahead",
            |it| it.no_advice = true,
        ),
        option(
            "--write-trace",
            "FILE",
            "simulate nothing; write the updates to FILE as a trace (- for stdout)",
            |it, value| it.write_trace = Some(value.path()),
        ),
        option("--plot", "FILE.svg", "also draw the pages read (or .png)", |it, value| {
            it.plot = Some(value.path())
        }),
        switch("--csv", "print the table as comma-separated values", |it| it.form = Form::Csv),
        switch("--json", "print everything as JSON", |it| it.form = Form::Json),
    ],
    notes: "exit codes: 0 done; 1 a file cannot be read or written, or cannot be simulated; 2 misuse\n",
};

const METHODS: [(&str, Method); 3] =
    [("pwrite", Method::Pwrite), ("stream", Method::Stream), ("mapping", Method::Mapping)];

const FILE_SYSTEMS: [(&str, BlockMap); 3] =
    [("none", BlockMap::DataOnly), ("ext4", BlockMap::Extents), ("ext2", BlockMap::Indirect)];

pub(super) const READAHEAD: [(&str, ReadaheadPolicy); 8] = [
    ("none", ReadaheadPolicy::None),
    ("article", ReadaheadPolicy::Article),
    ("observed", ReadaheadPolicy::Observed),
    ("today", ReadaheadPolicy::OnDemand(DEFAULT_WINDOW_PAGES)),
    ("large", ReadaheadPolicy::LargeFolios(DEFAULT_WINDOW_PAGES)),
    ("around", ReadaheadPolicy::ReadAround(DEFAULT_WINDOW_PAGES)),
    ("large-around", ReadaheadPolicy::LargeReadAround(DEFAULT_WINDOW_PAGES)),
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
