//! `create`: makes a file.

use rrd::refill::{self, Past, PastError};
use rrd::spec::{self, Origin, Units};
use rrd::{Definition, Room, Snapshot, Tick, Timestamp};
use rrdcached::Creation;
use store::{Error, Existing, Making, NewDatabase};

use crate::databases::Place;
use crate::failure::{Failure, Wording};
use crate::session::Session;
use crate::verb::{Verb, daemon};
use options::getopt::{self, Row};
use options::{checked, joined, namings, switch};

pub(crate) const VERB: Verb = Verb {
    name: "create",
    summary: "Make a file",
    operands: "FILE DS:NAME[=OTHER[[NUMBER]]]:KIND:HEARTBEAT:MIN:MAX ... RRA:CF:XFF:STEP:ROWS ...",
    options: &namings(&gyres_rows()),
    run,
};

/// What the options say, and the session in which they are looked at.
struct Settings<'s, 'a> {
    session: &'s mut Session,
    start: Option<i64>,
    step: Option<&'a str>,
    tick: Option<Tick>,
    no_overwrite: bool,
    sources: Vec<&'a str>,
    template: Option<&'a str>,
    daemon: Option<&'a str>,
}

const fn rows<'s, 'a>() -> [Row<'a, Settings<'s, 'a>, Failure>; 6] {
    let step = "seconds between primary data points, or with a unit as in 5m (300)";
    let source = "take over the rows of another database; may be given several times";
    let template = "take step, data sources and archives of another database";
    [
        checked("-b --start", "TIME", "samples must be later than this (now-10s)", |it, text| {
            it.start = Some(start_seconds(it.session, text)?);
            Ok(())
        }),
        checked("-s --step", "STEP", step, |it, text| {
            // What rrdtool says of it comes before what it says of later words.
            if it.session.wording == Wording::Rrdtool {
                spec::step_seconds(text)?;
            }
            it.step = Some(text);
            Ok(())
        }),
        switch("-O --no-overwrite", "leave a file alone that is there already", |it| {
            it.no_overwrite = true;
        }),
        checked("-r --source", "FILE", source, |it, file| {
            check_source(it.session, file)?;
            it.sources.push(file);
            Ok(())
        }),
        checked("-t --template", "FILE", template, |it, file| match it.template.replace(file) {
            Some(_) => Err("template already set".into()),
            None => Ok(()),
        }),
        daemon(|it, address| it.daemon = Some(address)),
    ]
}

/// The options, with those that rrdtool does not have.
const fn gyres_rows<'s, 'a>() -> [Row<'a, Settings<'s, 'a>, Failure>; 7] {
    let help = "the unit of all its times, 0.1 to 0.000001 seconds; only in a ring store (1, or \
                what the step's decimals need)";
    let tick = checked("--tick", "SECONDS", help, |it: &mut Settings<'s, 'a>, text| {
        it.tick = Some(spec::tick(text)?);
        Ok(())
    });
    joined(&[&rows(), &[tick]])
}

impl Settings<'_, '_> {
    /// Step and tick, if they are given.
    fn units(&self) -> Result<Option<Units>, Failure> {
        match (self.step, self.tick) {
            (None, None) => Ok(None),
            (Some(step), _) if self.session.wording == Wording::Rrdtool => {
                Ok(Some(Units::of_seconds(spec::step_seconds(step)?)))
            }
            (Some(step), tick) => Ok(Some(Units::of_step(step, tick)?)),
            (None, Some(tick)) => {
                Ok(Some(Units::of_step(&DEFAULT_STEP_SECONDS.to_string(), Some(tick))?))
            }
        }
    }
}

