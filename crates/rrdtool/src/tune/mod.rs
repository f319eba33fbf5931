//! `tune`: changes a database that is there.
//!
//! Options change it in place, one after the other; words like `DEL:a` and `RRA#0:+10` give it another
//! structure, whole. What an option before a wrong one said has happened, as with rrdtool's.

mod scan;
mod edit;
mod forecast;

use rrd::refill::Change;

use crate::options::{Found, OptionRule, Options};
use crate::session::{Failure, Session};
use crate::verb::Verb;
use edit::{Edit, apply};

const fn rule(
    long: &'static str,
    short: char,
    value: &'static str,
    help: &'static str,
) -> OptionRule {
    OptionRule { long, short: Some(short), value: Some(value), help }
}

pub(crate) const VERB: Verb = Verb {
    name: "tune",
    summary: "Change a database: limits and names of its sources, parameters, structure",
    operands: "FILE [DEL:NAME | DS:SPEC | DELRRA:NUMBER | RRA:SPEC | RRA#NUMBER:+ROWS|-ROWS|=ROWS] ...",
    options: &[
        rule("heartbeat", 'h', "NAME:SECONDS", "the longest silence of a data source"),
        rule("minimum", 'i', "NAME:RATE|U", "the lowest rate believed, U for no limit"),
        rule("maximum", 'a', "NAME:RATE|U", "the highest rate believed, U for no limit"),
        rule("data-source-type", 'd', "NAME:KIND", "how readings become rates"),
        rule("data-source-rename", 'r', "OLD:NEW", "call a data source otherwise"),
        rule("deltapos", 'p', "SCALE", "deviations above the forecast that FAILURES allows"),
        rule("deltaneg", 'n', "SCALE", "deviations below the forecast that FAILURES allows"),
        rule("window-length", 'w', "COUNT", "values that FAILURES looks back upon"),
        rule("failure-threshold", 'f', "COUNT", "violations in that window that make a failure"),
        rule("alpha", 'x', "SHARE", "how fast the forecast's intercept follows"),
        rule("beta", 'y', "SHARE", "how fast the forecast's slope follows"),
        rule("gamma", 'z', "SHARE", "how fast seasonal coefficients follow"),
        rule("gamma-deviation", 'v', "SHARE", "how fast seasonal deviations follow"),
        rule("smoothing-window", 's', "SHARE", "share of a season that SEASONAL smooths over"),
        rule("smoothing-window-deviation", 'S', "SHARE", "the same of DEVSEASONAL"),
        rule("aberrant-reset", 'b', "NAME", "forget what forecasting learnt of a data source"),
        rule("step", 't', "SECONDS", "divide the step; only beside a change of structure"),
        rule("daemon", 'D', "ADDRESS", "an rrdcached that is to write the file first"),
    ],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut options = Options::new(VERB.options, words);
    let (mut found, mut daemon) = (Vec::new(), None);
    loop {
        match options.next_option() {
            Ok(None) => break,
            Ok(Some(("daemon", address))) => daemon = Some(address),
            Ok(Some((name, value))) => found.push(Ok((name, value))),
            Err(words) => found.push(Err(words)),
        }
    }
    let unreachable = |_| "Cannot connect to daemon".to_owned();
    session.ask_reachable_daemon(daemon, |_| Ok(())).map_err(unreachable)?;
    let operands = options.operands();
    let Some((&name, structure)) = operands.split_first() else {
        return Err("missing file name".into());
    };
    // Whether the daemon has the file is its affair. It is not made to forget the file afterwards, as
    // rrdtool makes it: what it took meanwhile would be lost.
    let _ = session.ask_reachable_daemon(daemon, |client| client.flush(name));
    perform(session, name, found, structure)
}

/// An option and its value, or what is wrong with it.
type FoundOption<'a> = Result<Found<'a>, String>;

fn perform(
    session: &mut Session,
    name: &str,
    found: Vec<FoundOption<'_>>,
    structure: &[&str],
) -> Result<(), Failure> {
    let mut change = Change { name: name.into(), ..Change::default() };
    let mut edits = Vec::new();
    for option in found {
        match option {
            Ok(("step", value)) => change.step_seconds = scan::step(value),
            Ok((option, value)) => edits.push(Ok(Edit { option, value })),
            Err(words) => {
                edits.push(Err(words));
                break;
            }
        }
    }
    session.databases.edit(name, |database| apply(database, &edits))?;
    structure.iter().try_for_each(|word| change.add(word)).map_err(|error| error.to_string())?;
    if !change.is_any() {
        return Ok(());
    }
    session.databases.rework(name, |old| change.apply(old).map_err(|error| error.to_string()))
}
