//! The questions that the reference left open, each answered with a figure.

mod part;
mod gaming;
mod reading;
mod policies;
mod history;
mod scheduling;
mod layouts;
mod mixed;
mod clocks;
mod processor;

use crate::outcome::{Cell, Table};
use crate::{Experiment, Laboratory, Outcome};
use part::{Figure, Part, bars};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "open",
    question: "What of the questions that the reference left open?",
    reference: "can readahead be gamed by seeks that do nothing, or go by a file's type or history; what does \
                advice do to reads; does the scheduler matter; what is gained without the maxima of five \
                minutes, and by archives that are interleaved; does a step of a minute scale alike, for all \
                or for the core; can aggregations come at different times; what takes the processor",
    seconds: [300, 6],
    run,
};

/// A question: the number of its steps, and the function that answers it.
type Question = (usize, fn(&mut Laboratory<'_>) -> Result<Part, String>);

const QUESTIONS: [Question; 8] = [
    (gaming::STEPS, gaming::run),
    (reading::STEPS, reading::run),
    (policies::STEPS, policies::run),
    (scheduling::STEPS, scheduling::run),
    (layouts::STEPS, layouts::run),
    (mixed::STEPS, mixed::run),
    (clocks::STEPS, clocks::run),
    (processor::STEPS, processor::run),
];

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    laboratory.expect_steps(QUESTIONS.iter().map(|(steps, _)| steps).sum());
    let mut outcome = Outcome {
        table: Table::new(&["question", "case", "what", "value"]),
        not_measured: crate::rrdtool::missing(),
        ..Outcome::default()
    };
    let mut scales = Vec::new();
    for (_, run) in QUESTIONS {
        let part = run(laboratory)?;
        scales.push(part.scale);
        outcome.verdicts.extend(part.verdicts);
        outcome.not_measured.extend(part.not_measured);
        outcome.plots.extend(part.plots);
        for it in part.figures {
            let row: [Cell; 4] =
                [it.question.into(), it.case.into(), it.what.into(), it.value.into()];
            outcome.table.push(row.into());
        }
        laboratory.keep(&outcome.table)?;
    }
    Ok(Outcome { scale: scales.join("; "), ..outcome })
}
