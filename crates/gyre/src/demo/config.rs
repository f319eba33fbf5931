//! The mrtg.cfg of a demo.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use simnet::{MrtgSettings, Role, SimulatedNetwork};

use super::machine::Machine;
use super::rows::{COARSE_ROWS, StepRows};

/// The first lines.
const HEAD: &str = "\
# Written by gyre demo. Run it with
#     gyre run THIS_FILE
# as long as the demo's devices answer.
";

/// The text of the file.
pub(super) fn text(
    network: &SimulatedNetwork,
    machine: Option<&Machine>,
    directory: &Path,
    interval: Duration,
) -> String {
    let names = target_names(network);
    let rows = StepRows::new(names.len() as u64, interval);
    let mut more = String::new();
    let day_targets = names.iter().take(rows.day_targets as usize);
    for name in day_targets.filter(|_| rows.day > rows.hour) {
        // Writing to a string cannot fail.
        let _ = writeln!(more, "RRDRowCount[{name}]: {}", rows.day);
    }
    more += &machine.map_or_else(String::new, |machine| machine.targets(rows.day));
    let work_directory = directory.to_string_lossy().into_owned();
    let settings = MrtgSettings { work_directory, interval, more };
    format!("{HEAD}\n{}\n{}", defaults(rows.hour), network.mrtg_config(&settings))
}

fn defaults(step_rows: u64) -> String {
    format!(
        "RRDRowCount[_]: {step_rows}\nRRDRowCount30m[_]: {COARSE_ROWS}\n\
         RRDRowCount2h[_]: {COARSE_ROWS}\nRRDRowCount1d[_]: {COARSE_ROWS}\n"
    )
}

/// The names of the targets in the simulated network's configuration.
fn target_names(network: &SimulatedNetwork) -> Vec<String> {
    let devices = network.devices().iter();
    let ports = devices.flat_map(|device| device.ports().map(move |port| (device, port)));
    let used = ports.filter(|(_, port)| port.role != Role::Down);
    used.map(|(device, port)| format!("{}_{}", device.name, port.index)).collect()
}
