//! `gyre-lab`: the reference's experiments on this machine.
#![allow(clippy::disallowed_methods)] // an edge: it looks at the clock and writes what was found

mod program {
    pub(super) mod arguments;
    pub(super) mod watch;
}

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use lab::{EXPERIMENTS, Experiment, Laboratory};
use rrdtool::system_words;
use serde_json::json;
use testbed::{Interrupts, clean_leftovers};

use program::arguments::{self, LINE, Wanted};
use program::watch::Watch;

/// The exit code for arguments that cannot be parsed.
const MISUSE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    // An experiment starts this program again, with a task.
    if let [first, task] = &words[..]
        && first == lab::WORKER
    {
        return ended(lab::worker_main(&task.to_string_lossy()).map_err(Failure::Laboratory));
    }
    match arguments::parse(words) {
        Ok(None) => ended(answer(&LINE.help())),
        Ok(Some(wanted)) if wanted.experiments.is_empty() => ended(answer(&list(wanted.json))),
        Ok(Some(wanted)) => ended(perform(&wanted)),
        Err(misuse) => {
            rrdtool::complain!("gyre-lab: {misuse}\n`gyre-lab --help` tells more");
            ExitCode::from(MISUSE)
        }
    }
}

fn ended(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&failure);
            ExitCode::FAILURE
        }
    }
}

/// Prints the result. A reader that closed the pipe is no failure.
fn answer(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::Unprinted(error)),
        _ => Ok(()),
    }
}

fn list(json: bool) -> String {
    if json {
        let one = |it: &Experiment| json!({ "experiment": it.name, "question": it.question, "reference": it.reference });
        return EXPERIMENTS.iter().map(|it| format!("{}\n", one(it))).collect();
    }
    let one = |it: &Experiment| format!("{:<10} {}\n", it.name, it.question);
    EXPERIMENTS.iter().map(one).collect()
}

/// Why not everything was done.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{}: {}", path.display(), system_words(error))]
    Output { path: PathBuf, error: io::Error },
    /// The laboratory's error.
    #[error("{0}")]
    Laboratory(String),
    #[error("{failed} of {all} experiments failed")]
    Experiments { failed: usize, all: usize },
    #[error("{}", system_words(.0))]
    Unprinted(io::Error),
}

fn perform(wanted: &Wanted) -> Result<(), Failure> {
    let output = wanted.output.clone().unwrap_or_else(|| PathBuf::from("gyre-lab"));
    disk::create_parents(&output.join("x"))
        .map_err(|error| Failure::Output { path: output.clone(), error })?;
    let scratch = wanted.scratch.clone().unwrap_or_else(|| output.clone());
    let interrupts = Interrupts::watch().map_err(Failure::Laboratory)?;
    clean_leftovers(&scratch).iter().for_each(|line| rrdtool::complain!("gyre-lab: {line}"));
    let watch = Watch::new(&wanted.experiments, wanted.quick);
    let mut failed = 0;
    for experiment in &wanted.experiments {
        let progress = Box::new(|done, all| watch.show(done, all));
        watch.begin(experiment);
        let figures = output.join(format!("{}.csv", experiment.name));
        let mut laboratory =
            Laboratory::new(scratch.clone(), wanted.quick, interrupts.clone(), progress)
                .keeping_figures(figures);
        let outcome = experiment.run(&mut laboratory);
        watch.end();
        interrupts.check().map_err(Failure::Laboratory)?;
        let told = outcome.map_err(Failure::Laboratory).and_then(|outcome| {
            outcome.write(experiment, &output).map_err(Failure::Laboratory)?;
            let json = || format!("{}\n", outcome.json(experiment));
            answer(&if wanted.json { json() } else { outcome.report(experiment) + "\n" })
        });
        // The other experiments are still run.
        failed += told.map_or_else(|failure| say(&failure), |()| 0);
    }
    match failed {
        0 => Ok(()),
        _ => Err(Failure::Experiments { failed, all: wanted.experiments.len() }),
    }
}

fn say(failure: &Failure) -> usize {
    rrdtool::complain!("gyre-lab: {failure}");
    1
}
