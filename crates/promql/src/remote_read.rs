//! Remote read: another Prometheus asks for samples and evaluates its queries itself.
//!
//! A body is a message in Protocol Buffers, compressed with Snappy. The answer has the type
//! SAMPLES, which every client understands. Rows that are rates are answered as they are; an
//! asking Prometheus cannot know, and its `rate()` of them would be wrong.

use prost::Message as _;
use series::{
    Comparison, Label, Matcher, Preferred, Selected, Source, Span, Unanswered, Window, WrongPattern,
};

use crate::remote::{
    Condition, LabelPair, Query, QueryResult, ReadRequest, ReadResponse, Sample, TimeSeries,
    WrongMessage, decompressed,
};

/// Bytes of a request after decompression.
const REQUEST_BYTES_MAX: usize = 1 << 20;
/// Queries of a request.
const QUERIES_MAX: usize = 100;
/// A range has at least this many rows, if there is a choice.
const ROWS_IN_RANGE_MIN: i64 = 16;

/// The type of a request's and an answer's body, for `Content-Type`.
pub const CONTENT_TYPE: &str = "application/x-protobuf";
/// Their compression, for `Content-Encoding`.
pub const CONTENT_ENCODING: &str = "snappy";

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is none.
    #[error(transparent)]
    Message(#[from] WrongMessage),
    /// A condition's comparison has no meaning.
    #[error("expected a comparison from 0 to 3, found {0}")]
    Comparison(i32),
    /// It asks for too much at once.
    #[error("expected at most {limit} {what}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How many there may be.
        limit: u64,
    },
    /// The caller's deadline passed.
    #[error("the request timed out")]
    Timeout,
    /// The series cannot be read.
    #[error(transparent)]
    Source(#[from] Unanswered),
}

impl Refused {
    /// The status of HTTP that goes with it.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Message(_) | Self::Comparison(_) | Self::Source(Unanswered::Pattern(_)) => 400,
            Self::TooMuch { .. } | Self::Source(Unanswered::TooMuch { .. }) => 422,
            Self::Timeout => 503,
            Self::Source(_) => 500,
        }
    }
}

/// The answer to a request: the body with its compression.
///
/// # Errors
///
/// [`Refused`].
pub fn answer(
    source: &dyn Source,
    body: &[u8],
    samples_max: u64,
    goes_on: &dyn Fn() -> bool,
) -> Result<Vec<u8>, Refused> {
    let message = decompressed(body, REQUEST_BYTES_MAX)?;
    let request = ReadRequest::decode(&*message).map_err(WrongMessage::from)?;
    if request.queries.len() > QUERIES_MAX {
        return Err(Refused::TooMuch { what: "queries", limit: QUERIES_MAX as u64 });
    }
    let (mut results, mut left) = (Vec::new(), samples_max);
    for query in &request.queries {
        if !goes_on() {
            return Err(Refused::Timeout);
        }
        let series = series(source, query)?;
        let samples: u64 = series.iter().map(|it| it.samples.len() as u64).sum();
        let too_much = Refused::TooMuch { what: "samples of an answer", limit: samples_max };
        left = left.checked_sub(samples).ok_or(too_much)?;
        results.push(QueryResult { series });
    }
    let message = ReadResponse { results }.encode_to_vec();
    Ok(snap::raw::Encoder::new().compress_vec(&message).map_err(WrongMessage::from)?)
}

/// The series of a query, sorted by labels as its sender expects.
fn series(source: &dyn Source, query: &Query) -> Result<Vec<TimeSeries>, Refused> {
    let matchers = query.matchers.iter().map(matcher).collect::<Result<Vec<_>, _>>()?;
    let mut found = source.select(&matchers, &window(query))?;
    found.sort_by(|one, other| one.labels.cmp(&other.labels));
    let all = found.into_iter().map(|it| time_series(&it));
    Ok(all.filter(|it| !it.samples.is_empty()).collect())
}

