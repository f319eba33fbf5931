//! `gyre calc`: calculates with the rows of databases, without a picture.

mod format;
mod arguments;
mod out;

use std::ffi::OsString;
use std::process::ExitCode;

use calc::{CalcError, Each, Outcome, Source, Top, Total, in_order};
use graph::{RowsPlan, RowsWindow};
use rrdtool::{Failure, Session};

use crate::command_line::with_databases;
use crate::progress::Progress;
use arguments::{LINE, Wanted, parse};
pub(crate) use format::{FORMATS, format};
use out::Out;

/// How many databases are read together.
const TOGETHER: usize = 32;
/// The name of the sum of all databases.
const TOTAL: &str = "total";

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre calc …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let window = RowsWindow { start: wanted.start.as_deref(), end: wanted.end.as_deref() };
    let elements: Vec<&str> = wanted.elements.iter().map(String::as_str).collect();
    let zone = session.times.clock().zone().clone();
    let plan = RowsPlan::new(window, &elements, session.times.now(), &zone)?;
    let each = wanted.each.as_deref().map(|words| Each::find(session, words)).transpose()?;
    let mut out = Out::begin(wanted, plan.has_columns())?;
    let top = wanted.top.map(|most| Top::new(&plan, most, wanted.by.as_deref())).transpose()?;
    let store = each.as_ref().map(|each| each.store.clone());
    let source = Source::new(session, plan, store, wanted.is_exact)?;
    let failed = match each {
        None => {
            let outcome = source.outcome_of_named().map_err(Failure::of)?;
            out.put(&outcome)?;
            0
        }
        Some(each) if wanted.is_total => sum(&source, &each, &mut out)?,
        Some(each) => evaluate(&source, &each, top, &mut out)?,
    };
    out.finish()?;
    match failed {
        0 => Ok(()),
        count => Err(Failure::misuse(format!("{count} databases without an answer"))),
    }
}

/// Says why a database has no answer.
fn complain(name: &str, error: &CalcError) {
    rrdtool::complain!("{name}: {error}");
}

/// The answer for each database, or for those at the top. Returns how many have none.
fn evaluate(
    source: &Source,
    each: &Each,
    mut top: Option<Top>,
    out: &mut Out,
) -> Result<usize, Failure> {
    let mut failed = 0;
    let take = |outcomes: Vec<(String, Result<Outcome, CalcError>)>| -> Result<(), Failure> {
        for (name, outcome) in outcomes {
            match (outcome, &mut top) {
                (Ok(outcome), Some(top)) => top.put(outcome),
                (Ok(outcome), None) => out.put(&outcome)?,
                (Err(error), _) => {
                    failed += 1;
                    complain(&name, &error);
                }
            }
        }
        Ok(())
    };
    on_parties(each, |names| source.outcomes(names), take)?;
    for ranked in top.map(Top::ranked).into_iter().flatten() {
        out.put(&ranked.outcome)?;
    }
    Ok(failed)
}

/// The answer for the sum of all databases. Returns how many are not in it.
fn sum(source: &Source, each: &Each, out: &mut Out) -> Result<usize, Failure> {
    let (mut total, mut failed) = (Total::default(), 0);
    on_parties(
        each,
        |names| Total::of(source, names),
        |(part, without_answer)| {
            failed += without_answer.len();
            without_answer.iter().for_each(|(name, error)| complain(name, error));
            total.join(part).map_err(Failure::of)
        },
    )?;
    if failed == each.names.len() {
        return Ok(failed);
    }
    out.put(&total.outcome(source, TOTAL).map_err(Failure::of)?)?;
    Ok(failed)
}

fn on_parties<T: Send>(
    each: &Each,
    work: impl Fn(&[String]) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let parties: Vec<&[String]> = each.names.chunks(TOGETHER).collect();
    let mut progress = Progress::new("calc");
    let count = each.names.len();
    in_order(parties.len(), |nth| work(parties[nth]), |_, result| take(result), &mut |done| {
        progress.show((done * TOGETHER).min(count), count)
    })
}
