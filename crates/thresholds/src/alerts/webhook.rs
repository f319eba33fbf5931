//! What Alertmanager posts to a webhook: format version 4.
//!
//! A message is about a group of alerts. It has all of them that stand, and those that ended since
//! the last message.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::alert::Alert;

/// The labels by which alerts are grouped.
pub const GROUP_BY: [&str; 2] = ["alertname", "device"];

/// What messages call the receiver.
pub const RECEIVER: &str = "gyre";

/// The most alerts in a message; more are told in several.
pub const ALERTS_MAX: usize = 500;

/// The end of an alert that stands: Go's zero time.
const NO_END: &str = "0001-01-01T00:00:00Z";

type Labels = BTreeMap<String, String>;

/// Alerts with the same [`GROUP_BY`] labels, one of which is due.
#[derive(Clone, Debug)]
pub struct Group {
    labels: Labels,
    /// Whether one of the whole group stands. All parts of a group tell the same, for a receiver
    /// knows them as one by their key.
    stands: bool,
    /// In the order of targets.
    pub alerts: Vec<Arc<Alert>>,
}

impl Group {
    /// The groups of alerts that are due, each with all its alerts that stand. A large one is parted:
    /// each part has a message.
    #[must_use]
    pub fn all(due: &[Arc<Alert>], alerts: &[Arc<Alert>]) -> Vec<Self> {
        let mut groups: BTreeMap<Labels, Vec<Arc<Alert>>> = BTreeMap::new();
        for alert in due.iter().filter(|alert| !alert.stands()) {
            groups.entry(group_of(alert)).or_default().push(alert.clone());
        }
        for alert in due.iter().filter(|alert| alert.stands()) {
            groups.entry(group_of(alert)).or_default();
        }
        for alert in alerts.iter().filter(|alert| alert.stands()) {
            if let Some(group) = groups.get_mut(&group_of(alert)) {
                group.push(alert.clone());
            }
        }
        let parts = groups.into_iter().flat_map(|(labels, mut alerts)| {
            alerts.sort_by(|left, right| left.id.cmp(&right.id));
            let stands = alerts.iter().any(|alert| alert.stands());
            let parts: Vec<Vec<_>> = alerts.chunks(ALERTS_MAX).map(<[_]>::to_vec).collect();
            parts.into_iter().map(move |alerts| Self { labels: labels.clone(), stands, alerts })
        });
        parts.collect()
    }

    /// The same in two messages, of half of the alerts each; `None` if it has one alone.
    #[must_use]
    pub fn halves(&self) -> Option<[Self; 2]> {
        let (first, second) = self.alerts.split_at_checked(self.alerts.len() / 2)?;
        let part = |alerts: &[Arc<Alert>]| Self { alerts: alerts.into(), ..self.clone() };
        (!first.is_empty()).then(|| [part(first), part(second)])
    }

    /// The body of its message. `external_url` is where people look for more.
    ///
    /// # Errors
    ///
    /// Those of JSON: none with texts alone.
    pub fn body(&self, external_url: &str) -> serde_json::Result<Vec<u8>> {
        let shown = &self.alerts;
        serde_json::to_vec(&Message {
            receiver: RECEIVER,
            status: status(self.stands),
            alerts: shown.iter().map(|alert| Told::of(alert)).collect(),
            group_labels: &self.labels,
            common_labels: common(shown.iter().map(|alert| &*alert.labels)),
            common_annotations: common(shown.iter().map(|alert| &alert.annotations)),
            external_url,
            version: "4",
            group_key: format!("{{}}:{}", in_braces(&self.labels)),
            truncated_alerts: 0,
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    receiver: &'a str,
    status: &'a str,
    alerts: Vec<Told<'a>>,
    group_labels: &'a Labels,
    common_labels: Labels,
    common_annotations: Labels,
    #[serde(rename = "externalURL")]
    external_url: &'a str,
    version: &'a str,
    group_key: String,
    truncated_alerts: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    status: &'a str,
    labels: &'a Labels,
    annotations: &'a Labels,
    starts_at: String,
    ends_at: String,
    #[serde(rename = "generatorURL")]
    generator_url: &'a str,
    fingerprint: String,
}

impl<'a> Told<'a> {
    fn of(alert: &'a Alert) -> Self {
        Self {
            status: status(alert.stands()),
            labels: &alert.labels,
            annotations: &alert.annotations,
            starts_at: alert.starts.to_string(),
            ends_at: match alert.stands() {
                true => NO_END.to_owned(),
                false => alert.ends().to_string(),
            },
            generator_url: alert.generator_url.as_deref().unwrap_or_default(),
            fingerprint: format!("{:016x}", fingerprint(&alert.labels)),
        }
    }
}

const fn status(stands: bool) -> &'static str {
    if stands { "firing" } else { "resolved" }
}

fn group_of(alert: &Alert) -> Labels {
    let of = |name: &str| Some((name.to_owned(), alert.labels.get(name)?.clone()));
    GROUP_BY.into_iter().filter_map(of).collect()
}

/// What all have with the same value.
fn common<'a>(mut all: impl Iterator<Item = &'a Labels>) -> Labels {
    let mut common = all.next().cloned().unwrap_or_default();
    for one in all {
        common.retain(|name, value| one.get(name) == Some(value));
    }
    common
}

/// `{name="value", ...}`, as Prometheus writes labels.
fn in_braces(labels: &Labels) -> String {
    let each = labels.iter().map(|(name, value)| format!("{name}={value:?}"));
    format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
}

/// The hash by which Prometheus' programs know labels again: FNV-1a of names and values, each with a
/// byte of ones behind it.
fn fingerprint(labels: &Labels) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let texts = labels.iter().flat_map(|(name, value)| [name, value]);
    let bytes = texts.flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}