/// Seconds between primary data points where no option says.
const DEFAULT_STEP_SECONDS: u64 = 300;
/// A new file's last update lies this far back, so that the first sample may come at once.
const DEFAULT_AGE_SECONDS: i64 = 10;

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut settings = Settings {
        session,
        start: None,
        step: None,
        tick: None,
        no_overwrite: false,
        sources: Vec::new(),
        template: None,
        daemon: None,
    };
    let operands = match settings.session.wording {
        Wording::Rrdtool => getopt::read(&rows(), &mut settings, words)?,
        Wording::Gyre => getopt::read(&gyres_rows(), &mut settings, words)?,
    };
    let units = settings.units()?;
    let Settings { session, start, no_overwrite, sources, template, daemon, .. } = settings;
    let Some((&file, specs)) = operands.split_first() else {
        return Err("need name of an rrd file to create".into());
    };
    let creation = Creation {
        units,
        start_seconds: start,
        no_overwrite,
        sources: &sources,
        template,
        definition: specs,
    };
    let made = session.ask_daemon(daemon, |client| client.create(file, &creation))?;
    if made.is_some() {
        return Ok(());
    }
    // As rrdtool: a new file is no business of a daemon that cannot be reached.
    session.complaint = None;
    let existing = if no_overwrite { Existing::Keep } else { Existing::Replace };
    Order { file, units, start, existing, sources: &sources, template, specs }.fulfil(session)
}

/// What is to be made.
pub struct Order<'a> {
    /// The new database.
    pub file: &'a str,
    /// The time between primary data points; `None` for that of the template, or 300 seconds.
    pub units: Option<Units>,
    /// Samples must be later than this, in seconds since 1970; `None` for the latest update of the
    /// databases that it comes from, or a moment ago.
    pub start: Option<i64>,
    /// What becomes of a file that is there already.
    pub existing: Existing,
    /// Databases whose rows it takes over.
    pub sources: &'a [&'a str],
    /// A database whose step, data sources and archives it has.
    pub template: Option<&'a str>,
    /// Data sources and archives besides, as `DS:...` and `RRA:...`.
    pub specs: &'a [&'a str],
}

impl Order<'_> {
    /// Makes it.
    ///
    /// # Errors
    /// The data sources and archives are wrong, a database that it is to come from cannot be read,
    /// or there is no room for the file.
    pub fn fulfil(&self, session: &mut Session) -> Result<(), Failure> {
        let place = session.databases.place(self.file)?;
        if self.existing == Existing::Keep && place.exists() {
            return Err(Error::Exists(self.file.into()).into());
        }
        let (plan, template_seconds) = self.plan(session)?;
        let past = self.sources.iter().map(|source| past(session, source));
        let past = past.collect::<Result<Vec<Snapshot>, Failure>>()?;
        let latest = past.iter().map(last_second).max();
        let a_moment_ago = || session.times.now().seconds - DEFAULT_AGE_SECONDS;
        let start = self.start.or(latest).or(template_seconds).unwrap_or_else(a_moment_ago);
        let new = New { start: plan.start(start), plan, past };
        new.create(&place, self.existing).map_err(|error| match error {
            Unmade::Past(error) => error.into(),
            Unmade::Store(error) => Failure::new_file(self.file, error),
        })
    }

    /// What the database is to be, and when the template's last update was.
    fn plan(&self, session: &mut Session) -> Result<(Plan, Option<i64>), Failure> {
        let described = self.template.map(|template| {
            let described = session.databases.describe(template);
            described.map_err(|_| Failure::misuse(format!("Cannot open template RRD {template}")))
        });
        let described = described.transpose()?;
        let template_seconds = described
            .as_ref()
            .map(|(definition, live)| definition.tick.moment(live.last_update).seconds);
        let template = described.map(|(definition, _)| definition);
        let plan = Plan::new(self.file, self.units, template, self.specs)?;
        Ok((plan, template_seconds))
    }
}

/// What a new database holds, and where its sources come from.
pub struct Plan {
    /// What it holds.
    pub definition: Definition,
    /// For each source, where it comes from.
    origins: Vec<Origin>,
}

