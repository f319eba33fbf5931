//! The text formats of Prometheus and OpenMetrics.
//!
//! ```text
//! # HELP gyre_polls Polls of devices by their outcome.        (gyre_polls_total in Prometheus)
//! # TYPE gyre_polls counter
//! gyre_polls_total{outcome="answered"} 1027
//! # EOF                                                       (OpenMetrics alone)
//! ```

use std::fmt::{Display, Write as _};

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

use crate::Histogram;

/// Which of the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Prometheus's text format 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.
    OpenMetrics,
}

impl Dialect {
    /// The dialect that a scraper asks for by its `Accept`.
    pub(crate) fn asked_by(headers: &HeaderMap) -> Self {
        let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
        match accept.unwrap_or_default().contains("application/openmetrics-text") {
            true => Self::OpenMetrics,
            false => Self::Prometheus,
        }
    }

    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// The kinds of metrics in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Counter,
    Gauge,
}

/// Labels of a sample, with their values.
pub(crate) type Labels<'a> = &'a [(&'a str, &'a str)];

/// Metrics as text.
#[derive(Debug)]
pub(crate) struct Exposition {
    dialect: Dialect,
    text: String,
}

impl Exposition {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self { dialect, text: String::new() }
    }

    /// A metric without labels.
    pub(crate) fn single(&mut self, kind: Kind, name: &str, help: &str, value: impl Display) {
        self.family(kind, name, help).sample(&[], value);
    }

    /// Begins a metric; its samples follow. The name of a counter is without `_total`.
    pub(crate) fn family(&mut self, kind: Kind, name: &str, help: &str) -> Family<'_> {
        let (word, suffix) = match kind {
            Kind::Counter => ("counter", "_total"),
            Kind::Gauge => ("gauge", ""),
        };
        let sample_name = format!("{name}{suffix}");
        match self.dialect {
            Dialect::Prometheus => self.head(&sample_name, word, help),
            Dialect::OpenMetrics => self.head(name, word, help),
        }
        Family { text: &mut self.text, sample_name }
    }

    /// A histogram of durations.
    pub(crate) fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.head(name, "histogram", help);
        let count = histogram.count();
        for (bound, up_to) in histogram.up_to_bounds() {
            // `Debug` writes 1.0 where `Display` writes 1: OpenMetrics wants a fraction.
            put_sample(
                &mut self.text,
                &format!("{name}_bucket"),
                &[("le", &format!("{bound:?}"))],
                up_to,
            );
        }
        put_sample(&mut self.text, &format!("{name}_bucket"), &[("le", "+Inf")], count);
        put_sample(&mut self.text, &format!("{name}_sum"), &[], histogram.sum_seconds());
        put_sample(&mut self.text, &format!("{name}_count"), &[], count);
    }

    /// The whole text.
    pub(crate) fn end(mut self) -> String {
        if self.dialect == Dialect::OpenMetrics {
            self.text.push_str("# EOF\n");
        }
        self.text
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        if self.dialect == Dialect::OpenMetrics
            && let Some(unit) = ["seconds", "bytes"].into_iter().find(|unit| name.ends_with(unit))
        {
            let _ = writeln!(self.text, "# UNIT {name} {unit}");
        }
    }
}

/// A metric whose samples are being written.
pub(crate) struct Family<'a> {
    text: &'a mut String,
    sample_name: String,
}

impl Family<'_> {
    pub(crate) fn sample(&mut self, labels: Labels<'_>, value: impl Display) {
        put_sample(self.text, &self.sample_name, labels, value);
    }
}

fn put_sample(text: &mut String, name: &str, labels: Labels<'_>, value: impl Display) {
    text.push_str(name);
    for (nth, (label, value)) in labels.iter().enumerate() {
        text.push(if nth == 0 { '{' } else { ',' });
        text.push_str(label);
        text.push_str("=\"");
        put_escaped(text, value);
        text.push('"');
    }
    if !labels.is_empty() {
        text.push('}');
    }
    let _ = writeln!(text, " {value}");
}

fn put_escaped(text: &mut String, value: &str) {
    for letter in value.chars() {
        match letter {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dialect: Dialect) -> String {
        let mut exposition = Exposition::new(dialect);
        let mut family = exposition.family(Kind::Counter, "a_bytes", "All of it.");
        family.sample(&[("of", "x\\\"\ny"), ("to", "")], 7);
        exposition.single(Kind::Gauge, "b", "Half.", 0.5);
        exposition.end()
    }

    #[test]
    fn a_counter_is_called_as_its_dialect_wants() {
        let expected = "# HELP a_bytes_total All of it.\n# TYPE a_bytes_total counter\n\
             a_bytes_total{of=\"x\\\\\\\"\\ny\",to=\"\"} 7\n# HELP b Half.\n# TYPE b gauge\nb 0.5\n";
        assert_eq!(written(Dialect::Prometheus), expected);
        let expected = "# HELP a_bytes All of it.\n# TYPE a_bytes counter\n# UNIT a_bytes bytes\n\
             a_bytes_total{of=\"x\\\\\\\"\\ny\",to=\"\"} 7\n# HELP b Half.\n# TYPE b gauge\nb 0.5\n\
             # EOF\n";
        assert_eq!(written(Dialect::OpenMetrics), expected);
    }

    #[test]
    fn buckets_count_all_that_is_not_longer() {
        let mut histogram = Histogram::default();
        [0.01, 0.2, 1000.0].into_iter().for_each(|seconds| histogram.add(seconds));
        let mut exposition = Exposition::new(Dialect::Prometheus);
        exposition.histogram("h", "Spans.", &histogram);
        let text = exposition.end();
        for line in [
            "h_bucket{le=\"0.01\"} 1",
            "h_bucket{le=\"0.5\"} 2",
            "h_bucket{le=\"1.0\"} 2",
            "h_bucket{le=\"300.0\"} 2",
            "h_bucket{le=\"+Inf\"} 3",
            "h_sum 1000.21",
            "h_count 3",
        ] {
            assert!(text.lines().any(|each| each == line), "{line} in\n{text}");
        }
    }
}
