//! Plots page-ins and cycle times over the number of databases, and marks the limit of each way.

use graph::{Axis, Legend, Panel, Plot, Scale};
use planner::{Machine, Prediction};

use super::answers::Answers;
use super::words;
use figures::{size, step};

/// The plot.
pub(super) fn plot(answers: &Answers, machine: &Machine) -> Plot {
    let first = &answers.first;
    let numbers = answers.curves.iter().flatten().map(|(databases, _)| *databases as f64);
    let from = numbers.clone().fold(f64::INFINITY, f64::min).clamp(1.0, 1e12);
    let to = numbers.fold(0.0, f64::max).max(10.0 * from);
    let memory = size(machine.memory_bytes);
    let cadence_seconds = first.question.fleet.shortest_cadence_seconds();
    Plot {
        title: format!("Targets in {memory} of memory, {} a cycle", step(cadence_seconds)),
        x: Axis { label: "targets".into(), scale: Scale::Logarithmic(from, to) },
        legend: answers.ways.iter().zip(&answers.limits).map(legend).collect(),
        panels: vec![
            panel(answers, "page-ins a second", 0.1, None, |it| it.reads.page_ins_per_second),
            panel(
                answers,
                "longest cycle, seconds",
                0.01,
                Some((cadence_seconds, "what a cycle may take".into())),
                |it| it.cycle.seconds_max,
            ),
        ],
    }
}

fn legend(
    ((name, _), limit): (&super::ways::Named, &Result<super::answers::Limit, planner::PlanError>),
) -> Legend {
    let (remark, limit) = match limit {
        Ok(limit) => {
            let lacks = words::name(limit.lacks);
            let databases = words::at_most(limit.databases);
            (format!("to {databases}, then {lacks}"), Some(limit.databases as f64))
        }
        Err(_) => ("cannot keep them".into(), None),
    };
    Legend { name: (*name).into(), remark, limit, is_dashed: false }
}

fn panel(
    answers: &Answers,
    label: &str,
    least: f64,
    limit: Option<(f64, String)>,
    of: fn(&Prediction) -> f64,
) -> Panel {
    let curve = |points: &Vec<(u64, Prediction)>| -> Vec<[f64; 2]> {
        points.iter().map(|(databases, it)| [*databases as f64, of(it)]).collect()
    };
    let curves: Vec<_> = answers.curves.iter().map(curve).collect();
    let heights = curves.iter().flatten().map(|[_, y]| *y).filter(|y| y.is_finite());
    let highest = heights.chain(limit.as_ref().map(|(y, _)| *y)).fold(10.0 * least, f64::max);
    let top = 10_f64.powf(highest.log10().ceil());
    Panel { y: Axis { label: label.into(), scale: Scale::Logarithmic(least, top) }, limit, curves }
}
