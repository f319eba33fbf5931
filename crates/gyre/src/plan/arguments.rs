//! The command line of `gyre plan`.

use std::ffi::OsString;
use std::path::PathBuf;

use options::{CommandLine, Misuse, checked, option, switch};
use planner::scenario::Layout;

use super::disks::{DISKS, Disk};
use super::split::{self, SECONDS_MAX, Split, seconds};
use super::ways::{NAMES, Named, USUAL};
use crate::ring::PACE_MAX;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre plan [OPTIONS] [TREE | STORE | MRTG.CFG | FILE.rrd | DS:... RRA:...]",
    summary: "Predict whether this machine, or another one, carries a number of databases, how \
              many more it could carry, and what they cost, for each way to keep them. The \
              databases are those below TREE, in the ring store STORE, or of the targets of \
              MRTG.CFG; or have the layout of FILE.rrd, of DS and RRA, or of MRTG. Reads a little \
              of the existing data, and changes nothing.",
    options: &[
        checked(
            "--targets",
            "N",
            "the number of databases (the existing ones; else 100000)",
            |it, value| {
                it.targets = Some(value.number(1..=TARGETS_MAX)?);
                Ok(())
            },
        ),
        checked(
            "--step",
            "SECONDS",
            "what if each were updated at this interval (its step)",
            |it, value| {
                it.step_seconds = Some(seconds("step", value.text()?)?);
                Ok(())
            },
        ),
        checked(
            "--split",
            "SHARE:SECONDS",
            "what if a share of them, 10% or 5000, were updated at this interval; may be given \
             several times",
            |it, value| {
                it.splits.push(Split::parse(value.text()?)?);
                Ok(())
            },
        ),
        checked(
            "--archives",
            "HOW",
            "archives at another interval: spans, they cover the same times; rows, they keep their \
             numbers of rows; kept, they and the step are unchanged, and a step takes the mean of \
             several updates (spans)",
            |it, value| {
                (_, it.layout) = value.one_of(&LAYOUTS)?;
                Ok(())
            },
        ),
        checked(
            "--ways",
            "LIST",
            "the ways: files, no-advice, journal, ring, rrdtool, mapped, rrdcached (the first \
             four)",
            |it, value| {
                it.ways = value.list(&NAMES)?;
                Ok(())
            },
        ),
        checked(
            "--write-every",
            "SECONDS",
            "journal: the time between two writes of a file (3600)",
            |it, value| {
                it.write_seconds = value.number(1..=SECONDS_MAX)?;
                Ok(())
            },
        ),
        checked(
            "--flush-cycles",
            "C",
            "ring: steps between two checkpoints of a group (18)",
            |it, value| {
                it.flush_cycles = Some(value.number_u32(1..=1 << 16)?);
                Ok(())
            },
        ),
        checked(
            "--tile-rows",
            "K",
            "ring: the most rows of a tile (as many as fit in memory)",
            |it, value| {
                it.tile_rows = Some(value.number_u32(1..=PACE_MAX)?);
                Ok(())
            },
        ),
        checked(
            "--memory",
            "SIZE",
            "memory for the databases (the available memory of this machine)",
            |it, value| {
                it.machine.memory_bytes = Some(value.bytes()?);
                Ok(())
            },
        ),
        checked("--cores", "N", "the number of processors (those of this machine)", |it, value| {
            it.machine.cores = Some(value.number_u32(1..=4096)?);
            Ok(())
        }),
        checked("--disk", "SIZE", "disk space (the free space here)", |it, value| {
            it.machine.room_bytes = Some(value.bytes()?);
            Ok(())
        }),
        checked(
            "--device",
            "KIND",
            "the kind of disk, with typical speeds: hdd, ssd or nvme (the kind here)",
            |it, value| {
                it.machine.disk = Some(value.one_of(&DISKS)?.1);
                Ok(())
            },
        ),
        checked("--reads", "N", "random reads of the disk, in pages a second", |it, value| {
            it.machine.reads_per_second = Some(value.amount()?);
            Ok(())
        }),
        checked("--writes", "N", "random writes of the disk, in pages a second", |it, value| {
            it.machine.writes_per_second = Some(value.amount()?);
            Ok(())
        }),
        checked(
            "--sequential",
            "SIZE",
            "sequential reads or writes of the disk, in bytes a second",
            |it, value| {
                it.machine.sequential_bytes_per_second = Some(value.bytes()?);
                Ok(())
            },
        ),
        checked("--sync", "MS", "milliseconds of a small synced write", |it, value| {
            it.machine.sync_milliseconds = Some(value.amount()?);
            Ok(())
        }),
        checked("--readahead", "KIB", "the kernel's readahead (as here)", |it, value| {
            it.machine.readahead_kibibytes = Some(value.number(0..=1 << 30)?);
            Ok(())
        }),
        switch(
            "--measure-disk",
            "measure the disk here with a file of 64 MiB, which is removed, in at most 10 s",
            |it| it.machine.measure = true,
        ),
        option(
            "--place",
            "DIR",
            "the directory of the databases (where they are; else the current directory)",
            |it, value| it.place = Some(value.path()),
        ),
        option(
            "--plot",
            "FILE.svg",
            "also draw page-ins and cycles over the number of databases (or .png)",
            |it, value| it.plot = Some(value.path()),
        ),
        switch("--json", "print everything as JSON", |it| it.as_json = true),
    ],
    notes: "exit codes: 0 done, with any prediction; 1 something cannot be read, written or \
            planned; 2 misuse\n",
};

/// The parsed command line.
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

/// The properties of the machine that options set.
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

impl Default for Wanted {
    fn default() -> Self {
        Self {
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
        }
    }
}

/// Parses the arguments of `gyre plan`; `None` if they ask for help.
pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    split::check(&wanted.splits)?;
    Ok(Some(Wanted { operands, ..wanted }))
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
    fn mistakes_are_named() {
        let mistakes = [
            ("--targets 0", "--targets: expected a number from 1 to 1099511627776, found 0"),
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
