//! The pictures of a target, drawn from its rows.

use std::path::Path;
use std::sync::Arc;

use graph::{Arguments, Drawing, SeriesRequest, Undrawn};
use jiff::tz::TimeZone;
use mrtg::{Flag, NamedColour, Period, Target};
use mrtgpages::{Reading, Summary, Window};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Stretch, Tick, Timestamp};
use server::{StaticInks, static_arguments};
use store::{Error, Wanted as Fetched};

use super::site::Site;

/// One target's database, and the zone of its time axes.
pub(super) struct Source<'s> {
    pub(super) site: &'s Site,
    pub(super) target: &'s Target,
    /// Its name in the store.
    pub(super) database: Arc<str>,
    /// Of the last update that is shown, in seconds since 1970.
    pub(super) updated_seconds: i64,
    pub(super) zone: TimeZone,
}

impl Source<'_> {
    /// Draws a picture.
    ///
    /// # Errors
    /// The store does not answer, or the graph is refused.
    pub(super) fn draw(&self, period: Period) -> Result<Drawing, Undrawn<Error>> {
        let inks = self.target.settings.page.as_ref().and_then(|page| page.colours.as_deref());
        let inks = inks.map(static_inks);
        let look = self.site.look(self.target);
        let words = static_arguments(look, &self.database, shown(period), inks);
        let mut arguments = Arguments::read(&words)?;
        arguments.find_fonts(systemfonts::FINDER);
        let now = Timestamp { seconds: self.site.now_seconds, micros: 0 };
        graph::draw(&arguments, now, &self.zone, &mut |requests| self.fetch(requests))
    }

    fn fetch(&self, requests: &[SeriesRequest]) -> Vec<Result<Stretch, Error>> {
        let wanted = requests
            .iter()
            .map(|request| Fetched { name: Path::new(&request.rrd), query: request.query() });
        self.site.store.fetch_all(&wanted.collect::<Vec<_>>())
    }

    /// What the rows of each picture say.
    ///
    /// # Errors
    /// The store does not answer.
    pub(super) fn summaries(&self, periods: &[Period]) -> Result<Vec<Summary>, Error> {
        let name = Path::new(&*self.database);
        let windows = periods.iter().map(|period| Window::of(*period, self.site.now_seconds));
        let windows: Vec<Window> = windows.collect();
        let query = |window: &Window, cf| Fetched { name, query: query(window, cf) };
        let wanted = windows.iter().flat_map(|window| {
            [ConsolidationFunction::Average, ConsolidationFunction::Max].map(|cf| query(window, cf))
        });
        let mut answers = self.site.store.fetch_all(&wanted.collect::<Vec<_>>()).into_iter();
        let mut next = || answers.next().unwrap_or_else(|| Err(Error::missing(name)));
        let mut all = Vec::with_capacity(periods.len());
        for (period, window) in periods.iter().zip(&windows) {
            let reading = self.reading(*period);
            all.push(Summary::of(window, &next()?, &next()?, &reading));
        }
        Ok(all)
    }

    fn reading(&self, period: Period) -> Reading {
        let settings = &self.target.settings;
        let is_zero = settings.options.has(Flag::Unknaszero);
        Reading {
            with_peak: settings.with_peak.has(period),
            zero_until_seconds: is_zero.then_some(self.updated_seconds),
        }
    }
}

fn query(window: &Window, cf: ConsolidationFunction) -> Query {
    Query {
        tick: Tick::SECOND,
        cf,
        start_seconds: window.start_seconds,
        end_seconds: window.end_seconds,
        step_seconds: window.row_seconds,
    }
}

fn static_inks(
    [incoming, outgoing, incoming_peak, outgoing_peak]: &[NamedColour; 4],
) -> StaticInks<'_> {
    StaticInks {
        areas: [&incoming.code, &outgoing.code],
        peaks: [&incoming_peak.code, &outgoing_peak.code],
    }
}

/// The same picture, as the web pages call it.
const fn shown(period: Period) -> server::Period {
    match period {
        Period::Day => server::Period::Day,
        Period::Week => server::Period::Week,
        Period::Month => server::Period::Month,
        Period::Year => server::Period::Year,
    }
}
