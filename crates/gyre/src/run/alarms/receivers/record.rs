//! The file of alerts: lines of text.
//!
//! ```text
//! gyre alerts 1
//! {"target":"uplink","limit":"ThreshMaxI","labels":{…},…,"until":"2026-…","told":[305419896]}
//! sum 5d41402a
//! ```
//!
//! The sum, CRC-32 of the bytes before its line, shows that the file is whole.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;
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
    /// Of one that stands, until when it does so without being confirmed.
    until: Option<String>,
    /// Of one that does not, since when.
    ended: Option<String>,
    told: Vec<u32>,
}

/// The file's text.
pub(super) fn text(records: &[Record]) -> serde_json::Result<String> {
    let mut text = format!("{HEADING}\n");
    for record in records {
        text += &serde_json::to_string(&Line::of(record))?;
        text.push('\n');
    }
    let sum = crc32fast::hash(text.as_bytes());
    let _ = writeln!(text, "sum {sum:08x}"); // a String takes all
    Ok(text)
}

/// Reads a file's bytes. Alerts that would have ended by themselves end now, so that receivers are
/// still told.
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
    fn of(Record { alert, told }: &Record) -> Self {
        let (until, ended) = match alert.course {
            Course::Standing { until } => (Some(until.to_string()), None),
            Course::Ended { at } => (None, Some(at.to_string())),
        };
        Self {
            target: alert.id.target.to_string(),
            limit: alert.id.limit.key(),
            labels: (*alert.labels).clone(),
            annotations: alert.annotations.clone(),
            page: alert.generator_url.as_deref().map(str::to_owned),
            starts: alert.starts.to_string(),
            until,
            ended,
            told: told.clone(),
        }
    }

    fn record(self, now: Timestamp) -> Result<Record, NoAlert> {
        let limit = LimitId::of_key(&self.limit).ok_or(NoAlert::Limit(self.limit))?;
        let course = match (self.until, self.ended) {
            (Some(until), None) => Course::Standing { until: until.parse::<Timestamp>()?.max(now) },
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
    fn an_alert_stands_after_a_break_as_long_as_it_would_have() {
        let [now, until, later]: [Timestamp; 3] =
            ["2026-01-02T03:05:00Z", "2026-01-02T03:09:00.25Z", "2026-01-03T00:00:00Z"]
                .map(|text| text.parse().unwrap());
        let text =
            text(&[record(Course::Standing { until }), record(Course::Ended { at: now })]).unwrap();
        for (read_at, expected) in [(now, until), (later, later)] {
            let read = read(text.as_bytes(), read_at).unwrap();
            assert_eq!(read[0].alert, record(Course::Standing { until: expected }).alert);
            assert_eq!(read[1].alert, record(Course::Ended { at: now }).alert);
            assert_eq!((read.len(), &read[0].told[..]), (2, &[7][..]));
        }
    }

    #[test]
    fn a_file_that_is_not_whole_says_where() {
        let now = Timestamp::UNIX_EPOCH;
        let words = |bytes: &[u8]| read(bytes, now).map(|_| ()).unwrap_err().to_string();
        let whole = text(&[record(Course::Ended { at: now })]).unwrap();
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
