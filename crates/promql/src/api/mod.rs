//! Prometheus' HTTP API: a function for each endpoint, from the texts of its parameters to the
//! status and body of an answer. It knows no server.

mod parameters;
mod json;
mod answers;
mod catalogue;

use std::collections::BTreeMap;

use promql_parser::parser::Expr;
use series::Source;

use crate::axis::Axis;
use crate::context::{Asked, Context, Limits};
use crate::error::Failed;
use crate::text;
use answers::Found;

/// An answer of HTTP; its body is JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// What all endpoints need.
pub struct Api<'a> {
    /// Who has the series.
    pub source: &'a dyn Source,
    /// What a query may take.
    pub limits: Limits,
    /// The time, microseconds since 1970.
    pub now_micros: i64,
    /// Whether a query may still go on; asked now and then.
    pub goes_on: &'a dyn Fn() -> bool,
}

/// The parameters of a query for one time.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstantQuery<'a> {
    /// `query`
    pub query: &'a str,
    /// `time`; now without it.
    pub time: Option<&'a str>,
}

/// The parameters of a query for many times.
#[derive(Clone, Copy, Debug, Default)]
pub struct RangeQuery<'a> {
    /// `query`
    pub query: &'a str,
    /// `start`
    pub start: &'a str,
    /// `end`
    pub end: &'a str,
    /// `step`
    pub step: &'a str,
}

/// Which series an endpoint is asked about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chosen<'a> {
    /// Each `match[]`.
    pub matches: &'a [&'a str],
    /// `start` and `end`. They must be times; a source names its series whenever they were.
    pub times: [Option<&'a str>; 2],
    /// `limit`; none, or as many.
    pub limit: Option<&'a str>,
}

/// What a server says it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildInfo<'a> {
    /// The version of Prometheus whose API this is: programs choose by it what they ask.
    pub version: &'a str,
    /// What was built.
    pub revision: &'a str,
}

impl Api<'_> {
    /// `/api/v1/query`
    #[must_use]
    pub fn query(&self, query: &InstantQuery<'_>) -> Answer {
        answer(self.try_query(query))
    }

    fn try_query(&self, query: &InstantQuery<'_>) -> Result<Vec<u8>, Failed> {
        let asked = parameters::instant(query, self.now_micros)?;
        self.run(query.query, asked, answers::instant)
    }

    /// `/api/v1/query_range`
    #[must_use]
    pub fn query_range(&self, query: &RangeQuery<'_>) -> Answer {
        answer(self.try_query_range(query))
    }

    fn try_query_range(&self, query: &RangeQuery<'_>) -> Result<Vec<u8>, Failed> {
        let asked = parameters::range(query, self.limits.steps)?;
        self.run(query.query, asked, answers::range)
    }

    /// `/api/v1/format_query`
    #[must_use]
    pub fn format_query(&self, query: &str) -> Answer {
        answer(text::parse(query).map(|expression| json::data(&expression.prettify())))
    }

    /// `/api/v1/query_exemplars`: none, for rows have none.
    #[must_use]
    pub fn query_exemplars(&self, query: &str) -> Answer {
        answer(text::parse(query).map(|_| json::data(&[(); 0])))
    }

    fn run(
        &self,
        query: &str,
        asked: Asked,
        of: fn(&Context<'_>, &Expr, &Axis) -> Result<Found, Failed>,
    ) -> Result<Vec<u8>, Failed> {
        let expression = text::parse(query)?;
        let context = Context::new(self.source, asked, &self.limits, self.goes_on);
        let result = of(&context, &expression, &asked.axis)?;
        Ok(json::query_answer(&result, &context.into_infos()))
    }

    /// `/api/v1/series`
    #[must_use]
    pub fn series(&self, chosen: &Chosen<'_>) -> Answer {
        answer(catalogue::series(self.source, chosen))
    }

    /// `/api/v1/labels`
    #[must_use]
    pub fn labels(&self, chosen: &Chosen<'_>) -> Answer {
        answer(catalogue::label_names(self.source, chosen))
    }

    /// `/api/v1/label/NAME/values`
    #[must_use]
    pub fn label_values(&self, name: &str, chosen: &Chosen<'_>) -> Answer {
        answer(catalogue::label_values(self.source, name, chosen))
    }

    /// `/api/v1/metadata`
    #[must_use]
    pub fn metadata(&self, metric: Option<&str>, limit: Option<&str>) -> Answer {
        answer(catalogue::metadata(self.source, metric, limit))
    }
}

/// `/api/v1/status/buildinfo`
#[must_use]
pub fn build_info(info: &BuildInfo<'_>) -> Answer {
    answer(Ok(json::build_info(info)))
}

/// What Prometheus has beside series, and a store of rows has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// `/api/v1/rules`
    Rules,
    /// `/api/v1/alerts`
    Alerts,
    /// `/api/v1/alertmanagers`
    Alertmanagers,
    /// `/api/v1/targets`
    Targets,
}

/// The answer that there are none.
#[must_use]
pub fn none_of(missing: Missing) -> Answer {
    let lists: &[&str] = match missing {
        Missing::Rules => &["groups"],
        Missing::Alerts => &["alerts"],
        Missing::Alertmanagers => &["activeAlertmanagers", "droppedAlertmanagers"],
        Missing::Targets => &["activeTargets", "droppedTargets"],
    };
    let empty: BTreeMap<&str, [(); 0]> = lists.iter().map(|name| (*name, [])).collect();
    answer(Ok(json::data(&empty)))
}

/// The answer to a request that failed.
#[must_use]
pub fn failure(failed: &Failed) -> Answer {
    Answer { status: failed.status(), body: json::failure(failed.kind(), &failed.to_string()) }
}

fn answer(result: Result<Vec<u8>, Failed>) -> Answer {
    match result {
        Ok(body) => Answer { status: 200, body },
        Err(failed) => failure(&failed),
    }
}
