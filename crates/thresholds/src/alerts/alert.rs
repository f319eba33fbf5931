//! An alert: a limit that is broken, or was until a moment ago.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use mrtg::Direction;

use crate::check::Verdict;
use crate::limit::{Bound, Kind, LimitId, Side};

/// `severity` of alerts to which the operator gives no other.
const SEVERITY: &str = "warning";

/// Which limit of which target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the types say it")]
pub struct AlertId {
    pub target: Arc<str>,
    pub limit: LimitId,
}

/// A limit that is broken, or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The limit.
    pub id: AlertId,
    /// What tells it from all others. They stay as they are until it has ended.
    pub labels: Arc<BTreeMap<String, String>>,
    /// What a reader wants to know, as it was when the limit was last broken.
    pub annotations: BTreeMap<String, String>,
    /// The page with the target's graphs, if its address is known.
    pub generator_url: Option<Arc<str>>,
    /// The first sample that broke the limit.
    pub starts: Timestamp,
    /// Whether it still stands.
    pub course: Course,
}

/// Whether an alert still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It does. Unless it is confirmed, it ends then.
    Standing {
        /// When it ends by itself.
        until: Timestamp,
    },
    /// It does not.
    Ended {
        /// Since then.
        at: Timestamp,
    },
}

/// What is known of a target besides its configuration.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The labels of its series.
    pub labels: Vec<(String, String)>,
    /// Its page.
    pub page: Option<String>,
}

impl Alert {
    /// The alert about a limit that is broken.
    #[must_use]
    pub fn new(verdict: &Verdict<'_>, about: About, starts: Timestamp, until: Timestamp) -> Self {
        let target = verdict.target().name.clone();
        Self {
            labels: Arc::new(labels(&target, verdict.limit, about.labels)),
            id: AlertId { target, limit: verdict.limit },
            annotations: annotations(verdict),
            generator_url: about.page.map(Arc::from),
            starts,
            course: Course::Standing { until },
        }
    }

    /// The same, broken once more.
    #[must_use]
    pub fn again(&self, verdict: &Verdict<'_>, until: Timestamp) -> Self {
        let course = Course::Standing { until };
        Self { annotations: annotations(verdict), course, ..self.clone() }
    }

    /// The same on another course.
    #[must_use]
    pub fn on(&self, course: Course) -> Self {
        Self { course, ..self.clone() }
    }

    /// Whether it stands.
    #[must_use]
    pub fn stands(&self) -> bool {
        matches!(self.course, Course::Standing { .. })
    }

    /// When it ended, or will if it is not confirmed.
    #[must_use]
    pub fn ends(&self) -> Timestamp {
        match self.course {
            Course::Standing { until } => until,
            Course::Ended { at } => at,
        }
    }
}

/// The labels of an alert: those of the target's series, and which limit it is. An operator may say
/// how severe it is, but cannot make two alerts one. Labels without a value are none.
fn labels(
    target: &str,
    limit: LimitId,
    of_series: Vec<(String, String)>,
) -> BTreeMap<String, String> {
    let name = match limit.kind {
        Kind::Rate => "ThresholdBroken",
        Kind::Failure => "ForecastFailed",
    };
    let own = [
        ("alertname", name.to_owned()),
        ("direction", word(limit.direction).to_owned()),
        ("limit", limit.key()),
        ("target", target.to_owned()),
    ];
    let severity = ("severity".to_owned(), SEVERITY.to_owned());
    let own = own.map(|(name, value)| (name.to_owned(), value));
    let all = [severity].into_iter().chain(of_series).chain(own);
    let all: BTreeMap<String, String> = all.collect();
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn annotations(verdict: &Verdict<'_>) -> BTreeMap<String, String> {
    let mut annotations = BTreeMap::new();
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            annotations.insert(name.to_owned(), value.to_owned());
        }
    };
    add("title", &verdict.target().title());
    add("description", verdict.description().unwrap_or_default());
    if let Some(bound) = &verdict.bound {
        add("value", &value(bound));
        add("limit", &limit(bound));
        add("summary", &summary(verdict, bound));
    }
    annotations
}

/// One line that tells what is wrong.
fn summary(verdict: &Verdict<'_>, bound: &Bound) -> String {
    let LimitId { kind, side, direction } = verdict.limit;
    let (target, direction) = (&verdict.target().name, word(direction));
    match (kind, side) {
        (Kind::Failure, Side::Max) => format!("{target}: {direction} is not as forecast"),
        (Kind::Failure, Side::Min) => format!("{target}: {direction} is as forecast"),
        (Kind::Rate, side) => {
            let beyond = if side == Side::Max { "above" } else { "below" };
            let (value, limit) = (value(bound), limit(bound));
            format!("{target}: {direction} is {value}, {beyond} the limit {limit}")
        }
    }
}

/// The value, and for a limit in percent what that is in units per second.
fn value(bound: &Bound) -> String {
    format!("{}{}", bound.value, bound.value_absolute)
}

fn limit(bound: &Bound) -> String {
    format!("{}{}", bound.limit, bound.limit_absolute)
}

const fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "in",
        Direction::Out => "out",
    }
}
