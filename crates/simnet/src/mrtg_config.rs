//! The mrtg.cfg of a simulated network, as cfgmaker would write it for the real one.

use crate::topology::{Device, Health, Port, Role};
use std::fmt::Write;
use std::time::Duration;

/// The settings of the file other than the network's own devices.
#[derive(Debug, Clone)]
pub struct MrtgSettings {
    /// `WorkDir`: the directory of the databases.
    pub work_directory: String,
    /// `Interval`, whole seconds.
    pub interval: Duration,
    /// Lines for the end of the file, such as the targets of another device.
    pub more: String,
}

/// Options of every target: graphs run from left to right, in bits.
const OPTIONS: &str = "growright, bits";
/// Timeout in seconds, tries, backoff and version: a dead device must not use up a short interval.
const SNMP_OPTIONS: &str = "1:3:1:2";

/// The whole file.
pub(crate) fn write(devices: &[Device], settings: &MrtgSettings) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_head(&mut text, devices, settings);
    for device in devices {
        let _ = write_device(&mut text, device);
    }
    text + &settings.more
}

fn write_head(text: &mut String, devices: &[Device], settings: &MrtgSettings) -> std::fmt::Result {
    let seconds = settings.interval.as_secs();
    writeln!(text, "# A simulated network of {} devices: no such place exists.", devices.len())?;
    writeln!(text)?;
    writeln!(text, "WorkDir: {}", settings.work_directory)?;
    writeln!(text, "LogFormat: rrdtool")?;
    writeln!(text, "Interval: {}:{:02}", seconds / 60, seconds % 60)?;
    writeln!(text, "Options[_]: {OPTIONS}")?;
    writeln!(text)
}

fn write_device(text: &mut String, device: &Device) -> std::fmt::Result {
    let health = match device.health {
        Health::Good => "",
        Health::Slow(_) => ", answers late",
        Health::Dead => ", never answers",
        Health::Rebooting(_) => ", restarts again and again",
    };
    writeln!(text, "### {} at {}{health}", device.name, device.location)?;
    writeln!(text)?;
    for port in device.ports.iter().filter(|port| port.role != Role::Down) {
        write_port(text, device, port)?;
    }
    Ok(())
}

fn write_port(text: &mut String, device: &Device, port: &Port) -> std::fmt::Result {
    let Device { name, location, community, address, .. } = device;
    let Port { index, name: port_name, description, alias, .. } = port;
    let target = format!("{name}_{index}");
    let octets_per_second = port.speed_bits_per_second / 8;
    let million_bits = port.speed_bits_per_second / 1_000_000;
    writeln!(text, "Target[{target}]: {index}:{community}@{address}:{SNMP_OPTIONS}")?;
    writeln!(text, "SetEnv[{target}]: MRTG_INT_IP=\"\" MRTG_INT_DESCR=\"{description}\"")?;
    writeln!(text, "MaxBytes[{target}]: {octets_per_second}")?;
    writeln!(text, "Directory[{target}]: {name}")?;
    writeln!(text, "Title[{target}]: {name} {port_name}: {alias}")?;
    writeln!(text, "PageTop[{target}]: <h1>{name} {port_name}: {alias}</h1>")?;
    writeln!(text, "  <p>Simulated: {description} in {location}, {million_bits} Mbit/s</p>")?;
    writeln!(text)
}
