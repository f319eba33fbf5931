//! The lines that a network prints.

use std::fmt::Display;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use simnet::{Device, Rule, SimulatedNetwork};

use super::arguments::LINE;

/// Prints lines in words or as JSON.
pub(super) struct Report {
    pub(super) is_json: bool,
    pub(super) ports: u32,
    pub(super) started: Instant,
}

impl Report {
    /// The line that says that all devices answer.
    pub(super) fn started(&self, network: &SimulatedNetwork) -> String {
        let address = |device: Option<&Device>| device.map(|device| device.address.to_string());
        let all = network.devices();
        let (devices, ports) = (all.len(), self.ports);
        let (first, last) = (address(all.first()), address(all.last()));
        if self.is_json {
            return line(&json!({
                "state": "running", "devices": devices, "ports": ports,
                "first": first, "last": last,
            }));
        }
        let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
        format!("{devices} devices of {ports} ports answer SNMP from {first} to {last}\n")
    }

    /// What was done so far.
    pub(super) fn status(&self, network: &SimulatedNetwork, state: &str) -> String {
        let (tally, used_seconds) = (network.tally(), processor_time().as_secs_f64());
        let seconds = self.started.elapsed().as_secs_f64();
        if self.is_json {
            let mut object = Map::new();
            object.insert("state".into(), state.into());
            object.insert("seconds".into(), seconds.into());
            object.insert("processor_seconds".into(), used_seconds.into());
            let counts = tally.named().map(|(name, count)| (name.to_owned(), count.into()));
            object.extend(counts);
            return line(&Value::Object(object));
        }
        let counts = tally.named().into_iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(name, count)| format!("{} {}", name.replace('_', "-"), figures::count(count)))
            .collect();
        let counts = if counts.is_empty() { "nothing asked".to_owned() } else { counts.join(", ") };
        format!("{state} after {seconds:.1} s, {used_seconds:.2} s of processor time: {counts}\n")
    }

    /// The answer to a command that meant so many devices.
    pub(super) fn done(&self, devices: usize) -> String {
        match self.is_json {
            true => line(&json!({ "devices": devices })),
            false => format!("ok: {}\n", figures::some(devices as u64, "device", "devices")),
        }
    }

    /// The answer to `list`.
    pub(super) fn faults(&self, rules: &[Rule]) -> String {
        let rules: Vec<String> = rules.iter().map(Rule::to_string).collect();
        if self.is_json {
            return line(&json!({ "faults": rules }));
        }
        let count = figures::some(rules.len() as u64, "fault", "faults");
        rules.into_iter().map(|rule| rule + "\n").chain([format!("ok: {count}\n")]).collect()
    }

    /// The answer to `help`.
    pub(super) fn help(&self) -> String {
        match self.is_json {
            true => line(&json!({ "help": LINE.notes })),
            false => format!("{}ok: that is all\n", LINE.notes),
        }
    }

    /// The answer to a command that cannot be understood.
    pub(super) fn refused(&self, reason: &impl Display) -> String {
        match self.is_json {
            true => line(&json!({ "error": reason.to_string() })),
            false => format!("error: {reason}\n"),
        }
    }
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// What this process has used since it started.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(used).unwrap_or_default()
}
