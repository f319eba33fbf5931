//! The report of a conversion.

use std::fmt::Write as _;

use rrdfile::Architecture;
use rrdtool::Failure;
use serde_json::{Value, json};

use super::targets::Job;
use super::work::{Done, Outcome};

pub(super) struct Report<'a> {
    pub(super) jobs: &'a [Job],
    pub(super) outcomes: &'a [Outcome],
}

impl Report<'_> {
    /// A line for each converted file, and a line with the sums.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut out = String::new();
        let (mut converted, mut copied, mut left) = (0, 0, 0);
        for (job, outcome) in self.jobs.iter().zip(self.outcomes) {
            match outcome {
                Ok(Done::Converted(architecture)) => {
                    converted += 1;
                    let file = job.source.display();
                    // Writing to a String cannot fail.
                    let _ = writeln!(out, "{file}: was {}", origin(*architecture));
                }
                Ok(Done::Copied) => copied += 1,
                Ok(Done::Left) => left += 1,
                Err(_) => {}
            }
        }
        let _ = write!(out, "{converted} converted"); // as above
        for (count, word) in [(copied, "copied as they were"), (left, "needed no change")] {
            if count > 0 {
                let _ = write!(out, ", {count} {word}"); // as above
            }
        }
        out.push('\n');
        out.into_bytes()
    }

    pub(super) fn json(&self) -> Vec<u8> {
        let files = self.jobs.iter().zip(self.outcomes).map(|(job, outcome)| {
            let target = job.target.as_ref().unwrap_or(&job.source);
            let (state, machine, error) = match outcome {
                Ok(Done::Converted(architecture)) => ("converted", origin(*architecture), None),
                Ok(Done::Copied) => ("copied", Architecture::NATIVE.to_string(), None),
                Ok(Done::Left) => ("unchanged", Architecture::NATIVE.to_string(), None),
                Err(problem) => ("failed", String::new(), Some(problem.to_string())),
            };
            json!({
                "file": job.source.to_string_lossy(),
                "output": target.to_string_lossy(),
                "state": state,
                "was": machine,
                "error": error,
            })
        });
        let files: Vec<Value> = files.collect();
        format!("{:#}\n", Value::from(files)).into_bytes()
    }

    /// Prints the problems; fails if there are any.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        let problems = self.outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
        let count = problems.clone().count();
        problems.for_each(|problem| rrdtool::complain!("{problem}"));
        match count {
            0 => Ok(()),
            _ => Err(Failure::misuse(format!("{count} not converted"))),
        }
    }
}

/// The machine and version that a file came from, in words.
fn origin(architecture: Architecture) -> String {
    match architecture {
        Architecture::NATIVE => format!("{architecture}, of an old version"),
        foreign => foreign.to_string(),
    }
}
