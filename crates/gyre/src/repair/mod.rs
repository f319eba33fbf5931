//! `gyre repair`: takes spikes out of databases, fills gaps, shifts, scales, merges.

mod arguments;
mod work;
mod undo;
mod report;
mod picture;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use calc::Each;
use repair::{Repair, Replacement, Rule, Span};
use rrd::Snapshot;
use rrdtool::{Failure, Session};

use crate::command_line::with_databases;
use crate::moment::moment;
use arguments::{LINE, Wanted, WantedRule};
use report::Report;
use undo::UndoFile;
use work::{Mender, Work};

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre repair …`.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    with_databases(&LINE, arguments::parse(words), run)
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    match &wanted.undo {
        Some(path) => {
            let report = work::undo(session, path, wanted.writes)?;
            report.tell(session, wanted, None)
        }
        None => mend(session, wanted),
    }
}

fn mend(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let span = span(session, wanted)?;
    let targets = wanted.databases.iter().map(|words| Each::find(session, words));
    let targets = targets.collect::<Result<Vec<_>, _>>()?;
    let count: usize = targets.iter().map(|each| each.names.len()).sum();
    if wanted.picture.is_some() && count != 1 {
        let text = format!("--picture draws one database; {count} are meant");
        return Err(Failure::misuse(text));
    }
    let others = others(session, wanted)?;
    let repair = Repair {
        span,
        sources: &wanted.sources,
        rules: rules(wanted, &others),
        by: wanted.by.unwrap_or(Replacement::Unknown),
    };
    let undo = wanted.writes.then(|| UndoFile::create(&undo_path(session, wanted))).transpose()?;
    let mender = Mender { repair: &repair, undo: undo.as_ref(), keeps_changes: count == 1 };
    let mut report = Report::default();
    for each in &targets {
        report.add(Work { mender: &mender, each }.done());
    }
    if let (Some(path), Some(each)) = (&wanted.picture, targets.first()) {
        picture::write(path, each, &report)?;
    }
    let was_named = wanted.undo_file.is_some();
    let undo = undo.map(|undo| undo.finish(was_named)).transpose()?.flatten();
    report.tell(session, wanted, undo.as_deref())
}

fn span(session: &mut Session, wanted: &Wanted) -> Result<Span, Failure> {
    let start_seconds = moment(session, "--start", wanted.start.as_deref())?.unwrap_or(i64::MIN);
    let end_seconds = moment(session, "--end", wanted.end.as_deref())?.unwrap_or(i64::MAX);
    match start_seconds < end_seconds {
        true => Ok(Span { start_seconds, end_seconds }),
        false => Err(Failure::misuse("--start is to be before --end")),
    }
}

/// The histories that are merged, in the order of their rules.
fn others(session: &mut Session, wanted: &Wanted) -> Result<Vec<Snapshot>, Failure> {
    let mut others = Vec::new();
    for rule in &wanted.rules {
        if let WantedRule::Merge(path) = rule {
            others.push(session.databases.snapshot(path)?.1);
        }
    }
    Ok(others)
}

fn rules<'a>(wanted: &Wanted, others: &'a [Snapshot]) -> Vec<Rule<'a>> {
    let mut others = others.iter();
    let rule = |rule: &WantedRule| {
        Some(match *rule {
            WantedRule::Deviations(count) => {
                Rule::Deviations { count, both_ways: wanted.both_ways }
            }
            WantedRule::Percentile { percent, times } => Rule::Percentile { percent, times },
            WantedRule::Limits { minimum, maximum } => Rule::Limits { minimum, maximum },
            WantedRule::OwnLimits => Rule::OwnLimits,
            WantedRule::Fill { seconds_max } => {
                Rule::Gaps { seconds_max, by: wanted.by.unwrap_or(Replacement::Line) }
            }
            WantedRule::Shift { seconds } => Rule::Shift { seconds },
            WantedRule::Scale(factor) => Rule::Scale { factor },
            WantedRule::Merge(_) => Rule::Merge(others.next()?),
        })
    };
    wanted.rules.iter().filter_map(rule).collect()
}

/// Where the old values go: a new file beside the user's others.
fn undo_path(session: &Session, wanted: &Wanted) -> PathBuf {
    let seconds = session.times.now().seconds;
    let named = || format!("gyre-repair-{seconds}-{}.undo", std::process::id()).into();
    wanted.undo_file.clone().unwrap_or_else(named)
}
