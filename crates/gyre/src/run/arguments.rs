//! The command line of `gyre run`.

use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;

/// What `gyre run --help` prints.
pub(super) const HELP: &str = "\
usage: gyre run [options] mrtg.cfg

Polls the devices of an MRTG configuration, keeps what they count in .rrd files where MRTG would
keep them, and shows graphs on a web page, until it is told to stop.

options:
  --listen ADDRESS:PORT  where the web pages are, 127.0.0.1:8080 by default; port 0 finds a free one
  --no-web               no web pages
  --store DIRECTORY      keep the .rrd files below this directory instead of WorkDir
  --once                 poll once and end, as mrtg does without RunAsDaemon
  --cycles N             end after N cycles
  --help                 this text

signals:
  SIGHUP                 read the configuration anew, files that it includes too; no cycle is lost,
                         and a configuration with an error changes nothing
  SIGTERM, SIGINT        write what has been polled and end
";

/// Where the web pages are unless `--listen` says otherwise.
const LISTEN_DEFAULT: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

/// The options, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) configuration: PathBuf,
    /// None: no web pages.
    pub(super) listen: Option<SocketAddr>,
    pub(super) store: Option<PathBuf>,
    /// After how many cycles to end.
    pub(super) cycles: Option<u64>,
}

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Help,
    Run(Arguments),
}

/// Why a command line is not understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misuse {
    #[error("expected one configuration file, found {0}")]
    Files(usize),
    #[error("unknown option {0}")]
    Unknown(String),
    #[error("{option}: expected {expected}, found {found}")]
    Value { option: &'static str, expected: &'static str, found: String },
}

/// Understands the arguments behind `gyre run`.
pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Wanted, Misuse> {
    let mut files = Vec::new();
    let mut wanted = Arguments {
        configuration: PathBuf::new(),
        listen: Some(LISTEN_DEFAULT),
        store: None,
        cycles: None,
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let (option, inline) = split(&argument);
        let mut value = || inline.clone().or_else(|| arguments.next());
        match option.as_str() {
            "--help" | "-h" => return Ok(Wanted::Help),
            "--no-web" => wanted.listen = None,
            "--once" => wanted.cycles = Some(1),
            "--listen" => {
                wanted.listen = Some(number("--listen", "an address and a port", value())?);
            }
            "--cycles" => {
                let cycles: NonZeroU64 = number("--cycles", "a number above zero", value())?;
                wanted.cycles = Some(cycles.get());
            }
            "--store" => {
                let directory = value().ok_or_else(|| missing("--store", "a directory"))?;
                wanted.store = Some(directory.into());
            }
            unknown if unknown.starts_with("--") => return Err(Misuse::Unknown(option)),
            _ => files.push(argument),
        }
    }
    match <[OsString; 1]>::try_from(files) {
        Ok([file]) => wanted.configuration = file.into(),
        Err(files) => return Err(Misuse::Files(files.len())),
    }
    Ok(Wanted::Run(wanted))
}

/// `--option=value` in its parts; another argument stays whole.
fn split(argument: &OsStr) -> (String, Option<OsString>) {
    let text = argument.to_string_lossy();
    match text.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (option.into(), Some(value.into())),
        _ => (text.into_owned(), None),
    }
}

fn number<T: std::str::FromStr>(
    option: &'static str,
    expected: &'static str,
    value: Option<OsString>,
) -> Result<T, Misuse> {
    let value = value.ok_or_else(|| missing(option, expected))?;
    let text = value.to_string_lossy();
    text.parse().map_err(|_| Misuse::Value { option, expected, found: text.into_owned() })
}

fn missing(option: &'static str, expected: &'static str) -> Misuse {
    Misuse::Value { option, expected, found: "nothing".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Wanted, Misuse> {
        parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn options_stand_anywhere_and_in_both_forms() {
        let Ok(Wanted::Run(arguments)) =
            parsed(&["--store", "/d", "mrtg.cfg", "--cycles=3", "--listen=[::1]:0"])
        else {
            panic!("it is understood");
        };
        assert_eq!(arguments.configuration, PathBuf::from("mrtg.cfg"));
        assert_eq!(arguments.store, Some("/d".into()));
        assert_eq!(arguments.cycles, Some(3));
        assert_eq!(arguments.listen, "[::1]:0".parse().ok());
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parsed(&[]), Err(Misuse::Files(0)));
        assert_eq!(parsed(&["a", "b"]), Err(Misuse::Files(2)));
        assert_eq!(parsed(&["--fork", "a"]), Err(Misuse::Unknown("--fork".into())));
        let found = parsed(&["a", "--cycles", "some"]).unwrap_err().to_string();
        assert_eq!(found, "--cycles: expected a number above zero, found some");
        assert!(parsed(&["a", "--cycles", "0"]).is_err());
        assert!(parsed(&["a", "--store"]).is_err());
    }
}
