//! A rule as a file writes it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A rule as a file writes it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub(crate) series: Option<String>,
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) drop: bool,
    pub(crate) step: Option<Span>,
    pub(crate) heartbeat: Option<Span>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) archives: Option<Vec<String>>,
}

impl Written {
    /// Whether it says something of a layout.
    pub(crate) fn has_layout(&self) -> bool {
        let numbers = self.min.is_some() || self.max.is_some();
        let spans = self.step.is_some() || self.heartbeat.is_some();
        numbers || spans || self.kind.is_some() || self.archives.is_some()
    }
}

/// A number or a text of TOML.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Span {
    Text(String),
    Seconds(u64),
    Fraction(f64),
}

impl Span {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Seconds(seconds) => seconds.to_string(),
            Self::Fraction(seconds) => seconds.to_string(),
        }
    }
}
