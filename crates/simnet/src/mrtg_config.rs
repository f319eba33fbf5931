//! The mrtg.cfg of a simulated network, as cfgmaker would write it for the real one.

use crate::port::{Port, Role};
use crate::topology::{Device, Health};
use std::io::{self, Write};
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
    /// Whether targets have labels of gyre's own: their site, and their device by its name.
    pub with_sites: bool,
}

/// Options of every target: graphs run from left to right, in bits.
const OPTIONS: &str = "growright, bits";
/// Timeout in seconds, tries and backoff: a dead device must not use up a short interval.
const SNMP_OPTIONS: &str = "1:3:1";

/// The version that targets ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MrtgVersion {
    /// SNMPv1.
    V1,
    /// SNMPv2c.
    #[default]
    V2c,
    /// SNMPv3: the file needs `SnmpOptions` besides.
    V3,
}

/// Writes the whole file.
pub(crate) fn write(
    out: &mut impl Write,
    devices: &[Device],
    settings: &MrtgSettings,
    version: MrtgVersion,
) -> io::Result<()> {
    write_head(out, devices, settings)?;
    for device in devices {
        if settings.with_sites {
            let (site, name) = (device.site(), &device.name);
            writeln!(out, "gyre*Labels[^]: site=\"{site}\" device=\"{name}\"")?;
        }
        write_device(out, device, version)?;
    }
    if settings.with_sites {
        writeln!(out, "gyre*Labels[^]:")?;
    }
    out.write_all(settings.more.as_bytes())
}

fn write_head(
    text: &mut impl Write,
    devices: &[Device],
    settings: &MrtgSettings,
) -> io::Result<()> {
    let seconds = settings.interval.as_secs();
    writeln!(text, "# A simulated network of {} devices: no such place exists.", devices.len())?;
    writeln!(text)?;
    writeln!(text, "WorkDir: {}", settings.work_directory)?;
    writeln!(text, "LogFormat: rrdtool")?;
    writeln!(text, "Interval: {}:{:02}", seconds / 60, seconds % 60)?;
    writeln!(text, "Options[_]: {OPTIONS}")?;
    writeln!(text)
}

fn write_device(text: &mut impl Write, device: &Device, version: MrtgVersion) -> io::Result<()> {
    let health = match device.health {
        Health::Good => "",
        Health::Slow(_) => ", answers late",
        Health::Dead => ", never answers",
        Health::Rebooting(_) => ", restarts again and again",
    };
    writeln!(text, "### {} at {}{health}", device.name, device.location)?;
    writeln!(text)?;
    for port in device.ports().filter(|port| port.role != Role::Down) {
        write_port(text, device, &port, version)?;
    }
    Ok(())
}

fn write_port(
    text: &mut impl Write,
    device: &Device,
    port: &Port,
    version: MrtgVersion,
) -> io::Result<()> {
    let Device { name, location, community, address, .. } = device;
    let Port { index, name: port_name, description, alias, .. } = port;
    let target = format!("{name}_{index}");
    let octets_per_second = port.speed_bits_per_second / 8;
    let million_bits = port.speed_bits_per_second / 1_000_000;
    let version = match version {
        MrtgVersion::V1 => 1,
        MrtgVersion::V2c => 2,
        MrtgVersion::V3 => 3,
    };
    writeln!(text, "Target[{target}]: {index}:{community}@{address}:{SNMP_OPTIONS}:{version}")?;
    writeln!(text, "SetEnv[{target}]: MRTG_INT_IP=\"\" MRTG_INT_DESCR=\"{description}\"")?;
    writeln!(text, "MaxBytes[{target}]: {octets_per_second}")?;
    writeln!(text, "Directory[{target}]: {name}")?;
    writeln!(text, "Title[{target}]: {name} {port_name}: {alias}")?;
    writeln!(text, "PageTop[{target}]: <h1>{name} {port_name}: {alias}</h1>")?;
    writeln!(text, "  <p>Simulated: {description} in {location}, {million_bits} Mbit/s</p>")?;
    writeln!(text)
}
