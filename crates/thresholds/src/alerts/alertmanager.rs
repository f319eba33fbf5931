//! What is posted to `/api/v2/alerts` of an Alertmanager.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::alert::Alert;

/// The path below an Alertmanager's address.
pub const PATH: &str = "/api/v2/alerts";

/// The most alerts of one request, as of Prometheus.
pub const ALERTS_AT_ONCE: usize = 256;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Posted<'a> {
    labels: &'a BTreeMap<String, String>,
    annotations: &'a BTreeMap<String, String>,
    starts_at: String,
    /// For one that stands, when Alertmanager is to end it if it hears no more of it.
    ends_at: String,
    #[serde(rename = "generatorURL", skip_serializing_if = "Option::is_none")]
    generator_url: Option<&'a str>,
}

/// The body of a request.
///
/// # Errors
///
/// Those of JSON: none with texts alone.
pub fn body(alerts: &[Arc<Alert>]) -> serde_json::Result<Vec<u8>> {
    let posted = alerts.iter().map(|alert| Posted {
        labels: &alert.labels,
        annotations: &alert.annotations,
        starts_at: alert.starts.to_string(),
        ends_at: alert.ends().to_string(),
        generator_url: alert.generator_url.as_deref(),
    });
    serde_json::to_vec(&posted.collect::<Vec<_>>())
}