/// A query's times; both ends belong to them.
fn window(query: &Query) -> Window {
    let micros = |millis: i64| millis.saturating_mul(1_000);
    let start_micros = micros(query.start_millis).saturating_sub(1);
    let (step, range) = query.hints.as_ref().map_or((0, 0), |it| (it.step_millis, it.range_millis));
    let step = if range > 0 { step.min(range / ROWS_IN_RANGE_MIN) } else { step };
    let span = Span { start_micros, end_micros: micros(query.end_millis) };
    Window { span, step_micros: micros(step.max(0)), preferred: Preferred::Named }
}

fn matcher(condition: &Condition) -> Result<Matcher, Refused> {
    let comparison = match condition.comparison {
        0 => Comparison::Equal,
        1 => Comparison::NotEqual,
        2 => Comparison::Matches,
        3 => Comparison::MatchesNot,
        other => return Err(Refused::Comparison(other)),
    };
    let made = Matcher::new(&condition.name, comparison, &condition.value);
    made.map_err(|error: WrongPattern| Refused::Source(error.into()))
}

fn time_series(Selected { labels, rows, .. }: &Selected) -> TimeSeries {
    let pair = |Label { name, value }: &Label| LabelPair {
        name: name.to_string(),
        value: value.to_string(),
    };
    let sample = |(micros, value): (i64, f64)| Sample { value, millis: micros.div_euclid(1_000) };
    let mut samples: Vec<Sample> = rows.known().map(sample).collect();
    // Of rows that are finer than a millisecond the last one of each is told: times must rise.
    samples.dedup_by(|next, kept| {
        let is_same = next.millis == kept.millis;
        kept.value = if is_same { next.value } else { kept.value };
        is_same
    });
    TimeSeries { labels: labels.iter().map(pair).collect(), samples }
}

#[cfg(test)]
mod tests {
    use series::{Kind, Labels, Rows};

    use super::*;
    use crate::remote::Hints;

    #[test]
    fn times_rise_whatever_the_step_is() {
        let values = (0..10).map(f64::from).collect();
        let rows = Rows { start_micros: 100, step_micros: 300, values };
        let labels = Labels::new([Label::new("__name__", "a")]);
        let told = time_series(&Selected { labels, kind: Kind::Gauge, rows });
        let samples: Vec<_> = told.samples.iter().map(|it| (it.millis, it.value)).collect();
        assert_eq!(samples, [(0, 1.0), (1, 5.0), (2, 8.0), (3, 9.0)]);
    }

    #[test]
    fn both_ends_of_a_query_belong_to_it_and_hints_choose_the_step() {
        let hints = Hints { step_millis: 60_000, range_millis: 160_000 };
        let query = Query { start_millis: 5, end_millis: 9, matchers: vec![], hints: Some(hints) };
        let window = window(&query);
        assert_eq!((window.span.start_micros, window.span.end_micros), (4_999, 9_000));
        assert_eq!(window.step_micros, 10_000_000);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        struct Nobody;
        impl Source for Nobody {
            fn select(&self, _: &[Matcher], _: &Window) -> Result<Vec<Selected>, Unanswered> {
                Ok(Vec::new())
            }
            fn describe(&self, _: &[Matcher]) -> Result<Vec<series::Described>, Unanswered> {
                Ok(Vec::new())
            }
            fn label_names(&self, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
                Ok(Vec::new())
            }
            fn label_values(&self, _: &str, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
                Ok(Vec::new())
            }
        }
        let ask = |message: &[u8]| {
            let body = snap::raw::Encoder::new().compress_vec(message).unwrap();
            answer(&Nobody, &body, 10, &|| true)
        };
        assert!(ask(&[]).is_ok());
        assert_eq!(ask(&[0x0a, 0x05]).unwrap_err().status(), 400);
        let condition = Condition { comparison: 4, ..Condition::default() };
        let query = Query { matchers: vec![condition], ..Query::default() };
        let message = ReadRequest { queries: vec![query] }.encode_to_vec();
        assert_eq!(
            ask(&message).unwrap_err().to_string(),
            "expected a comparison from 0 to 3, found 4"
        );
        let many = ReadRequest { queries: vec![Query::default(); 101] }.encode_to_vec();
        assert_eq!(ask(&many).unwrap_err().status(), 422);
        assert_eq!(answer(&Nobody, b"no snappy", 10, &|| true).unwrap_err().status(), 400);
    }
}
