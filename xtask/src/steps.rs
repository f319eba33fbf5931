//! Runs steps, measures their times and reports the results.

use std::thread;
use std::time::Instant;

use serde::Serialize;

use crate::terminal::{bold, green, heading, red};
use crate::{Outcome, verbs::Verb};

/// The result of one step.
#[derive(Serialize)]
struct Result {
    step: &'static str,
    ok: bool,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What runs when.
pub(crate) struct Plan<'a> {
    /// Waits for the network and the disk, so it runs beside the `steps`.
    pub(crate) beside: &'static Verb,
    /// These need the processors; one runs after the other.
    pub(crate) steps: &'a [&'static Verb],
    /// Needs what all others have done.
    pub(crate) last: &'static Verb,
}

/// Runs all steps, including those after a failed one, so that one run reports everything that is
/// wrong.
pub(crate) fn run_all(plan: &Plan<'_>, json: bool) -> Outcome {
    let start = Instant::now();
    let mut results = thread::scope(|scope| {
        let beside = scope.spawn(|| run(plan.beside));
        let steps: Vec<_> = plan.steps.iter().map(|step| run(step)).collect();
        let mut results = vec![beside.join().expect("a step returns its error")];
        results.extend(steps);
        results
    });
    results.push(run(plan.last));
    heading("summary");
    for result in &results {
        eprintln!("{}", line(result));
    }
    let total_seconds = start.elapsed().as_secs_f64();
    eprintln!("{}", bold(&format!("{total_seconds:7.1} s  in all")));
    if json {
        let text = serde_json::to_string(&results).map_err(|error| error.to_string())?;
        println!("{text}");
    }
    let failed: Vec<_> = results.iter().filter(|result| !result.ok).collect();
    let names: Vec<_> = failed.iter().map(|result| result.step).collect();
    if names.is_empty() { Ok(()) } else { Err(format!("failed: {}", names.join(", "))) }
}

fn run(step: &Verb) -> Result {
    heading(&format!("{}: {}", step.name, step.summary));
    let start = Instant::now();
    let error = (step.run)(Vec::new()).err();
    if let Some(reason) = &error {
        eprintln!("{}", red(reason));
    }
    Result { step: step.name, ok: error.is_none(), seconds: start.elapsed().as_secs_f64(), error }
}

fn line(result: &Result) -> String {
    let verdict = if result.ok { green("ok") } else { red("FAILED") };
    format!("{:7.1} s  {}  {verdict}", result.seconds, result.step)
}
