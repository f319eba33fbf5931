//! `fetch`: the rows of a stretch of time.

use std::io::Write as _;

use rrd::attime::TimeSpec;
use rrd::fetch::Query;
use rrd::{Series, Stretch, UNKNOWN, spec};

use crate::failure::{Call, Failure};
use crate::number::{append, append_padded};
use crate::session::Session;
use crate::verb::{DAEMON, Verb};
use options::{OptionRule, Options};

pub(crate) const VERB: Verb = Verb {
    name: "fetch",
    summary: "Print the rows of a stretch of time",
    operands: "FILE CF",
    options: &[
        OptionRule {
            long: "start",
            short: Some('s'),
            value: Some("TIME"),
            help: "where it begins (end-1day)",
        },
        OptionRule {
            long: "end",
            short: Some('e'),
            value: Some("TIME"),
            help: "where it ends (now)",
        },
        OptionRule {
            long: "resolution",
            short: Some('r'),
            value: Some("STEP"),
            help: "seconds, or with a unit as in 5m; the nearest archive answers (1)",
        },
        OptionRule {
            long: "align-start",
            short: Some('a'),
            value: None,
            help: "move start and end back onto a multiple of the resolution",
        },
        DAEMON,
    ],
    run,
};

/// Rows before 1980 are not fetched.
const FIRST_START_SECONDS: i64 = 10 * 365 * 86_400;

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let order = Order::read(session, words)?;
    let stretch = match order.ask_daemon(session)? {
        Some(series) => series.into(),
        None => session.databases.fetch_stretch(order.file, &order.query()?)?,
    };
    print(session, &stretch)
}

/// The rows that the words after the verb ask for.
///
/// # Errors
/// The words are no query, or the database has no answer.
pub fn series(session: &mut Session, words: &[&str]) -> Result<Series, Failure> {
    let order = Order::read(session, words)?;
    match order.ask_daemon(session)? {
        Some(series) => Ok(series),
        None => session.databases.fetch(order.file, &order.query()?),
    }
}

/// What is to be fetched, and from whom.
struct Order<'a> {
    file: &'a str,
    cf: &'a str,
    start_seconds: i64,
    end_seconds: i64,
    step_seconds: u64,
    daemon: Option<&'a str>,
}

impl<'a> Order<'a> {
    fn read(session: &mut Session, words: &'a [&'a str]) -> Result<Self, Failure> {
        let mut start = TimeSpec::DAY_BEFORE_END;
        let mut end = session.times.read("now")?;
        let mut step_seconds = 1;
        let (mut align, mut daemon) = (false, None);
        let mut options = Options::new(VERB.options, words);
        while let Some((name, value)) = options.next_option()? {
            match name {
                "start" => {
                    start = session
                        .times
                        .read(value)
                        .map_err(|error| Failure::misuse(format!("start time: {error}")))?;
                }
                "end" => {
                    end = session
                        .times
                        .read(value)
                        .map_err(|error| Failure::misuse(format!("end time: {error}")))?
                }
                "resolution" => {
                    step_seconds = spec::step_seconds(value).map_err(|error| {
                        Failure::misuse(error.to_string().replacen("step size", "resolution", 1))
                    })?;
                }
                "align-start" => align = true,
                _ => daemon = Some(value),
            }
        }
        let now_seconds = session.times.now().seconds;
        let moments = session.times.clock().resolve_start_end(&start, &end, now_seconds);
        let (mut start_seconds, mut end_seconds) = moments?;
        if start_seconds < FIRST_START_SECONDS {
            return Err("the first entry to fetch should be after 1980".into());
        }
        if align {
            let beyond = start_seconds % step_seconds as i64;
            (start_seconds, end_seconds) = (start_seconds - beyond, end_seconds - beyond);
        }
        if start_seconds > end_seconds {
            let times = format!("start ({start_seconds}) should be less than end ({end_seconds})");
            return Err(Failure::misuse(times));
        }
        let [file, cf, ..] = options.operands()[..] else {
            return Err(Call::new("fetch", "<file> <CF> [options]").into());
        };
        Ok(Self { file, cf, start_seconds, end_seconds, step_seconds, daemon })
    }

    /// The answer of a daemon, if there is one to ask.
    fn ask_daemon(&self, session: &mut Session) -> Result<Option<Series>, Failure> {
        let &Self { file, cf, start_seconds, end_seconds, daemon, .. } = self;
        // A daemon takes no resolution: it answers from the finest archive.
        session.ask_daemon(daemon, |client| client.fetch(file, cf, start_seconds, end_seconds))
    }

    fn query(&self) -> Result<Query, Failure> {
        let &Self { cf, start_seconds, end_seconds, step_seconds, .. } = self;
        let cf = cf.parse().map_err(|()| Failure::unknown_cf(cf))?;
        Ok(Query { cf, start_seconds, end_seconds, step_seconds })
    }
}

fn print(session: &mut Session, stretch: &Stretch) -> Result<(), Failure> {
    session.out.extend_from_slice(&[b' '; 11]);
    for name in &stretch.source_names {
        let _ = write!(session.out, "{name:>20}"); // a Vec takes everything
    }
    session.out.extend_from_slice(b"\n\n");
    let unknown = vec![UNKNOWN; stretch.source_names.len()];
    for (seconds, row) in stretch.iter() {
        append_row(&mut session.out, seconds, row.unwrap_or(&unknown));
        session.relieve()?;
    }
    Ok(())
}

fn append_row(out: &mut Vec<u8>, seconds: i64, row: &[f64]) {
    append_padded(out, seconds, 10);
    out.push(b':');
    for value in row {
        out.push(b' ');
        append(out, *value);
    }
    out.push(b'\n');
}
