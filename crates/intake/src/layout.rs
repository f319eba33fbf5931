//! What the databases of agents' series are.

use crate::written::{Span, Written};
use rrd::Definition;
use rrd::spec::{self, SpecError, Units};
use senders::{Kind, VALUE};

/// Where nobody says otherwise: agents send every ten seconds to a minute.
const STEP: &str = "60";
/// So many steps a sender may be silent for.
const HEARTBEAT_STEPS: u64 = 10;
/// The rows of the finest archive: a day of a minute's or of ten seconds' steps.
const FINEST_ROWS_MAX: u64 = 8640;
/// Resolution and span of the others, in seconds: ten minutes for two weeks, an hour for ninety
/// days, a day for two years. With a step of a minute all are 50 kB.
const COARSER_SECONDS: [(u64, u64); 3] =
    [(600, 14 * 86400), (3600, 90 * 86400), (86400, 730 * 86400)];

/// How to make the database of a series.
#[derive(Clone, Debug)]
pub struct Layout {
    step: String,
    units: Units,
    heartbeat: String,
    kind: Option<String>,
    range: String,
    archives: Vec<String>,
}

impl Default for Layout {
    fn default() -> Self {
        Self::new(&Written::default()).expect("the usual layout is right")
    }
}

impl Layout {
    pub(crate) fn new(written: &Written) -> Result<Self, SpecError> {
        let limit = |limit: Option<f64>| limit.map_or("U".to_owned(), |limit| limit.to_string());
        let step = written.step.as_ref().map_or(STEP.into(), Span::text);
        let units = Units::of_step(&step, None)?;
        let heartbeat = written.heartbeat.as_ref().map(Span::text);
        let archives = written.archives.clone();
        let layout = Self {
            heartbeat: heartbeat.unwrap_or_else(|| usual_heartbeat(units)),
            kind: written.kind.clone(),
            range: format!("{}:{}", limit(written.min), limit(written.max)),
            archives: archives.unwrap_or_else(|| usual_archives(units)),
            units,
            step,
        };
        layout.definition(&[(VALUE, Kind::Gauge)])?;
        Ok(layout)
    }

    /// The definition of a database with these sources.
    ///
    /// # Errors
    ///
    /// A source cannot have its name, or there is none.
    pub fn definition(&self, sources: &[(&str, Kind)]) -> Result<Definition, SpecError> {
        let sources = self.sources(sources);
        let words = sources.iter().chain(&self.archives).map(String::as_str);
        spec::definition_in(self.units, words)
    }

    /// The arguments of `rrdtool create` that make such a database.
    #[must_use]
    pub fn arguments(&self, sources: &[(&str, Kind)]) -> Vec<String> {
        let step = ["--step".to_owned(), self.step.clone()];
        let sources = self.sources(sources);
        step.into_iter().chain(sources).chain(self.archives.iter().cloned()).collect()
    }

    fn sources(&self, sources: &[(&str, Kind)]) -> Vec<String> {
        let Self { heartbeat, kind, range, .. } = self;
        let source = |(name, sent): &(&str, Kind)| {
            let kind = kind.as_deref().unwrap_or_else(|| word(*sent));
            format!("DS:{name}:{kind}:{heartbeat}:{range}")
        };
        sources.iter().map(source).collect()
    }
}

fn usual_heartbeat(units: Units) -> String {
    let ticks = units.step_ticks.saturating_mul(HEARTBEAT_STEPS);
    (ticks as f64 / f64::from(units.tick.per_second())).to_string()
}

/// A day of the step itself, and coarser archives for longer, in whole steps.
fn usual_archives(units: Units) -> Vec<String> {
    let ticks = |seconds: u64| seconds.saturating_mul(units.tick.per_second().into());
    let rows = |span_seconds: u64, steps: u64| {
        ticks(span_seconds).div_ceil(units.step_ticks.saturating_mul(steps).max(1))
    };
    let finest = (1, rows(86400, 1).min(FINEST_ROWS_MAX));
    let coarser = COARSER_SECONDS.map(|(resolution_seconds, span_seconds)| {
        let steps = ticks(resolution_seconds).div_ceil(units.step_ticks.max(1));
        (steps, rows(span_seconds, steps))
    });
    let mut archives = vec![finest];
    archives.extend(coarser.into_iter().filter(|(steps, _)| *steps > 1));
    archives.iter().map(|(steps, rows)| format!("RRA:AVERAGE:0.5:{steps}:{rows}")).collect()
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Gauge => "GAUGE",
        Kind::Counter => "COUNTER",
        Kind::Derive => "DERIVE",
        Kind::Absolute => "ABSOLUTE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual(step: &str) -> Vec<String> {
        let layout =
            Layout::new(&Written { step: Some(Span::Text(step.into())), ..Written::default() });
        layout.unwrap().arguments(&[(VALUE, Kind::Gauge)])
    }

    #[test]
    fn what_a_rule_does_not_say_follows_its_step() {
        let words = |heartbeat: &str, archives: &[&str], step: &str| {
            let source = format!("DS:value:GAUGE:{heartbeat}:U:U");
            let words = ["--step", step, &source].map(str::to_owned);
            let archives = archives.iter().map(|it| format!("RRA:AVERAGE:0.5:{it}"));
            words.into_iter().chain(archives).collect::<Vec<_>>()
        };
        let minute = ["1:1440", "10:2016", "60:2160", "1440:730"];
        assert_eq!(usual("60"), words("600", &minute, "60"));
        let ten_seconds = ["1:8640", "60:2016", "360:2160", "8640:730"];
        assert_eq!(usual("10s"), words("100", &ten_seconds, "10s"));
        let tenth = ["1:8640", "6000:2016", "36000:2160", "864000:730"];
        assert_eq!(usual("0.1"), words("1", &tenth, "0.1"));
        assert_eq!(usual("1h"), words("36000", &["1:24", "24:730"], "1h"));
    }
}
