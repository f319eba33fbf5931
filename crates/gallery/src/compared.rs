//! What the comparison of one graph found.

use serde::Serialize;

/// What the comparison of one graph found.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    pub(crate) name: &'static str,
    /// What the programs said where they drew nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) refusals: Vec<String>,
    pub(crate) same_size: bool,
    pub(crate) same_print: bool,
    /// The share of pixels that differ visibly.
    pub(crate) differing: f64,
    pub(crate) rrdtool_ms: f64,
    pub(crate) gyre_ms: f64,
    pub(crate) rrdtool_bytes: u64,
    pub(crate) gyre_bytes: u64,
}

impl Compared {
    /// The line of one graph.
    pub(crate) fn line(&self) -> String {
        let yes_or = |is: bool, no: &str| if is { "same".to_owned() } else { no.to_owned() };
        match &self.refusals[..] {
            [] => format!(
                "{:<30} size {:<6} print {:<6} {:>5.1}% differ  {:>8.2} ms {:>8.2} ms  {:>4.1}x  {:>7} {:>7} bytes",
                self.name,
                yes_or(self.same_size, "other"),
                yes_or(self.same_print, "other"),
                self.differing * 100.0,
                self.rrdtool_ms,
                self.gyre_ms,
                self.rrdtool_ms / self.gyre_ms,
                self.rrdtool_bytes,
                self.gyre_bytes,
            ),
            refusals => format!("{:<30} {}", self.name, refusals.join("; ")),
        }
    }
}