impl Plan {
    /// Takes `DS:...` and `RRA:...` up, behind what a template has. Without a step it is that of
    /// the template, or 300 seconds. The name decides when seasons are smoothed.
    ///
    /// # Errors
    /// One of them is wrong, or something is missing.
    pub fn new(
        name: &str,
        units: Option<Units>,
        template: Option<Definition>,
        specs: &[&str],
    ) -> Result<Self, Failure> {
        let mut definition = template.unwrap_or(NOTHING);
        if let Some(Units { tick, step_ticks }) = units {
            // The template's step does not count, and may be no whole number of ticks.
            definition = Definition { step_seconds: 0, ..definition }.in_tick(tick)?;
            definition.step_seconds = step_ticks;
        }
        let mut origins = vec![Origin::default(); definition.sources.len()];
        let of_template = definition.archives.len();
        let mut builder = spec::Builder::of(definition);
        for spec in specs {
            let origin = builder.append(spec);
            origins.extend(origin?);
        }
        let mut definition = builder.definition;
        spec::check_complete(&definition)?;
        definition.spread_smoothing(name, of_template);
        Ok(Self { definition, origins })
    }

    /// A whole second in ticks of the database.
    #[must_use]
    pub fn start(&self, seconds: i64) -> Timestamp {
        Timestamp::from_seconds(Tick::SECOND.to_floor(seconds, self.definition.tick))
    }

    /// The whole database with the rows that it takes over.
    ///
    /// # Errors
    /// [`PastError`].
    pub fn with_past(
        &self,
        start: Timestamp,
        past: &[Snapshot],
        room: &mut Room,
    ) -> Result<Snapshot, PastError> {
        let mut new = Snapshot::empty(&self.definition, start, room)?;
        refill::prefill(&mut new, &Past { databases: past, origins: &self.origins }, room)?;
        Ok(new)
    }
}

/// The second of a database's last update.
#[must_use]
pub fn last_second(database: &Snapshot) -> i64 {
    database.definition.tick.moment(database.live.last_update).seconds
}

/// A database without anything so far.
const NOTHING: Definition = Definition {
    tick: Tick::SECOND,
    step_seconds: DEFAULT_STEP_SECONDS,
    sources: Vec::new(),
    archives: Vec::new(),
};

/// Where a database comes from must be there before anything else is looked at.
fn check_source(session: &mut Session, name: &str) -> Result<(), Failure> {
    match std::fs::metadata(name) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(Failure::misuse(format!("Not a regular file: {name}"))),
        Err(error) => match session.databases.place(name)? {
            place if place.exists() => Ok(()),
            _ => Err(Failure::System(format!("error checking for source RRD {name}: "), error)),
        },
    }
}

fn past(session: &mut Session, name: &str) -> Result<Snapshot, Failure> {
    let found = session.databases.snapshot(name);
    let (_, snapshot) =
        found.map_err(|_| Failure::misuse(format!("Cannot open source RRD {name}")))?;
    Ok(snapshot)
}

/// A database that is to be made.
struct New {
    plan: Plan,
    start: Timestamp,
    /// The databases that it comes from.
    past: Vec<Snapshot>,
}

impl New {
    fn create(&self, place: &Place, existing: Existing) -> Result<(), Unmade> {
        let past = match self.past[..] {
            [] => None,
            _ => Some(self.plan.with_past(self.start, &self.past, &mut store::memory_room())?),
        };
        let new =
            NewDatabase { name: &place.name, definition: &self.plan.definition, start: self.start };
        Ok(place.make(&Making { past: past.as_ref(), existing, ..Making::new(new) })?)
    }
}

/// Why a database was not made.
enum Unmade {
    Past(PastError),
    Store(Error),
}

impl From<PastError> for Unmade {
    fn from(error: PastError) -> Self {
        Self::Past(error)
    }
}

impl From<Error> for Unmade {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

fn start_seconds(session: &mut Session, text: &str) -> Result<i64, Failure> {
    match session.times.moment(text) {
        Ok(Some(seconds)) => Ok(seconds),
        Ok(None) => {
            Err("specifying time relative to the 'start' or 'end' makes no sense here".into())
        }
        Err(error) => Err(Failure::misuse(format!("start time: {error}"))),
    }
}
