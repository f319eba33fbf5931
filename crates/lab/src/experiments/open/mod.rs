//! The questions that the reference left open, each with a figure.

mod gaming;
mod reading;
mod layouts;

use crate::outcome::{Cell, Table};
use crate::plot::{Plot, Series, Shape};
use crate::verdict::Verdict;
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "open",
    question: "What of the questions that the reference left open?",
    reference: "can readahead be gamed by seeks that do nothing; what does advice do to reads; what is \
                gained without the maxima of five minutes; does a step of a minute scale alike",
    seconds: [180, 8],
    run,
};

/// One figure: a question, what was tried, what was counted.
struct Figure {
    question: &'static str,
    case: String,
    what: &'static str,
    value: f64,
}

/// What a part found.
#[derive(Default)]
struct Part {
    scale: String,
    figures: Vec<Figure>,
    verdicts: Vec<Verdict>,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    laboratory.expect_steps(gaming::STEPS + reading::STEPS + layouts::STEPS);
    let mut outcome = Outcome {
        table: Table::new(&["question", "case", "what", "value"]),
        not_measured: NOT_MEASURED.map(str::to_owned).into(),
        ..Outcome::default()
    };
    let mut scales = Vec::new();
    for (nth, run) in [gaming::run, reading::run, layouts::run].into_iter().enumerate() {
        let part = run(laboratory)?;
        if nth == 0 {
            outcome.plots.push(("", plot(&part)));
        }
        scales.push(part.scale);
        outcome.verdicts.extend(part.verdicts);
        for it in part.figures {
            let row: [Cell; 4] =
                [it.question.into(), it.case.into(), it.what.into(), it.value.into()];
            outcome.table.push(row.into());
        }
        laboratory.keep(&outcome.table)?;
    }
    Ok(Outcome { scale: scales.join("; "), ..outcome })
}

/// What readers in each order bring.
fn plot(gaming: &Part) -> Plot {
    let points = (0..).zip(&gaming.figures).map(|(nth, it)| [f64::from(nth), it.value]);
    let names = ["header, rows", "with seeks", "rows, header", "advice"];
    Plot {
        title: "Readahead gamed: pages that three reads bring".into(),
        x: "what is read, and how".into(),
        y: "pages in memory".into(),
        shape: Shape::Bars(names.map(str::to_owned).into()),
        series: vec![Series {
            name: "800-rows".into(),
            points: points.collect(),
            is_dashed: false,
        }],
    }
}

/// What the reference asks, too.
const NOT_MEASURED: [&str; 4] = [
    "I/O schedulers: a loop device has one queue in memory, in which there is nothing to sort",
    "readahead by file type or by history: no kernel has it; gyre simulate --readahead adaptive has the latter",
    "interleaved archives: the format of .rrd files has none; the ring store's tiles are the answer to that",
    "the share of the processor that Perl took",
];
