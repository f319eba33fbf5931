//! The command line of `gyre plan`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use options::OptionRule;
use planner::scenario::Layout;

use super::disks::{DISKS, Disk};
use super::ways::{NAMES, Named, USUAL};
use super::what_if::Split;
use crate::command_line::{CommandLine, Word};
use crate::misuse::Misuse;
use crate::option_values::{amount, list, number, one, size, text};

const fn rule(long: &'static str, value: Option<&'static str>, help: &'static str) -> OptionRule {
    OptionRule { long, short: None, value, help }
}

pub(super) const COMMAND_LINE: CommandLine = CommandLine {
    synopsis: "plan [OPTIONS] [TREE | STORE | MRTG.CFG | FILE.rrd | DS:... RRA:...]",
    summary: "Say whether this machine, or another, carries databases, how many more it would, and what \
              they cost it, for each way to keep them. The databases are those below TREE, of the ring \
              store STORE, or of the targets of MRTG.CFG; or like FILE.rrd, or as DS and RRA say, or \
              as MRTG makes them. Reads a little of what is there, and changes nothing.",
    options: &[
        rule("targets", Some("N"), "so many databases (those that are there; else 100000)"),
        rule(
            "step",
            Some("SECONDS"),
            "what if each were updated once in so many seconds (its step)",
        ),
        rule(
            "split",
            Some("SHARE:SECONDS"),
            "what if a share of them, 10% or 5000, were; may be given again",
        ),
        rule(
            "archives",
            Some("HOW"),
            "archives at another step: spans, they reach as far back; rows, they have as many rows; \
             kept, they stay, and take the mean of several updates (spans)",
        ),
        rule(
            "ways",
            Some("LIST"),
            "files, no-advice, journal, ring; rrdtool, mapped, rrdcached (the first four)",
        ),
        rule("write-every", Some("SECONDS"), "journal: each file is written so often (3600)"),
        rule("flush-cycles", Some("C"), "ring: steps between two checkpoints of a group (18)"),
        rule(
            "tile-rows",
            Some("K"),
            "ring: the most rows of a tile (as many as memory has room for)",
        ),
        rule("memory", Some("SIZE"), "of the machine, for all this (what is available here)"),
        rule("cores", Some("N"), "its processors (those here)"),
        rule("disk", Some("SIZE"), "room on its disk (what is free here)"),
        rule("device", Some("KIND"), "its disk is an hdd, ssd or nvme, as most are (as here)"),
        rule("reads", Some("N"), "pages a second that it reads at random"),
        rule("writes", Some("N"), "pages a second that it writes at random"),
        rule("sequential", Some("SIZE"), "bytes a second that it reads or writes in order"),
        rule("sync", Some("MS"), "milliseconds of a small write that is waited for"),
        rule("readahead", Some("KIB"), "how far the kernel reads ahead (as here)"),
        rule("measure-disk", None, "measure this one: a file of 64 MiB, removed, in at most 10 s"),
        rule("place", Some("DIR"), "where they lie, or would (where they are; else here)"),
        rule(
            "plot",
            Some("FILE.svg"),
            "draw page-ins and cycles by the number of targets, too (or .png)",
        ),
        rule("json", None, "everything, as JSON"),
    ],
    notes: "exit codes: 0 done, whatever the answer; 1 something cannot be read, written or planned; 2 misuse\n",
};

/// The command line, understood.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) targets: Option<u64>,
    pub(super) step_seconds: Option<u64>,
    pub(super) splits: Vec<Split>,
    pub(super) layout: Layout,
    pub(super) ways: Vec<Named>,
    pub(super) write_seconds: u64,
    pub(super) flush_cycles: Option<u32>,
    pub(super) tile_rows: Option<u32>,
    pub(super) machine: WantedMachine,
    pub(super) place: Option<PathBuf>,
    pub(super) plot: Option<PathBuf>,
    pub(super) as_json: bool,
    pub(super) operands: Vec<OsString>,
}

/// What is said of the machine.
#[derive(Clone, Debug, Default)]
pub(super) struct WantedMachine {
    pub(super) memory_bytes: Option<u64>,
    pub(super) cores: Option<u32>,
    pub(super) room_bytes: Option<u64>,
    pub(super) disk: Option<&'static Disk>,
    pub(super) reads_per_second: Option<f64>,
    pub(super) writes_per_second: Option<f64>,
    pub(super) sequential_bytes_per_second: Option<u64>,
    pub(super) sync_milliseconds: Option<f64>,
    pub(super) readahead_kibibytes: Option<u64>,
    pub(super) measure: bool,
}

const LAYOUTS: [(&str, Layout); 3] =
    [("spans", Layout::SameSpans), ("rows", Layout::SameRows), ("kept", Layout::Kept)];
/// More than any machine carries.
const TARGETS_MAX: u64 = 1 << 40;
/// A day: what is polled less often is no matter of capacity.
const SECONDS_MAX: u64 = 86_400;

