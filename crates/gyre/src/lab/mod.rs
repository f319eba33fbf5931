//! `gyre lab`: the reference's experiments on this machine.

mod arguments;
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use lab::{EXPERIMENTS, Experiment, Laboratory};
use rrdtool::system_words;
use serde_json::json;
use testbed::{Interrupts, clean_leftovers};

use crate::command_line::{Unprinted, answer, ended, understood};
use arguments::{LINE, WORKER, Wanted};
use watch::Watch;

/// `gyre lab …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    // What an experiment starts: gyre itself, with a task.
    if let [first, task] = &words[..]
        && first == WORKER
    {
        return ended(&LINE, lab::worker_main(&task.to_string_lossy()));
    }
    match understood(&LINE, arguments::parse(words)) {
        Ok(wanted) if wanted.experiments.is_empty() => ended(&LINE, answer(&list(wanted.json))),
        Ok(wanted) => ended(&LINE, perform(&wanted)),
        Err(code) => code,
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
    /// What the laboratory says.
    #[error("{0}")]
    Laboratory(String),
    #[error("{failed} of {all} experiments failed")]
    Experiments { failed: usize, all: usize },
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

fn perform(wanted: &Wanted) -> Result<(), Failure> {
    let output = wanted.output.clone().unwrap_or_else(|| PathBuf::from("gyre-lab"));
    disk::create_parents(&output.join("x"))
        .map_err(|error| Failure::Output { path: output.clone(), error })?;
    let scratch = wanted.scratch.clone().unwrap_or_else(|| output.clone());
    let interrupts = Interrupts::watch().map_err(Failure::Laboratory)?;
    clean_leftovers(&scratch).iter().for_each(|line| rrdtool::complain!("gyre lab: {line}"));
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
            Ok(answer(&if wanted.json { json() } else { outcome.report(experiment) + "\n" })?)
        });
        // The others may still find something.
        failed += told.map_or_else(|failure| say(&failure), |()| 0);
    }
    match failed {
        0 => Ok(()),
        _ => Err(Failure::Experiments { failed, all: wanted.experiments.len() }),
    }
}

fn say(failure: &Failure) -> usize {
    rrdtool::complain!("gyre lab: {failure}");
    1
}
