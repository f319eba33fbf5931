//! The command line of `gyre demo`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use options::{CommandLine, Misuse, Value, checked, option, switch};

use crate::run::host_name;

pub(super) const LINE: CommandLine<Arguments> = CommandLine {
    synopsis: "gyre demo [OPTIONS]",
    summary: "Starts a simulated network that answers real SNMP on loopback, fills databases with \
              the past 14 months, and then polls and shows it like `gyre run`. If snmpd is \
              installed, this machine's own interfaces are shown, too. Other machines cannot reach \
              anything of it, and all of it is removed at the end.",
    options: &[
        checked(
            "--listen",
            "ADDRESS:PORT",
            "the address of the web pages (the first free port of 127.0.0.1 from 8080)",
            |it, value| {
                it.listen = Some(value.parsed("an address and a port")?);
                Ok(())
            },
        ),
        checked(
            "--allow-host",
            "NAME",
            "also answer requests for web pages with this host name, as in `gyre run`; may be \
             given several times",
            |it, value| {
                it.allowed_hosts.push(host_name(&value)?);
                Ok(())
            },
        ),
        checked("--devices", "N", "the number of devices (100)", |it, value| {
            it.devices = value.number_u32(1..=DEVICES_MAX)?;
            Ok(())
        }),
        checked("--ports", "N", "the number of interfaces of each device (48)", |it, value| {
            it.ports = value.number_u32(1..=PORTS_MAX)?;
            Ok(())
        }),
        checked(
            "--interval",
            "SECONDS",
            "the time between two polls of a device, at most 300 (10)",
            |it, value| {
                let seconds = value.number(1..=INTERVAL_SECONDS_MAX)?;
                it.interval = Duration::from_secs(seconds);
                Ok(())
            },
        ),
        checked(
            "--udp-port",
            "PORT",
            "the UDP port of all devices (16161, or a free one if that is taken)",
            |it, value| {
                it.udp_port = Some(value.parsed("a port")?);
                Ok(())
            },
        ),
        checked(
            "--community",
            "NAME",
            "the SNMP community of the devices (public)",
            |it, value| {
                it.community = community(&value)?;
                Ok(())
            },
        ),
        option(
            "--dir",
            "DIRECTORY",
            "keep configuration and databases in this directory (a new one in the directory for \
             temporary files, which is removed at the end)",
            |it, value| it.directory = Some(value.path()),
        ),
        switch("--keep", "keep the temporary directory, too", |it| it.is_kept = true),
        switch("--rrd-files", "keep .rrd files instead of a ring store", |it| it.rrd_files = true),
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

/// The longest interval, as in MRTG's default.
const INTERVAL_SECONDS_MAX: u64 = 300;
/// Devices have addresses in a /16, 250 in each 256.
const DEVICES_MAX: u32 = 60_000;
const PORTS_MAX: u32 = 1000;

/// The parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// `None`: the first free port of loopback.
    pub(super) listen: Option<SocketAddr>,
    /// Host names besides its own that requests for the web pages may have.
    pub(super) allowed_hosts: Vec<String>,
    pub(super) devices: u32,
    pub(super) ports: u32,
    pub(super) interval: Duration,
    /// `None`: the default port, or a free one if it is taken.
    pub(super) udp_port: Option<u16>,
    pub(super) community: String,
    /// `None`: a temporary directory.
    pub(super) directory: Option<PathBuf>,
    pub(super) is_kept: bool,
    pub(super) rrd_files: bool,
    /// `None`: until a signal ends the demo.
    pub(super) duration: Option<Duration>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            listen: None,
            allowed_hosts: Vec::new(),
            devices: 100,
            ports: 48,
            interval: Duration::from_secs(10),
            udp_port: None,
            community: "public".to_owned(),
            directory: None,
            is_kept: false,
            rrd_files: false,
            duration: None,
        }
    }
}

/// Parses the arguments of `gyre demo`; `None` if they ask for help.
pub(super) fn parse(
    words: impl IntoIterator<Item = OsString>,
) -> Result<Option<Arguments>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    match operands.first() {
        Some(operand) => Err(Misuse::words("options alone", operand.display())),
        None => Ok(Some(wanted)),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Option<Arguments>, Misuse> {
        parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn options_have_both_forms() {
        let wanted =
            parsed(&["--devices", "6", "--ports=8", "--for", "20", "--keep", "--allow-host=a"]);
        let duration = Some(Duration::from_secs(20));
        let expected = Arguments {
            devices: 6,
            ports: 8,
            duration,
            is_kept: true,
            allowed_hosts: vec!["a".into()],
            ..Arguments::default()
        };
        assert_eq!(wanted, Ok(Some(expected)));
        assert_eq!(parsed(&[]), Ok(Some(Arguments::default())));
        assert_eq!(parsed(&["--keep", "--help"]), Ok(None));
    }

    #[test]
    fn mistakes_are_named() {
        let words = |arguments: &[&str]| parsed(arguments).unwrap_err().to_string();
        assert_eq!(words(&["mrtg.cfg"]), "expected options alone, found mrtg.cfg");
        assert_eq!(words(&["--dir"]), "--dir: expected DIRECTORY");
        let zero = words(&["--interval", "0"]);
        assert_eq!(zero, "--interval: expected a number from 1 to 300, found 0");
        let many = words(&["--devices=all"]);
        assert_eq!(many, "--devices: expected a number from 1 to 60000, found all");
        let host = words(&["--allow-host", "http://a"]);
        assert_eq!(host, "--allow-host: expected a host's name, found http://a");
        // The error does not repeat the community.
        let hidden = words(&["--community", "a@b"]);
        assert_eq!(hidden, "--community: expected letters and digits");
    }
}