/// Understands the words behind `gyre plan`; `None` where help is wanted.
pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let mut wanted = Wanted {
        targets: None,
        step_seconds: None,
        splits: Vec::new(),
        layout: Layout::SameSpans,
        ways: NAMES[..USUAL].to_vec(),
        write_seconds: 3600,
        flush_cycles: None,
        tile_rows: None,
        machine: WantedMachine::default(),
        place: None,
        plot: None,
        as_json: false,
        operands: Vec::new(),
    };
    for word in COMMAND_LINE.read(words)? {
        match word {
            Word::Operand(operand) => wanted.operands.push(operand),
            Word::Option("help", _) => return Ok(None),
            Word::Option(name, value) => {
                if !wanted.machine.take(name, &value)? {
                    wanted.take(name, value)?;
                }
            }
        }
    }
    super::what_if::check(&wanted.splits)?;
    Ok(Some(wanted))
}

impl Wanted {
    fn take(&mut self, name: &'static str, value: OsString) -> Result<(), Misuse> {
        match name {
            "targets" => self.targets = Some(number(name, &value, 1, TARGETS_MAX)?),
            "step" => self.step_seconds = Some(seconds(name, text(name, &value)?)?),
            "split" => self.splits.push(Split::parse(text(name, &value)?)?),
            "archives" => self.layout = one(name, &value, &LAYOUTS)?,
            "ways" => self.ways = list(name, &value, &NAMES)?,
            "write-every" => self.write_seconds = number(name, &value, 1, SECONDS_MAX)?,
            "flush-cycles" => self.flush_cycles = Some(number(name, &value, 1, 1 << 16)? as u32),
            "tile-rows" => self.tile_rows = Some(number(name, &value, 1, 4000)? as u32),
            "place" => self.place = Some(value.into()),
            "plot" => self.plot = Some(value.into()),
            "json" => self.as_json = true,
            _ => unreachable!("--{name} stands in the table alone"),
        }
        Ok(())
    }
}

impl WantedMachine {
    /// Whether it is an option about the machine.
    fn take(&mut self, name: &'static str, value: &OsStr) -> Result<bool, Misuse> {
        match name {
            "memory" => self.memory_bytes = Some(size(name, value)?),
            "cores" => self.cores = Some(number(name, value, 1, 4096)? as u32),
            "disk" => self.room_bytes = Some(size(name, value)?),
            "device" => self.disk = Some(one(name, value, &DISKS)?),
            "reads" => self.reads_per_second = Some(amount(name, value)?),
            "writes" => self.writes_per_second = Some(amount(name, value)?),
            "sequential" => self.sequential_bytes_per_second = Some(size(name, value)?),
            "sync" => self.sync_milliseconds = Some(amount(name, value)?),
            "readahead" => self.readahead_kibibytes = Some(number(name, value, 0, 1 << 30)?),
            "measure-disk" => self.measure = true,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Seconds, as rrdtool takes steps: `300`, `5m`.
pub(super) fn seconds(name: &'static str, text: &str) -> Result<u64, Misuse> {
    let found = rrd::spec::step_seconds(text).ok().filter(|it| (1..=SECONDS_MAX).contains(it));
    let expected = || format!("seconds, 1 to {SECONDS_MAX}");
    found.ok_or_else(|| Misuse::value(name, expected(), OsStr::new(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Wanted>, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|misuse| misuse.to_string())
    }

    #[test]
    fn options_are_understood() {
        let line = "--targets 5000 --step 1m --split 10%:60 --split=100:30 --ways ring,files \
                    --memory 16G --device hdd --reads 200 /x";
        let wanted = parsed(line).unwrap().unwrap();
        assert_eq!((wanted.targets, wanted.step_seconds), (Some(5000), Some(60)));
        assert_eq!(wanted.splits.len(), 2);
        assert_eq!(
            wanted.ways.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["ring", "files"]
        );
        assert_eq!(wanted.machine.memory_bytes, Some(16 << 30));
        assert_eq!(wanted.operands, ["/x"]);
        assert!(parsed("-h").unwrap().is_none());
    }

    #[test]
    fn every_option_of_the_table_is_taken_as_itself() {
        for rule in COMMAND_LINE.options {
            let word = format!("--{}{}", rule.long, rule.value.map_or("", |_| "=1"));
            // Many do not take a 1.
            if let Ok(Some(wanted)) = parsed(&word) {
                assert_eq!(wanted.as_json, rule.long == "json", "{word}");
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let mistakes = [
            ("--targets 0", "--targets: expected 1 to 1099511627776, found 0"),
            ("--step 0", "--step: expected seconds, 1 to 86400, found 0"),
            ("--split 10", "--split: expected SHARE:SECONDS as in 10%:60 or 5000:60, found 10"),
            (
                "--split 60%:60 --split 50%:30",
                "--split: expected shares of 100% at most, found 110%",
            ),
            (
                "--ways tape",
                "--ways: expected files, no-advice, journal, ring, rrdtool, mapped, rrdcached, found tape",
            ),
            ("--memory 0", "--memory: expected bytes, or K, M, G or T of them, found 0"),
            ("--device tape", "--device: expected hdd, ssd, nvme, found tape"),
            ("--sync x", "--sync: expected a number above zero, found x"),
            ("--archives old", "--archives: expected spans, rows, kept, found old"),
        ];
        for (line, expected) in mistakes {
            assert_eq!(parsed(line).unwrap_err(), expected);
        }
    }
}
