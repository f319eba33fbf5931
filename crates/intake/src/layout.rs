//! What the databases of agents' series are.

use crate::written::{Span, Written};
use rrd::Definition;
use rrd::spec::{self, SpecError, Units};
use senders::{Kind, VALUE};

/// Where nobody says otherwise: agents send every ten seconds to a minute, and six thousand rows
/// are 50 kB.
const STEP: &str = "60";
const HEARTBEAT: &str = "10m";
const ARCHIVES: [&str; 4] = [
    "RRA:AVERAGE:0.5:1m:1d",
    "RRA:AVERAGE:0.5:10m:2w",
    "RRA:AVERAGE:0.5:1h:90d",
    "RRA:AVERAGE:0.5:1d:2y",
];

/// How to make the database of a series.
#[derive(Clone, Debug)]
pub struct Layout {
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
        let text =
            |span: &Option<Span>, usual: &str| span.as_ref().map_or(usual.into(), Span::text);
        let limit = |limit: Option<f64>| limit.map_or("U".to_owned(), |limit| limit.to_string());
        let archives = written.archives.clone();
        let layout = Self {
            units: Units::of_step(&text(&written.step, STEP), None)?,
            heartbeat: text(&written.heartbeat, HEARTBEAT),
            kind: written.kind.clone(),
            range: format!("{}:{}", limit(written.min), limit(written.max)),
            archives: archives.unwrap_or_else(|| ARCHIVES.map(str::to_owned).to_vec()),
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
        self.sources(sources).into_iter().chain(self.archives.iter().cloned()).collect()
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

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Gauge => "GAUGE",
        Kind::Counter => "COUNTER",
        Kind::Derive => "DERIVE",
        Kind::Absolute => "ABSOLUTE",
    }
}
