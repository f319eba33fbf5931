//! Calculation without a picture: on the rows of archives, never on pixels.
//!
//! A [`RowsPlan`] has the definitions of a graph, XPORT and PRINT. Its series keep the length of
//! their archives' rows. A row belongs to it that ends after the start and begins before the end.

mod answer;
mod bounds;

use jiff::tz::TimeZone;
use rrd::fetch::Query;
use rrd::rpn::Vocabulary;
use rrd::{Stretch, Tick, Timestamp};

use crate::Error;
use crate::arguments::{DefinitionKind, Element, Settings};
use crate::calculate::Values;
use crate::leads::Leads;
use crate::plan::Plan;
use crate::series_request::SeriesRequest;

pub use answer::{RowColumn, RowFact, RowPrint, RowsAnswer, RowsTold};
pub use bounds::Bounds;

/// The most rows before the start that are fetched for a window.
const LEAD_ROWS_MAX: i64 = 1 << 24;

/// Of which stretch of time rows are calculated.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowsWindow<'a> {
    /// `--start`.
    pub start: Option<&'a str>,
    /// `--end`.
    pub end: Option<&'a str>,
}

/// Checked definitions, and what is told of them.
#[derive(Clone, Debug)]
pub struct RowsPlan {
    plan: Plan,
}

impl RowsPlan {
    /// Reads DEF, CDEF, VDEF, SHIFT, XPORT and PRINT.
    ///
    /// # Errors
    /// An element is wrong, or one of a picture; the window of an operator is no number.
    pub fn new(
        window: RowsWindow<'_>,
        elements: &[&str],
        now: Timestamp,
        zone: &TimeZone,
    ) -> Result<Self, Error> {
        let settings = Settings {
            start: window.start.map(str::to_owned),
            end: window.end.map(str::to_owned),
            vocabulary: Vocabulary::Gyre,
            ..Settings::default()
        };
        // Of so many columns none is longer than a row.
        let mut plan = Plan::of(settings, u64::MAX, elements, now, zone)?;
        if let Some(picture) = elements.iter().find(|element| !is_calculated(element)) {
            return Err(Error::Element(format!(
                "expected DEF, CDEF, VDEF, SHIFT, XPORT or PRINT, found {picture}"
            )));
        }
        plan.leads = Some(Leads::of(&plan.script)?);
        Ok(Self { plan })
    }

    /// What must be fetched, without the rows before the start that windows need.
    #[must_use]
    pub fn requests(&self) -> &[SeriesRequest] {
        self.plan.requests()
    }

    /// What is asked of a database with a tick for a request.
    #[must_use]
    pub fn query(&self, request: usize, tick: Tick) -> Query {
        let query = self.plan.requests()[request].query().in_ticks(tick);
        // A row that begins at the end is none of these; rrdtool answers it, too.
        let is_some = query.end_seconds > query.start_seconds;
        Query { end_seconds: query.end_seconds - i64::from(is_some), ..query }
    }

    /// How many rows of a length in ticks are needed before the start of a request.
    ///
    /// # Errors
    /// More than memory is given for.
    pub fn lead_rows(&self, request: usize, tick: Tick, row_seconds: u64) -> Result<i64, Error> {
        let definitions = self.plan.script.definitions.iter().enumerate();
        let leads = definitions.filter_map(|(nth, definition)| match definition.kind {
            DefinitionKind::Def { request: of, .. } if of == request => {
                self.plan.leads.as_ref().map(|leads| leads.of_definition(nth, tick))
            }
            _ => None,
        });
        let lead_seconds = leads.max().unwrap_or(0);
        let step = i64::try_from(row_seconds.max(1)).unwrap_or(i64::MAX);
        // One more, for PREDICT's windows have one row more than their length says.
        let rows = if lead_seconds == 0 { 0 } else { lead_seconds.div_euclid(step) + 2 };
        match rows {
            rows if rows > LEAD_ROWS_MAX => Err(Error::Element(format!(
                "a window of {} s has {rows} rows of {} s before the start: expected at most \
                 {LEAD_ROWS_MAX}",
                tick.told(lead_seconds),
                tick.told(step)
            ))),
            rows => Ok(rows),
        }
    }

    /// The names of the sources that a request is asked for.
    #[must_use]
    pub fn sources_of(&self, request: usize) -> Vec<&str> {
        let definitions = self.plan.script.definitions.iter();
        let names = definitions.filter_map(|definition| match &definition.kind {
            DefinitionKind::Def { request: of, source_name, .. } if *of == request => {
                Some(source_name.as_str())
            }
            _ => None,
        });
        names.collect()
    }

    /// Whether anything asks for columns of rows.
    #[must_use]
    pub fn has_columns(&self) -> bool {
        self.plan.script.elements.iter().any(|element| matches!(element, Element::Column(_)))
    }

    /// Whether a name is that of a VDEF.
    #[must_use]
    pub fn has_fact(&self, name: &str) -> bool {
        let is_it = |definition: &&crate::arguments::Definition| definition.name == name;
        let found = self.plan.script.definitions.iter().find(is_it);
        found.is_some_and(|found| matches!(found.kind, DefinitionKind::Vdef { .. }))
    }

    fn values(&self, fetched: &[Stretch]) -> Result<Values, Error> {
        if fetched.len() != self.requests().len() {
            return Err(Error::Fetch("a request was not answered".into()));
        }
        let values = Values::calculate(&self.plan, fetched)?;
        self.check_windows(&values)?;
        Ok(values)
    }

    /// Refuses windows that are shorter than a row: the answer would be the row itself.
    fn check_windows(&self, values: &Values) -> Result<(), Error> {
        for definition in &self.plan.script.definitions {
            let DefinitionKind::Cdef(program) = &definition.kind else { continue };
            for window in program.windows().filter(|window| window.span_seconds != 0.0) {
                let rows = values.series(window.variable).map_or(0, |series| series.step_seconds);
                let tick = values.window.tick;
                if window.span_seconds < tick.seconds_of(rows) {
                    let (operator, span) = (window.operator, window.span_seconds);
                    let of = &self.plan.script.definitions[window.variable].name;
                    let name = &definition.name;
                    return Err(Error::Element(format!(
                        "{operator} in '{name}': a window of {span} s is shorter than a row of \
                         '{of}', which has {} s",
                        tick.told(i64::try_from(rows).unwrap_or(i64::MAX))
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Whether an element has a place where there is no picture.
fn is_calculated(element: &str) -> bool {
    let keyword = element.split(':').next().unwrap_or(element);
    matches!(keyword, "DEF" | "CDEF" | "VDEF" | "SHIFT" | "XPORT" | "PRINT")
}
