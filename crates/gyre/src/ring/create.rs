//! `gyre store create`: an empty ring store.

use std::path::Path;

use ring::Pace;
use ring::{RingOptions, RingStore};

use options::{OptionRule, Options};
use rrdtool::{Failure, Session, Verb};

pub(super) const VERB: Verb = Verb {
    name: "store create",
    summary: "Make an empty ring store",
    operands: "STORE",
    options: &[
        OptionRule {
            long: "flush-cycles",
            short: None,
            value: Some("C"),
            help: "steps between two checkpoints of a group (18)",
        },
        OptionRule {
            long: "tile-rows",
            short: None,
            value: Some("K"),
            help: "the most rows that gather for one page (18)",
        },
        OptionRule {
            long: "sparse",
            short: None,
            value: None,
            help: "take disk space as rows are written, and not when databases are made, which the \
                   store remembers; a full disk can then meet samples that were acknowledged",
        },
    ],
    run,
};

/// As `gyre run` has it.
const PACE_MAX: u32 = 4000;

fn run(_session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut pace = Pace::default();
    let mut sparse = false;
    let mut options = Options::new(VERB.options, words);
    while let Some((name, value)) = options.next_option()? {
        if name == "sparse" {
            sparse = true;
            continue;
        }
        let number = value.parse().ok().filter(|number| (1..=PACE_MAX).contains(number));
        let expected =
            || format!("--{name}: expected a number from 1 to {PACE_MAX}, found {value}");
        let number = number.ok_or_else(|| Failure::misuse(expected()))?;
        match name {
            "flush-cycles" => pace.flush_cycles = number,
            _ => pace.tile_rows_max = number,
        }
    }
    let [root] = options.operands()[..] else {
        let usage = "usage: gyre store create [--flush-cycles C] [--tile-rows K] [--sparse] STORE";
        return Err(Failure::usage(usage));
    };
    let root = Path::new(root);
    if RingStore::is_at(root) {
        let words = format!("{}: there is a ring store already", root.display());
        return Err(Failure::misuse(words));
    }
    if root.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::misuse(format!("{}: expected an empty directory", root.display())));
    }
    let options = RingOptions { pace, sparse, ..RingOptions::default() };
    Ok(RingStore::create(root, options).and_then(RingStore::close)?)
}
