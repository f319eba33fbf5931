//! The mrtg.cfg of a demo.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use simnet::{MrtgSettings, MrtgVersion, SimulatedNetwork};

use super::machine::Machine;
use super::rows::{COARSE_ROWS, StepRows};
use super::scale::{Scale, target_names};

/// The first lines.
const HEAD: &str = "\
# Written by gyre demo. Run it with
#     gyre run THIS_FILE
# as long as the demo's devices answer.
";

/// Writes the file.
pub(super) fn write(
    out: &mut impl io::Write,
    network: &SimulatedNetwork,
    machine: Option<&Machine>,
    directory: &Path,
    scale: Scale,
) -> io::Result<()> {
    let quick = &network.devices()[..scale.quick_devices as usize];
    let quick_names: Vec<String> = quick.iter().flat_map(target_names).collect();
    let rows = StepRows::new(quick_names.len() as u64, scale.quick_interval);
    let mut more = machine.map_or_else(String::new, |machine| machine.targets(rows.day));
    if scale.has_slow() {
        let of_machine = machine.map(Machine::target_names).unwrap_or_default();
        let all = of_machine.iter().chain(&quick_names);
        let seconds = scale.quick_interval.as_secs();
        more += &lines(all, "gyre*Interval", format_args!("{seconds}s"));
        let hourly = quick_names.iter().skip(rows.day_targets as usize);
        more += &lines(hourly, "RRDRowCount", format_args!("{}", rows.hour));
    }
    if rows.day > rows.hour {
        let daily = quick_names.iter().take(rows.day_targets as usize);
        more += &lines(daily, "RRDRowCount", format_args!("{}", rows.day));
    }
    let usual_rows = match scale.has_slow() {
        true => StepRows::of_a_day(scale.slow_interval),
        false => rows.hour,
    };
    let work_directory = directory.to_string_lossy().into_owned();
    let interval = scale.slow_interval;
    let settings = MrtgSettings { work_directory, interval, more, with_sites: true };
    write!(out, "{HEAD}\n{}\n", defaults(usual_rows))?;
    network.write_mrtg_config(out, &settings, MrtgVersion::V2c)
}

/// A line of a key for each target.
fn lines<'a>(
    names: impl Iterator<Item = &'a String>,
    key: &str,
    value: std::fmt::Arguments<'_>,
) -> String {
    let mut text = String::new();
    for name in names {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key}[{name}]: {value}");
    }
    text
}

fn defaults(step_rows: u64) -> String {
    format!(
        "RRDRowCount[_]: {step_rows}\nRRDRowCount30m[_]: {COARSE_ROWS}\n\
         RRDRowCount2h[_]: {COARSE_ROWS}\nRRDRowCount1d[_]: {COARSE_ROWS}\n"
    )
}
