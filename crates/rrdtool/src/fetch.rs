//! `fetch`: the rows of a stretch of time.

use std::io::Write as _;

use rrd::attime::TimeSpec;
use rrd::fetch::Query;
use rrd::spec::{self, SpecError, Units};
use rrd::{InSeconds, Series, Stretch, Tick, UNKNOWN};

use crate::failure::{Call, Failure, Wording};
use crate::number::{append, append_padded};
use crate::session::{Session, Times};
use crate::verb::{Verb, daemon};
use options::getopt::{self, Row};
use options::{checked, namings, switch};

pub(crate) const VERB: Verb = Verb {
    name: "fetch",
    summary: "Print the rows of a stretch of time",
    operands: "FILE CF",
    options: &namings(&rows()),
    run,
};

/// What the options say, and the clock that they are read by.
struct Settings<'s, 'a> {
    times: &'s mut Times,
    start: TimeSpec,
    end: TimeSpec,
    resolution: Option<Units>,
    is_gyres: bool,
    align: bool,
    daemon: Option<&'a str>,
}

const fn rows<'s, 'a>() -> [Row<'a, Settings<'s, 'a>, Failure>; 5] {
    let step = "seconds, or with a unit as in 5m; the nearest archive answers (1)";
    let align = "move start and end back onto a multiple of the resolution";
    [
        checked("-s --start", "TIME", "where it begins (end-1day)", |it, text| {
            it.start = time("start time", text, it.times)?;
            Ok(())
        }),
        checked("-e --end", "TIME", "where it ends (now)", |it, text| {
            it.end = time("end time", text, it.times)?;
            Ok(())
        }),
        checked("-r --resolution", "STEP", step, |it, text| {
            it.resolution = Some(match it.is_gyres {
                false => Units::of_seconds(resolution(text)?),
                true => Units::of_step(text, None).map_err(no_resolution)?,
            });
            Ok(())
        }),
        switch("-a --align-start", align, |it| it.align = true),
        daemon(|it, address| it.daemon = Some(address)),
    ]
}

fn time(what: &str, text: &str, times: &mut Times) -> Result<TimeSpec, Failure> {
    times.read(text).map_err(|error| Failure::misuse(format!("{what}: {error}")))
}

fn resolution(text: &str) -> Result<u64, Failure> {
    spec::step_seconds(text).map_err(no_resolution)
}

fn no_resolution(error: SpecError) -> Failure {
    Failure::misuse(error.to_string().replacen("step size", "resolution", 1))
}

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
    resolution: Option<Units>,
    daemon: Option<&'a str>,
}

impl<'a> Order<'a> {
    fn read(session: &mut Session, words: &'a [&'a str]) -> Result<Self, Failure> {
        let times = &mut session.times;
        let (start, end) = (TimeSpec::DAY_BEFORE_END, times.read("now")?);
        let is_gyres = session.wording == Wording::Gyre;
        let (resolution, daemon) = (None, None);
        let mut settings =
            Settings { times, start, end, resolution, is_gyres, align: false, daemon };
        let operands = getopt::read(&rows(), &mut settings, words)?;
        let Settings { times, start, end, resolution, align, daemon, .. } = settings;
        let now_seconds = times.now().seconds;
        let moments = times.clock().resolve_start_end(&start, &end, now_seconds);
        let (mut start_seconds, mut end_seconds) = moments?;
        if start_seconds < FIRST_START_SECONDS {
            return Err("the first entry to fetch should be after 1980".into());
        }
        if align {
            let step_seconds = resolution.map_or(1, Units::step_in_seconds).max(1);
            let beyond = start_seconds % step_seconds as i64;
            (start_seconds, end_seconds) = (start_seconds - beyond, end_seconds - beyond);
        }
        if start_seconds > end_seconds {
            let times = format!("start ({start_seconds}) should be less than end ({end_seconds})");
            return Err(Failure::misuse(times));
        }
        let [file, cf, ..] = operands[..] else {
            return Err(Call::new("fetch", "<file> <CF> [options]").into());
        };
        Ok(Self { file, cf, start_seconds, end_seconds, resolution, daemon })
    }

    /// The answer of a daemon, if there is one to ask.
    fn ask_daemon(&self, session: &mut Session) -> Result<Option<Series>, Failure> {
        let &Self { file, cf, start_seconds, end_seconds, daemon, .. } = self;
        // A daemon takes no resolution: it answers from the finest archive.
        session.ask_daemon(daemon, |client| client.fetch(file, cf, start_seconds, end_seconds))
    }

    fn query(&self) -> Result<Query, Failure> {
        let &Self { cf, start_seconds, end_seconds, resolution, .. } = self;
        let cf = cf.parse().map_err(|()| Failure::unknown_cf(cf))?;
        // 1 is as much as the finest where steps are whole seconds.
        let finest = Units { tick: Tick::SECOND, step_ticks: 0 };
        let Units { tick, step_ticks } = resolution.unwrap_or(finest);
        let query = Query { tick: Tick::SECOND, cf, start_seconds, end_seconds, step_seconds: 0 };
        Ok(Query { step_seconds: step_ticks, ..query.in_ticks(tick) })
    }
}

fn print(session: &mut Session, stretch: &Stretch) -> Result<(), Failure> {
    session.out.extend_from_slice(&[b' '; 11]);
    for name in &stretch.source_names {
        let _ = write!(session.out, "{name:>20}"); // a Vec takes everything
    }
    session.out.extend_from_slice(b"\n\n");
    let unknown = vec![UNKNOWN; stretch.source_names.len()];
    for (ticks, row) in stretch.iter() {
        append_row(&mut session.out, stretch.tick.told(ticks), row.unwrap_or(&unknown));
        session.relieve()?;
    }
    Ok(())
}

fn append_row(out: &mut Vec<u8>, time: InSeconds, row: &[f64]) {
    match time.tick().is_second() {
        true => append_padded(out, time.ticks(), 10),
        false => out.extend_from_slice(time.to_string().as_bytes()),
    }
    out.push(b':');
    for value in row {
        out.push(b' ');
        append(out, *value);
    }
    out.push(b'\n');
}
