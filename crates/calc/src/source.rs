//! From the requests of a plan to rows: which archive has them, and how many rows before the start
//! a window needs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use graph::{RowsPlan, SeriesRequest};
use rrd::fetch::{Query, window};
use rrd::{Definition, Stretch};
use rrdfile::Header;
use rrdtool::{Failure, Place, Session};
use store::{Store, Wanted};

use crate::error::CalcError;
use crate::extremes::{self, Extremes};
use crate::fetched::Fetched;
use crate::origin::Origin;
use crate::outcome::Outcome;

/// What stands in a DEF for the name of each database.
const EACH: &str = "{}";

/// Where the rows of a plan's requests come from.
pub struct Source {
    plan: RowsPlan,
    each: Option<Arc<dyn Store>>,
    /// The databases that requests name themselves, by position.
    named: BTreeMap<usize, Place>,
    is_exact: bool,
}

/// A request, and what its database says of it.
struct Asked {
    request: usize,
    query: Query,
    header: Arc<Header>,
    archive: usize,
    start_seconds: i64,
}

impl Source {
    /// Finds the databases that the requests name. With `each`, requests for `{}` are for each
    /// database of that store.
    ///
    /// # Errors
    /// A request is for something else than a database, or `{}` stands where it has no meaning.
    pub fn new(
        session: &mut Session,
        plan: RowsPlan,
        each: Option<Arc<dyn Store>>,
        is_exact: bool,
    ) -> Result<Self, Failure> {
        let mut named = BTreeMap::new();
        let mut has_each = false;
        for (nth, request) in plan.requests().iter().enumerate() {
            match check(request, each.is_some())? {
                true => has_each = true,
                false => drop(named.insert(nth, session.databases.place(&request.rrd)?)),
            }
        }
        if each.is_some() && !has_each {
            return Err(Failure::misuse("expected a DEF of {}, as in DEF:x={}:in:AVERAGE"));
        }
        Ok(Self { plan, each, named, is_exact })
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &RowsPlan {
        &self.plan
    }

    /// The answers for some databases, in their order.
    #[must_use]
    pub fn outcomes(&self, names: &[String]) -> Vec<(String, Result<Outcome, CalcError>)> {
        let fetched = self.fetch(names).into_iter();
        let outcomes = fetched.map(|(name, fetched)| {
            let outcome = fetched.and_then(|fetched| self.outcome(&name, &fetched));
            (name, outcome)
        });
        outcomes.collect()
    }

    /// The answer without any database for `{}`.
    ///
    /// # Errors
    /// See [`CalcError`].
    pub fn outcome_of_named(&self) -> Result<Outcome, CalcError> {
        let mut fetched = self.fetch(&[String::new()]);
        let (name, fetched) = fetched.pop().unwrap_or_else(|| unreachable!("one was asked"));
        self.outcome(&name, &fetched?)
    }

    pub(crate) fn outcome(&self, name: &str, fetched: &Fetched) -> Result<Outcome, CalcError> {
        Outcome::of(&self.plan, name, fetched, self.is_exact)
    }

    /// The rows of all requests for some databases, in their order.
    pub(crate) fn fetch(&self, names: &[String]) -> Vec<(String, Result<Fetched, CalcError>)> {
        let asked = names.iter().map(|name| self.ask(name));
        let asked: Vec<Result<Vec<Asked>, CalcError>> = asked.collect();
        let mut rows = self.read(names, &asked, |asked| Some(asked.query));
        let has_long_rows = |asked: &Asked| asked.is_long();
        let wants_extremes = asked.iter().flatten().flatten().any(has_long_rows);
        let [mut least, mut greatest] = extremes::FUNCTIONS.map(|function| match wants_extremes {
            true => self.read(names, &asked, |asked| {
                extremes::query(&asked.header, &asked.query, asked.is_long(), function)
            }),
            false => Vec::new(),
        });
        let mut take = |nth: usize, asked: &[Asked]| {
            let own = std::mem::take(&mut rows[nth]);
            let own: Vec<Stretch> =
                own.into_iter().flatten().collect::<Result<_, _>>().map_err(CalcError::Store)?;
            let origins = asked.iter().zip(&own).map(|(asked, stretch)| {
                let Definition { archives, step_seconds, .. } = &asked.header.definition;
                let request = &self.plan.requests()[asked.request];
                let database = if request.rrd == EACH { &names[nth] } else { &request.rrd };
                let archive = &archives[asked.archive];
                Origin::of(database, archive, *step_seconds, asked.start_seconds, stretch)
            });
            let origins = origins.collect();
            let taken = |all: &mut Vec<Vec<Option<_>>>| {
                all.get_mut(nth).map(std::mem::take).unwrap_or_default()
            };
            let are_long: Vec<bool> = asked.iter().map(Asked::is_long).collect();
            let extremes = Extremes::of(&own, &are_long, taken(&mut least), taken(&mut greatest));
            Ok(Fetched { rows: own, origins, extremes })
        };
        let fetched = asked.iter().enumerate().zip(names).map(|((nth, asked), name)| {
            let fetched = match asked {
                Ok(asked) => take(nth, asked),
                Err(error) => Err(error.again()),
            };
            (name.clone(), fetched)
        });
        fetched.collect()
    }

    /// What is asked of the databases behind one name: queries whose archives are known.
    fn ask(&self, name: &str) -> Result<Vec<Asked>, CalcError> {
        let mut headers: BTreeMap<Option<usize>, Arc<Header>> = BTreeMap::new();
        let requests = 0..self.plan.requests().len();
        let asked = requests.map(|nth| {
            let own = self.named.contains_key(&nth).then_some(nth);
            let header = match headers.get(&own) {
                Some(header) => Arc::clone(header),
                None => {
                    let (store, name) = self.place(nth, name);
                    let header = Arc::new(store.header(name)?);
                    headers.insert(own, Arc::clone(&header));
                    header
                }
            };
            self.asked(nth, header)
        });
        asked.collect()
    }

    fn asked(&self, nth: usize, header: Arc<Header>) -> Result<Asked, CalcError> {
        let tick = header.definition.tick;
        let query = self.plan.query(nth, tick);
        let last_update_seconds = header.live.last_update.seconds;
        let found = window(&header.definition, last_update_seconds, &query)
            .map_err(|error| graph::Error::Fetch(error.to_string()))?;
        let archive = &header.definition.archives[found.archive];
        let step = found.step_seconds as i64;
        let lead_rows = self.plan.lead_rows(nth, tick, found.step_seconds)?;
        let newest_seconds = last_update_seconds - last_update_seconds.rem_euclid(step);
        let oldest_seconds =
            newest_seconds.saturating_sub(step.saturating_mul(archive.rows as i64));
        let early_seconds = found.start_seconds.saturating_sub(step.saturating_mul(lead_rows));
        // An earlier start would have a coarser archive answer. One of another archive is not asked
        // for if this one does not reach back to the start itself.
        let query = match oldest_seconds <= query.start_seconds && lead_rows > 0 {
            true => Query {
                start_seconds: early_seconds.max(oldest_seconds).min(query.start_seconds),
                step_seconds: found.step_seconds,
                ..query
            },
            false => query,
        };
        let (archive, start_seconds) = (found.archive, found.start_seconds);
        Ok(Asked { request: nth, query, header, archive, start_seconds })
    }

    /// The answers to one query for each request of each name; none where there is no query.
    fn read(
        &self,
        names: &[String],
        asked: &[Result<Vec<Asked>, CalcError>],
        query: impl Fn(&Asked) -> Option<Query>,
    ) -> Vec<Vec<Option<Result<Stretch, store::Error>>>> {
        let mut answers: Vec<Vec<Option<Result<Stretch, store::Error>>>> =
            asked.iter().map(|asked| asked.iter().flatten().map(|_| None).collect()).collect();
        let mut wanted = Vec::new();
        let mut places = Vec::new();
        for (nth, asked) in asked.iter().enumerate() {
            for asked in asked.iter().flatten() {
                let Some(query) = query(asked) else { continue };
                let (store, name) = self.place(asked.request, &names[nth]);
                if self.named.contains_key(&asked.request) {
                    answers[nth][asked.request] = Some(store.fetch_stretch(name, &query));
                } else {
                    wanted.push(Wanted { name, query });
                    places.push((nth, asked.request));
                }
            }
        }
        if let Some(store) = &self.each {
            let read = store.fetch_many(&wanted, &mut |position, answer| {
                let (nth, request) = places[position];
                answers[nth][request] = Some(answer);
                ControlFlow::Continue(())
            });
            if let Err(error) = read {
                for (nth, request) in places {
                    answers[nth][request].get_or_insert_with(|| Err(error.again()));
                }
            }
        }
        answers
    }

    fn place<'a>(&'a self, request: usize, name: &'a str) -> (&'a dyn Store, &'a Path) {
        match (self.named.get(&request), &self.each) {
            (Some(Place { store, name, .. }), _) => (&**store, name.as_path()),
            (None, Some(store)) => (&**store, Path::new(name)),
            (None, None) => unreachable!("a request without a database was refused"),
        }
    }
}

impl Asked {
    /// Whether a row has more than one step.
    fn is_long(&self) -> bool {
        self.header.definition.archives[self.archive].pdp_per_row > 1
    }
}

/// Whether a request is for each database.
fn check(request: &SeriesRequest, has_each: bool) -> Result<bool, Failure> {
    let rrd = &request.rrd;
    if request.daemon.is_some() {
        return Err(Failure::misuse(format!(
            "{rrd}: expected a database of this machine, found one of a daemon"
        )));
    }
    if rrd.contains("//") && (rrd.starts_with("sql//") || rrd.starts_with("cb//")) {
        let shown = graph::without_password(rrd);
        return Err(Failure::misuse(format!("{shown}: expected a round robin database")));
    }
    match (rrd == EACH, has_each) {
        (true, false) => Err(Failure::misuse("{}: expected the name of a database, or --each")),
        (is_each, _) => Ok(is_each),
    }
}
