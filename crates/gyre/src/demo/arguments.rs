//! The command line of `gyre demo`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use options::{CommandLine, Misuse, OwnRow, checked, joined, option, switch};

use crate::network_options::{NetworkOptions, ROWS, Simulates, rows};
use crate::run::host_name;

pub(super) const LINE: CommandLine<Arguments> = CommandLine {
    synopsis: "gyre demo [OPTIONS]",
    summary: "Starts a simulated network that answers real SNMP on loopback, fills databases with \
              the past 14 months, and then polls and shows it like `gyre run`. If snmpd is \
              installed, this machine's own interfaces are shown, too. Other machines cannot reach \
              anything of it, and all of it is removed at the end.",
    options: &OPTIONS,
    notes: "\
signals:
  SIGINT, SIGTERM         end
",
};

const OPTIONS: [OwnRow<Arguments>; ROWS + OWN.len()] = joined(&[&rows(), OWN]);

const OWN: &[OwnRow<Arguments>] = &[
    checked(
        "--names",
        "N",
        "show at least this many targets, at most 1000000, instead of so many devices: 100 devices \
         have a past of 14 months and are polled in the interval, all others have a past of one \
         hour and are polled every five minutes",
        |it, value| {
            it.names = Some(value.number_u32(1..=NAMES_MAX)?);
            Ok(())
        },
    ),
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
    switch("--insecure", "listen where other machines reach the pages", |it| {
        it.is_insecure = true;
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
    option(
        "--dir",
        "DIRECTORY",
        "keep configuration and databases in this directory (a new one in the directory for \
         temporary files, which is removed at the end)",
        |it, value| it.directory = Some(value.path()),
    ),
    switch("--keep", "keep the temporary directory, too", |it| it.is_kept = true),
    switch("--rrd-files", "keep .rrd files instead of a ring store", |it| it.rrd_files = true),
];

impl Simulates for Arguments {
    /// Devices have addresses in a /16, 250 in each 256.
    const DEVICES_MAX: u32 = 60_000;
    const PORTS_MAX: u32 = 1000;
    const UDP_PORT_HELP: &'static str =
        "the UDP port of all devices (16161, or a free one if that is taken)";

    fn network(&mut self) -> &mut NetworkOptions {
        &mut self.network
    }
}

/// The longest interval, as in MRTG's default.
const INTERVAL_SECONDS_MAX: u64 = 300;
/// The most targets: `gyre run` reads no file above 512 MiB.
const NAMES_MAX: u32 = 1_000_000;

/// The parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) network: NetworkOptions,
    /// The number of targets; `None` where it follows from the devices.
    pub(super) names: Option<u32>,
    /// `None`: the first free port of loopback.
    pub(super) listen: Option<SocketAddr>,
    /// Host names besides its own that requests for the web pages may have.
    pub(super) allowed_hosts: Vec<String>,
    /// Whether everybody may see the pages, wherever they are.
    pub(super) is_insecure: bool,
    pub(super) interval: Duration,
    /// `None`: a temporary directory.
    pub(super) directory: Option<PathBuf>,
    pub(super) is_kept: bool,
    pub(super) rrd_files: bool,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            network: NetworkOptions::default(),
            names: None,
            listen: None,
            allowed_hosts: Vec::new(),
            is_insecure: false,
            interval: Duration::from_secs(10),
            directory: None,
            is_kept: false,
            rrd_files: false,
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
        None if wanted.names.is_some() && wanted.rrd_files => {
            Err(Misuse::unfit("--names wants a ring store: expected it without --rrd-files"))
        }
        None if wanted.names.is_some() && wanted.network.devices.is_some() => Err(Misuse::unfit(
            "--names says how many devices there are: expected it without --devices",
        )),
        None => Ok(Some(wanted)),
    }
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
        let network =
            NetworkOptions { devices: Some(6), ports: 8, duration, ..NetworkOptions::default() };
        let expected = Arguments {
            network,
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
        let names = words(&["--names", "1000001"]);
        assert_eq!(names, "--names: expected a number from 1 to 1000000, found 1000001");
        let files = words(&["--names", "5", "--rrd-files"]);
        assert_eq!(files, "--names wants a ring store: expected it without --rrd-files");
        let devices = words(&["--names", "5", "--devices", "100"]);
        let expected = "--names says how many devices there are: expected it without --devices";
        assert_eq!(devices, expected);
        // The error does not repeat the community.
        let hidden = words(&["--community", "a@b"]);
        assert_eq!(hidden, "--community: expected letters and digits");
    }
}
