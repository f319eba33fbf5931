//! The lines that a network prints.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use simnet::{Device, SimulatedNetwork};

use super::arguments::Arguments;

/// Prints lines in words or as JSON.
pub(super) struct Report<'a> {
    pub(super) network: &'a SimulatedNetwork,
    pub(super) arguments: &'a Arguments,
    pub(super) started: Instant,
}

impl Report<'_> {
    /// The line that says that all devices answer.
    pub(super) fn started(&self) -> String {
        let Arguments { devices, ports, .. } = self.arguments;
        let address = |device: Option<&Device>| device.map(|device| device.address.to_string());
        let devices_in_order = self.network.devices();
        let (first, last) = (address(devices_in_order.first()), address(devices_in_order.last()));
        if self.arguments.is_json {
            return line(&json!({
                "state": "running", "devices": devices, "ports": ports,
                "first": first, "last": last,
            }));
        }
        let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
        format!("{devices} devices of {ports} ports answer SNMP from {first} to {last}\n")
    }

    /// What was done so far.
    pub(super) fn status(&self, state: &str) -> String {
        let (tally, used_seconds) = (self.network.tally(), processor_time().as_secs_f64());
        let seconds = self.started.elapsed().as_secs_f64();
        if self.arguments.is_json {
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
        match self.arguments.is_json {
            true => line(&json!({ "devices": devices })),
            false => format!("ok: {}\n", figures::some(devices as u64, "device", "devices")),
        }
    }

    /// The answer to a command that cannot be understood.
    pub(super) fn refused(&self, reason: &impl std::fmt::Display) -> String {
        match self.arguments.is_json {
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
