//! The command line of `gyre demo`.

use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use crate::run::HostName;

/// What `gyre demo --help` prints.
pub(super) const HELP: &str = "\
usage: gyre demo [options]

Starts a simulated network that answers real SNMP on loopback, fills in databases for the past 14
months, and measures and shows it as `gyre run` would. If snmpd is installed, this machine's own
interfaces are shown too. Nothing is reachable from other machines; nothing is left behind.

options:
  --listen ADDRESS:PORT  where the web pages are; by default the first free port of 127.0.0.1
                         from 8080
  --allow-host NAME      answer requests for web pages under this name too, as `gyre run` does; may
                         be given several times
  --devices N            how many devices there are, 100 by default
  --ports N              how many interfaces each has, 48 by default
  --interval SECONDS     how often all are polled, 10 by default, 300 at most
  --udp-port PORT        where devices answer, 16161 by default, or a free one if that is taken
  --community NAME       what devices want to hear, `public` by default
  --dir DIRECTORY        where configuration and databases go, and stay; by default a new one in
                         the directory for temporary files
  --keep                 leave that one, too
  --rrd-files            keep .rrd files instead of a ring store
  --for SECONDS          end after this time
  --help                 this text

signals:
  SIGINT, SIGTERM        end
";

/// The longest interval, as in MRTG's default.
const INTERVAL_SECONDS_MAX: u32 = 300;
/// Devices have addresses in a /16, 250 in each 256.
const DEVICES_MAX: u32 = 60_000;
const PORTS_MAX: u32 = 1000;

/// The options, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    /// None: on loopback, where there is a free port.
    pub(super) listen: Option<SocketAddr>,
    /// Names besides its own under which the web pages may be asked for.
    pub(super) allowed_hosts: Vec<String>,
    pub(super) devices: u32,
    pub(super) ports: u32,
    pub(super) interval: Duration,
    /// None: the usual one, else a free one.
    pub(super) udp_port: Option<u16>,
    pub(super) community: String,
    /// None: one of our own.
    pub(super) directory: Option<PathBuf>,
    pub(super) is_kept: bool,
    pub(super) rrd_files: bool,
    /// None: until a signal.
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

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Help,
    Demo(Arguments),
}

/// Why a command line is not understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misuse {
    #[error("unknown argument {0}")]
    Unknown(String),
    #[error("{option}: expected {expected}, found {found}")]
    Value { option: String, expected: String, found: String },
}

/// Understands the arguments behind `gyre demo`.
pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Wanted, Misuse> {
    let mut wanted = Arguments::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let (name, inline) = split(&argument);
        let mut option = Given { name, value: || inline.clone().or_else(|| arguments.next()) };
        match option.name.as_str() {
            "--help" | "-h" => return Ok(Wanted::Help),
            "--keep" => wanted.is_kept = true,
            "--rrd-files" => wanted.rrd_files = true,
            "--listen" => wanted.listen = Some(option.parsed("an address and a port")?),
            "--allow-host" => {
                let name: HostName = option.parsed(HostName::EXPECTED)?;
                wanted.allowed_hosts.push(name.0);
            }
            "--devices" => wanted.devices = option.number(1..=DEVICES_MAX)?,
            "--ports" => wanted.ports = option.number(1..=PORTS_MAX)?,
            "--interval" => wanted.interval = option.seconds(INTERVAL_SECONDS_MAX)?,
            "--for" => wanted.duration = Some(option.seconds(u32::MAX)?),
            "--udp-port" => wanted.udp_port = Some(option.parsed("a port")?),
            "--community" => wanted.community = option.community()?,
            "--dir" => wanted.directory = Some(option.text("a directory")?.into()),
            _ => return Err(Misuse::Unknown(option.name)),
        }
    }
    Ok(Wanted::Demo(wanted))
}

/// `--option=value` in its parts; another argument stays whole.
fn split(argument: &OsStr) -> (String, Option<OsString>) {
    let text = argument.to_string_lossy();
    match text.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (option.into(), Some(value.into())),
        _ => (text.into_owned(), None),
    }
}

/// An option and where its value comes from.
struct Given<F> {
    name: String,
    value: F,
}

impl<F: FnMut() -> Option<OsString>> Given<F> {
    fn text(&mut self, expected: &str) -> Result<OsString, Misuse> {
        (self.value)().ok_or_else(|| self.misuse(expected, "nothing"))
    }

    fn parsed<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T, Misuse> {
        let text = self.text(expected)?;
        let text = text.to_string_lossy();
        text.parse().map_err(|_| self.misuse(expected, &text))
    }

    fn number(&mut self, range: RangeInclusive<u32>) -> Result<u32, Misuse> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        let number = self.parsed(&expected)?;
        match range.contains(&number) {
            true => Ok(number),
            false => Err(self.misuse(&expected, &number.to_string())),
        }
    }

    fn seconds(&mut self, most: u32) -> Result<Duration, Misuse> {
        Ok(Duration::from_secs(self.number(1..=most)?.into()))
    }

    /// It goes into configuration files as it is.
    fn community(&mut self) -> Result<String, Misuse> {
        let expected = "letters and digits";
        let community: String = self.parsed(expected)?;
        let is_plain = community.bytes().all(|each| each.is_ascii_alphanumeric());
        match is_plain && !community.is_empty() {
            true => Ok(community),
            false => Err(self.misuse(expected, "others")),
        }
    }

    fn misuse(&self, expected: &str, found: &str) -> Misuse {
        let (option, expected, found) = (self.name.clone(), expected.into(), found.into());
        Misuse::Value { option, expected, found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Wanted, Misuse> {
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
        assert_eq!(wanted, Ok(Wanted::Demo(expected)));
        assert_eq!(parsed(&[]), Ok(Wanted::Demo(Arguments::default())));
        assert_eq!(parsed(&["--keep", "--help"]), Ok(Wanted::Help));
    }

    #[test]
    fn mistakes_are_named() {
        let words = |arguments: &[&str]| parsed(arguments).unwrap_err().to_string();
        assert_eq!(words(&["mrtg.cfg"]), "unknown argument mrtg.cfg");
        assert_eq!(words(&["--dir"]), "--dir: expected a directory, found nothing");
        let zero = words(&["--interval", "0"]);
        assert_eq!(zero, "--interval: expected a number from 1 to 300, found 0");
        let many = words(&["--devices=all"]);
        assert_eq!(many, "--devices: expected a number from 1 to 60000, found all");
        let host = words(&["--allow-host", "http://a"]);
        assert_eq!(host, "--allow-host: expected a host's name, found http://a");
        // A community is not repeated.
        let hidden = words(&["--community", "a@b"]);
        assert_eq!(hidden, "--community: expected letters and digits, found others");
    }
}
