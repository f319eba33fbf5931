//! The command line of `gyre network`.

use std::ffi::OsString;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;

use options::{CommandLine, Misuse, Value, checked, option, switch};

pub(super) const LINE: CommandLine<Arguments> = CommandLine {
    synopsis: "gyre network [OPTIONS]",
    summary: "Simulates a network: devices that answer real SNMP, each at an address of its own on \
              loopback. Other machines cannot reach it. It runs until a signal or --for ends it, \
              and then says what it answered and what processor time that took.",
    options: &[
        checked("--devices", "N", "the number of devices (100)", |it, value| {
            it.devices = value.number_u32(1..=DEVICES_MAX)?;
            Ok(())
        }),
        checked("--ports", "N", "the number of interfaces of each device (48)", |it, value| {
            it.ports = value.number_u32(1..=PORTS_MAX)?;
            Ok(())
        }),
        checked(
            "--seed",
            "N",
            "the same number is the same network with the same traffic (1)",
            |it, value| {
                it.seed = value.number(0..=u64::MAX)?;
                Ok(())
            },
        ),
        checked(
            "--address-base",
            "ADDRESS",
            "the address before that of the first device (127.16.0.0)",
            |it, value| {
                it.address_base = value.parsed("an address of loopback")?;
                Ok(())
            },
        ),
        checked(
            "--udp-port",
            "PORT",
            "the UDP port of all devices; 0 for a free one (16161)",
            |it, value| {
                it.udp_port = value.parsed("a port")?;
                Ok(())
            },
        ),
        checked("--community", "NAME", "the community that may read (public)", |it, value| {
            it.community = community(&value)?;
            Ok(())
        }),
        option(
            "--mrtg-config",
            "FILE",
            "write an mrtg.cfg of the network's interfaces to this file",
            |it, value| it.mrtg_config = Some(value.path()),
        ),
        option(
            "--work-dir",
            "DIRECTORY",
            "the WorkDir in that file (the directory that the file is in)",
            |it, value| it.work_directory = Some(value.path()),
        ),
        checked("--interval", "SECONDS", "the Interval in that file (300)", |it, value| {
            it.interval = Duration::from_secs(value.number(1..=INTERVAL_SECONDS_MAX)?);
            Ok(())
        }),
        switch("--json", "print the first line and the last one as JSON", |it| it.is_json = true),
        checked("--for", "SECONDS", "end after this time", |it, value| {
            it.duration = Some(Duration::from_secs(value.number(1..=u64::from(u32::MAX))?));
            Ok(())
        }),
    ],
    notes: "\
signals:
  SIGINT, SIGTERM         end
",
};

/// The longest interval of MRTG's.
const INTERVAL_SECONDS_MAX: u64 = 3600;
const DEVICES_MAX: u32 = 1_000_000;
const PORTS_MAX: u32 = 100_000;

/// The parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) devices: u32,
    pub(super) ports: u32,
    pub(super) seed: u64,
    pub(super) address_base: Ipv4Addr,
    pub(super) udp_port: u16,
    pub(super) community: String,
    pub(super) mrtg_config: Option<PathBuf>,
    /// `None`: where the configuration is.
    pub(super) work_directory: Option<PathBuf>,
    pub(super) interval: Duration,
    pub(super) is_json: bool,
    /// `None`: until a signal ends it.
    pub(super) duration: Option<Duration>,
}

impl Default for Arguments {
    fn default() -> Self {
        let usual = simnet::Config::default();
        Self {
            devices: usual.devices,
            ports: usual.ports,
            seed: usual.seed,
            address_base: usual.address_base,
            udp_port: usual.udp_port,
            community: usual.community,
            mrtg_config: None,
            work_directory: None,
            interval: Duration::from_secs(300),
            is_json: false,
            duration: None,
        }
    }
}

/// Parses the arguments of `gyre network`; `None` if they ask for help.
pub(super) fn parse(
    words: impl IntoIterator<Item = OsString>,
) -> Result<Option<Arguments>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    if let Some(operand) = operands.first() {
        return Err(Misuse::words("options alone", operand.display()));
    }
    if wanted.work_directory.is_some() && wanted.mrtg_config.is_none() {
        return Err(Misuse::goes_with("--work-dir", "--mrtg-config"));
    }
    Ok(Some(wanted))
}

/// A community. It is copied into configuration files unchanged. The error does not repeat it: it
/// is a secret.
fn community(value: &Value) -> Result<String, Misuse> {
    let is_plain =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let community = value.text().ok().filter(is_plain);
    let misuse = || Misuse::lacks("--community", "letters and digits");
    community.map(str::to_owned).ok_or_else(misuse)
}
