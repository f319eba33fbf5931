//! `gyre convert`: files of other machines, and of old versions, become files of this one.
//!
//! What is written has everything that the file had: row pointers, live state, every bit of a
//! value. It appears whole or not at all, with the permissions of the file that it was made of.

mod report;
mod targets;
mod work;

use options::{OptionRule, Options};
use rrdtool::{Failure, Session, Verb};

use targets::Place;

pub(crate) const VERB: Verb = Verb {
    name: "convert",
    summary: "Make .rrd files that another kind of machine wrote (of 32 bits, or big-endian), or a \
              version of rrdtool before 1.2, files of this one that rrdtool and gyre update. \
              Nothing of a file is lost. Below a directory all are taken. What needs no change is \
              left alone in its place, and copied to another",
    operands: "FILE|DIRECTORY...",
    options: &[
        OptionRule {
            long: "in-place",
            short: Some('i'),
            value: None,
            help: "put each file in the place of the one that it was made of",
        },
        OptionRule {
            long: "output",
            short: Some('o'),
            value: Some("PLACE"),
            help: "write the one file to this name, or all below this directory; what is there \
                   stays",
        },
        OptionRule { long: "json", short: None, value: None, help: "what became of each, as JSON" },
    ],
    run,
};

const USAGE: &str = "usage: gyre convert (--in-place | --output PLACE) [--json] FILE|DIRECTORY...";

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (mut in_place, mut output, mut as_json) = (false, None, false);
    let mut options = Options::new(VERB.options, words);
    while let Some((name, value)) = options.next_option()? {
        match name {
            "in-place" => in_place = true,
            "output" => output = Some(value),
            "json" => as_json = true,
            _ => unreachable!("--{name} stands in the table alone"),
        }
    }
    let operands = options.operands();
    let place = match (in_place, output) {
        (true, None) => Place::Same,
        (false, Some(output)) => Place::Other(output.into()),
        _ => return Err(Failure::usage(USAGE)),
    };
    if operands.is_empty() {
        return Err(Failure::usage(USAGE));
    }
    let jobs = targets::find(&operands, &place)?;
    let outcomes = work::convert(&jobs);
    let report = report::Report { jobs: &jobs, outcomes: &outcomes };
    session.out.extend(if as_json { report.json() } else { report.text() });
    report.verdict()
}
