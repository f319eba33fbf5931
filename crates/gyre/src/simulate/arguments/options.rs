//! The options of `gyre simulate`: one table feeds the parser and the help.

use ::options::OptionRule;

use crate::command_line::CommandLine;

const fn rule(long: &'static str, value: Option<&'static str>, help: &'static str) -> OptionRule {
    OptionRule { long, short: None, value, help }
}

pub(in crate::simulate) const COMMAND_LINE: CommandLine = CommandLine {
    synopsis: "simulate [OPTIONS] [FILE.rrd | DS:... RRA:... | --group GROUP... | --trace FILE]",
    summary: "Say how many pages updates read and write if each file may have so many pages of the \
              page cache, before there is such a machine. The files are like FILE.rrd, or as DS and \
              RRA say, or as MRTG makes them.",
    options: &[
        rule("files", Some("N"), "so many files share the cache (1)"),
        rule("step", Some("SECONDS"), "of what DS and RRA say, or of MRTG's layout (300)"),
        rule(
            "group",
            Some("'N [STEP] [FILE.rrd | DS:... RRA:...]'"),
            "N files of a layout of their own; given again, more files that share the cache",
        ),
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
             large, large-around: the same with large folios; \
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
            "--record: PROGRAM updates it, in its pipe mode (gyre itself, as --method says)",
        ),
        rule(
            "no-advice",
            None,
            "--record: gyre updates it without random-access advice, so that the kernel reads ahead",
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
