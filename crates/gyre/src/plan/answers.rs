//! Calculates everything: each fleet with each way of keeping it, on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use planner::{Fleet, Machine, PlanError, Prediction, Resource, most, predict};

use super::arguments::Wanted;
use super::failure::Failure;
use super::machine::Found;
use super::subject::Subject;
use super::wanted_ways;
use super::ways::Named;
use super::what_if::{Question, questions};
use crate::progress::Progress;

/// Points of a curve.
const POINTS: u32 = 24;

/// All that is calculated.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub(super) ways: Vec<Named>,
    /// The fleet that is planned, and how large it could be.
    pub(super) first: Answer,
    /// The fleets that it is compared with.
    pub(super) others: Vec<Answer>,
    pub(super) limits: Vec<Result<Limit, PlanError>>,
    /// For each way, predictions at growing numbers of databases, if a plot is wanted.
    pub(super) curves: Vec<Vec<(u64, Prediction)>>,
}

/// The predictions for one fleet.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) question: Question,
    /// One for each way.
    pub(super) predictions: Vec<Result<Prediction, PlanError>>,
}

/// The most databases of the same mix that a machine carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limit {
    pub(super) databases: u64,
    /// The resource that a few more databases would exhaust.
    pub(super) lacks: Resource,
}

impl Answers {
    pub(super) fn calculate(
        wanted: &Wanted,
        subject: &Subject,
        found: &Found,
    ) -> Result<Self, Failure> {
        let machine = &found.machine;
        let ways = wanted_ways::wanted(wanted, subject.pace);
        let (first, others) = questions(wanted, &subject.fleet());
        let all: Vec<&Question> = std::iter::once(&first).chain(&others).collect();
        let jobs: Vec<(&Fleet, Named)> =
            all.iter().flat_map(|it| ways.iter().map(|way| (&it.fleet, *way))).collect();
        let mut progress = Progress::new("plan");
        let predicted =
            side_by_side(&jobs, &mut progress, |(fleet, (_, way))| predict(fleet, machine, *way));
        let limits =
            side_by_side(&ways, &mut progress, |(_, way)| limit(&first.fleet, machine, *way));
        if let (Some(Err(error)), true) = (limits.first(), limits.iter().all(Result::is_err)) {
            return Err(error.clone().into());
        }
        let curves = match wanted.plot {
            Some(_) => curves(&first.fleet, machine, &ways, &limits, &mut progress),
            None => Vec::new(),
        };
        let mut answers = all.iter().zip(predicted.chunks(ways.len())).map(|(question, part)| {
            Answer { question: (*question).clone(), predictions: part.to_vec() }
        });
        let first = answers.next().ok_or(Failure::NothingAsked)?;
        let others = answers.collect();
        Ok(Self { ways, first, others, limits, curves })
    }
}

fn limit(fleet: &Fleet, machine: &Machine, way: planner::Way) -> Result<Limit, PlanError> {
    let databases = most(fleet, machine, way)?;
    // The search for the limit is accurate to one part in 500.
    let more = fleet.resized(databases + databases / 500 + 1);
    let more = if more.databases() == 0 { fleet.clone() } else { more };
    Ok(Limit { databases, lacks: predict(&more, machine, way)?.bound().resource })
}

/// Predictions over a range of sizes: from a tenth of the planned number, or of the lowest limit,
/// up to twice the highest limit.
fn curves(
    fleet: &Fleet,
    machine: &Machine,
    ways: &[Named],
    limits: &[Result<Limit, PlanError>],
    progress: &mut Progress,
) -> Vec<Vec<(u64, Prediction)>> {
    let (from, to) = range(fleet.databases(), limits);
    let numbers = (0..=POINTS).map(|nth| {
        let part = f64::from(nth) / f64::from(POINTS);
        (from as f64 * (to as f64 / from as f64).powf(part)).round() as u64
    });
    let numbers: Vec<u64> = numbers.collect();
    let jobs: Vec<(u64, Named)> =
        ways.iter().flat_map(|way| numbers.iter().map(|number| (*number, *way))).collect();
    let predicted = side_by_side(&jobs, progress, |(databases, (_, way))| {
        predict(&fleet.resized(*databases), machine, *way).ok()
    });
    let points = |part: &[Option<Prediction>]| {
        let with_number = numbers.iter().zip(part);
        with_number.filter_map(|(number, it)| Some((*number, it.clone()?))).collect()
    };
    predicted.chunks(numbers.len()).map(points).collect()
}

/// The range of numbers of databases that are predicted.
fn range(databases: u64, limits: &[Result<Limit, PlanError>]) -> (u64, u64) {
    let limits = limits.iter().flatten().map(|limit| limit.databases).filter(|it| *it > 0);
    let least = limits.clone().chain([databases]).min().unwrap_or(databases);
    let most = limits.chain([databases]).max().unwrap_or(databases);
    ((least / 10).max(10), most.saturating_mul(2).max(100))
}

/// Runs all jobs, as many at once as there are processors. Outcomes are in the order of the jobs.
fn side_by_side<J: Sync, T: Send>(
    jobs: &[J],
    progress: &mut Progress,
    work: impl Fn(&J) -> T + Sync,
) -> Vec<T> {
    let (sender, outcomes) = mpsc::channel();
    let (next, work) = (AtomicUsize::new(0), &work);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(nth) else { break };
                    // The receiver lives until all jobs are done, so sending cannot fail.
                    let _ = sender.send((nth, work(job)));
                }
            });
        }
        drop(sender);
        let mut done = Vec::new();
        for outcome in outcomes {
            done.push(outcome);
            progress.show(done.len(), jobs.len());
        }
        done
    });
    done.sort_by_key(|(nth, _)| *nth);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}
