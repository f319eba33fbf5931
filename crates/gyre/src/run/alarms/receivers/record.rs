//! The file of alerts: lines of text.
//!
//! ```text
//! gyre alerts 1
//! {"target":"uplink","limit":"ThreshMaxI","labels":{…},…,"left_seconds":1200,"told":[305419896]}
//! sum 5d41402a
//! ```
//!
//! The sum, CRC-32 of the bytes before its line, shows that the file is whole.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thresholds::LimitId;
use thresholds::alerts::{Alert, AlertId, Course};

const HEADING: &str = "gyre alerts 1";

/// An alert, and who knows what became of it.
pub(super) struct Record {
    pub(super) alert: Alert,
    /// The keys of these receivers.
    pub(super) told: Vec<u32>,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Damage {
    #[error("expected text, found other bytes")]
    NotText,
    #[error("line 1: expected {HEADING:?}")]
    Heading,
    #[error("expected `sum` and the CRC-32 of the lines before at the end")]
    Sum,
    #[error("line {line}: expected an alert: {why}")]
    Alert { line: usize, why: NoAlert },
}

/// Why a line is none.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAlert {
    #[error("{0}")]
    Form(#[from] serde_json::Error),
    #[error("{0}")]
    Time(#[from] jiff::Error),
    #[error("no key of a limit: {0:?}")]
    Limit(String),
    #[error("it neither stands nor ended")]
    Course,
}

#[derive(Serialize, Deserialize)]
struct Line {
    target: String,
    limit: String,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
    page: Option<String>,
    starts: String,
    /// Of one that stands, how long it does so without being confirmed.
    left_seconds: Option<i64>,
    /// Of one that does not, since when.
    ended: Option<String>,
    told: Vec<u32>,
}

/// The file's text.
pub(super) fn text(records: &[Record], now: Timestamp) -> serde_json::Result<String> {
    let mut text = format!("{HEADING}\n");
    for record in records {
        text += &serde_json::to_string(&Line::of(record, now))?;
        text.push('\n');
    }
    let sum = crc32fast::hash(text.as_bytes());
    let _ = writeln!(text, "sum {sum:08x}"); // a String takes all
    Ok(text)
}

/// Reads a file's bytes. Time that passed since it was written counts for no alert: none could be
/// confirmed.
pub(super) fn read(bytes: &[u8], now: Timestamp) -> Result<Vec<Record>, Damage> {
    let text = std::str::from_utf8(bytes).map_err(|_| Damage::NotText)?;
    let lines = text.strip_prefix(HEADING).and_then(|rest| rest.strip_prefix('\n'));
    let lines = lines.ok_or(Damage::Heading)?;
    let (_, sum) = text.rsplit_once("sum ").ok_or(Damage::Sum)?;
    let summed = text.len() - sum.len() - "sum ".len();
    if sum != format!("{:08x}\n", crc32fast::hash(&bytes[..summed])) {
        return Err(Damage::Sum);
    }
    let count = lines.lines().count().saturating_sub(1);
    let numbered = lines.lines().take(count).zip(2..);
    let record = |(text, line): (&str, usize)| {
        let read: Result<Line, _> = serde_json::from_str(text);
        let record = read.map_err(NoAlert::from).and_then(|it| it.record(now));
        record.map_err(|why| Damage::Alert { line, why })
    };
    numbered.map(record).collect()
}

impl Line {
    fn of(Record { alert, told }: &Record, now: Timestamp) -> Self {
        let (left_seconds, ended) = match alert.course {
            Course::Standing { until } => (Some(until.duration_since(now).as_secs().max(0)), None),
            Course::Ended { at } => (None, Some(at.to_string())),
        };
        Self {
            target: alert.id.target.to_string(),
            limit: alert.id.limit.key(),
            labels: (*alert.labels).clone(),
            annotations: alert.annotations.clone(),
            page: alert.generator_url.as_deref().map(str::to_owned),
            starts: alert.starts.to_string(),
            left_seconds,
            ended,
            told: told.clone(),
        }
    }

    fn record(self, now: Timestamp) -> Result<Record, NoAlert> {
        let limit = LimitId::of_key(&self.limit).ok_or(NoAlert::Limit(self.limit))?;
        let course = match (self.left_seconds, self.ended) {
            (Some(left), None) => {
                Course::Standing { until: now.checked_add(SignedDuration::from_secs(left))? }
            }
            (None, Some(at)) => Course::Ended { at: at.parse()? },
            _ => return Err(NoAlert::Course),
        };
        let alert = Alert {
            id: AlertId { target: self.target.into(), limit },
            labels: Arc::new(self.labels),
            annotations: self.annotations,
            generator_url: self.page.map(Arc::from),
            starts: self.starts.parse()?,
            course,
        };
        Ok(Record { alert, told: self.told })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(course: Course) -> Record {
        let labels = [("a".to_owned(), "\"b\"\n".to_owned())];
        let alert = Alert {
            id: AlertId {
                target: "up sum 1".into(),
                limit: LimitId::of_key("HWThreshMaxO").unwrap(),
            },
            labels: Arc::new(labels.clone().into()),
            annotations: labels.into(),
            generator_url: Some("http://h/t/up".into()),
            starts: "2026-01-02T03:04:05.5Z".parse().unwrap(),
            course,
        };
        Record { alert, told: vec![7] }
    }

    #[test]
    fn alerts_stand_after_a_break_as_long_as_they_would_have() {
        let [now, later]: [Timestamp; 2] =
            ["2026-01-02T03:05:00Z", "2026-01-03T00:00:00Z"].map(|text| text.parse().unwrap());
        let minute = SignedDuration::from_mins(1);
        let (stands, ended) =
            (record(Course::Standing { until: now + minute }), record(Course::Ended { at: now }));
        let text = text(&[stands, ended], now).unwrap();
        let read = read(text.as_bytes(), later).unwrap();
        assert_eq!(read[0].alert, record(Course::Standing { until: later + minute }).alert);
        assert_eq!(read[1].alert, record(Course::Ended { at: now }).alert);
        assert_eq!((read.len(), &read[0].told[..]), (2, &[7][..]));
    }

    #[test]
    fn a_file_that_is_not_whole_says_where() {
        let now = Timestamp::UNIX_EPOCH;
        let words = |bytes: &[u8]| read(bytes, now).map(|_| ()).unwrap_err().to_string();
        let whole = text(&[record(Course::Ended { at: now })], now).unwrap();
        assert_eq!(words(b"\xff"), "expected text, found other bytes");
        assert_eq!(words(b"gyre limits 1\n"), "line 1: expected \"gyre alerts 1\"");
        for cut in HEADING.len() + 1..whole.len() {
            let cut = &whole.as_bytes()[..cut];
            assert!(words(cut).starts_with("expected `sum`"), "{}", words(cut));
        }
        let summed = |text: &str| format!("{text}sum {:08x}\n", crc32fast::hash(text.as_bytes()));
        assert!(words(summed("gyre alerts 1\n{}\n").as_bytes()).starts_with("line 2: expected an"));
        let (alert, _) = whole.rsplit_once("sum ").unwrap();
        let odd = summed(&alert.replace("HWThreshMaxO", "ThreshMaxX"));
        let expected = "line 2: expected an alert: no key of a limit: \"ThreshMaxX\"";
        assert_eq!(words(odd.as_bytes()), expected);
    }
}
