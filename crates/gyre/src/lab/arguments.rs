//! The command line of `gyre lab`.

use std::ffi::OsString;
use std::path::PathBuf;

use lab::{EXPERIMENTS, Experiment};
use options::OptionRule;

use crate::command_line::{CommandLine, Word};
use crate::misuse::Misuse;

/// How an experiment calls gyre for its work.
pub(super) const WORKER: &str = "--worker";

pub(super) const COMMAND_LINE: CommandLine = CommandLine {
    synopsis: "lab [OPTIONS] [EXPERIMENT...]",
    summary: "Repeat the experiments on .rrd files and the page cache that gyre rests on, on this machine: \
              each sets up a disk and a limit of memory of its own, updates real files, and says what \
              became of the reference's figures, beside model and simulation. `all` is every \
              experiment; without one they are listed. Needs root, for control groups and loop \
              devices.",
    options: &[
        OptionRule {
            long: "output",
            short: Some('o'),
            value: Some("DIR"),
            help: "where figures (CSV), plots (SVG) and verdicts go (gyre-lab)",
        },
        OptionRule {
            long: "scratch",
            short: None,
            value: Some("DIR"),
            help: "where the disks are made, at most 3 GB at a time, 8 GB with fig15-18 (the output directory)",
        },
        OptionRule {
            long: "quick",
            short: None,
            value: None,
            help: "everything tiny: shows within a minute that it works here; its figures mean little",
        },
        OptionRule {
            long: "json",
            short: Some('j'),
            value: None,
            help: "one document an experiment",
        },
    ],
    notes: "exit codes: 0 done, whatever the verdicts; 1 an experiment failed; 2 misuse\n",
};

/// What is to be done.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) experiments: Vec<&'static Experiment>,
    pub(super) output: Option<PathBuf>,
    pub(super) scratch: Option<PathBuf>,
    pub(super) quick: bool,
    pub(super) json: bool,
}

pub(super) fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let mut wanted = Wanted::default();
    for word in COMMAND_LINE.read(words)? {
        match word {
            Word::Option("help", _) => return Ok(None),
            Word::Option("output", value) => wanted.output = Some(value.into()),
            Word::Option("scratch", value) => wanted.scratch = Some(value.into()),
            Word::Option("quick", _) => wanted.quick = true,
            Word::Option("json", _) => wanted.json = true,
            Word::Option(name, _) => unreachable!("--{name} stands in the table alone"),
            Word::Operand(word) if word == "all" => wanted.experiments.extend(EXPERIMENTS),
            Word::Operand(word) => {
                let found = EXPERIMENTS.iter().find(|it| *it.name == *word);
                let unknown = || Misuse::Experiment(word.display().to_string());
                wanted.experiments.push(found.ok_or_else(unknown)?);
            }
        }
    }
    Ok(Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Wanted>, String> {
        let words = line.split_whitespace().map(OsString::from).collect();
        parse(words).map_err(|misuse| misuse.to_string())
    }

    #[test]
    fn every_option_of_the_table_is_taken_as_itself() {
        for rule in COMMAND_LINE.options {
            let word = format!("--{}{}", rule.long, rule.value.map_or("", |_| "=1"));
            // Many do not take a 1.
            if let Ok(Some(wanted)) = parsed(&word) {
                assert_eq!(wanted.json, rule.long == "json", "{word}");
            }
        }
    }

    #[test]
    fn experiments_are_named() {
        let wanted = parsed("fig13 --quick -o x").unwrap().unwrap();
        assert_eq!(wanted.experiments[0].name, "fig13");
        assert!(wanted.quick && !wanted.json);
        assert_eq!(parsed("all").unwrap().unwrap().experiments.len(), EXPERIMENTS.len());
        assert_eq!(parsed("fig99").map(drop).unwrap_err(), "there is no experiment fig99");
    }
}
