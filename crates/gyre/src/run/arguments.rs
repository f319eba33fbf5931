//! The command line of `gyre run`.

use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use daemon::{Listening, SocketMisuse, Sockets};

use super::keeping::{Keeping, SyncWhen};

/// What `gyre run --help` prints.
pub(super) const HELP: &str = "\
usage: gyre run [options] mrtg.cfg

Polls the devices of an MRTG configuration, keeps what they count in a ring store, and shows graphs
on a web page, until it is told to stop.

The ring store is a directory `store` where MRTG would keep its files. Where files of targets are
there already and no ring store, they go on being used; `gyre import` takes them over.

options:
  --listen ADDRESS:PORT  where the web pages are, 127.0.0.1:8080 by default; port 0 finds a free one
  --allow-host NAME      answer requests for web pages under this name too; may be given several
                         times. Without it they are answered under addresses in numbers,
                         `localhost` and the name of this machine. `*` is every name
  --no-web               no web pages
  --rrdcached ADDRESS    speak rrdcached's protocol here, over the databases of this run: unix:PATH,
                         /PATH, HOST, HOST:PORT, [HOST]:PORT or :PORT; the port is 42217. May be
                         given several times. There is no authentication: a network address needs a
                         firewall, and -P
  -m, --socket-mode MODE
                         the mode, in octal, of the Unix sockets of each --rrdcached that follows
  -s, --socket-group GROUP
                         their group, by name or number; they get mode 0760 unless -m says otherwise
  -P, --permit COMMAND,...
                         the commands that each --rrdcached that follows takes, besides HELP and
                         QUIT
  --store DIRECTORY      the ring store, instead of WorkDir/store
  --rrd-files            keep .rrd files as MRTG does, in WorkDir or in the directory of --store
  --sync WHEN            when the ring store waits for the disk: `always` (the default) before a
                         batch of updates counts as taken; a number of SECONDS, so often: a power
                         cut loses no more than these; `off`, when it flushes anyway. The end of
                         the process alone, kill -9 too, loses nothing in any case
  --flush-cycles C       of a new ring store: steps between two checkpoints of a group, 18 by
                         default; more write less and restart slower
  --tile-rows K          of a new ring store: the most rows that gather for one page, 18 by
                         default; fewer take less memory and read slower
  --memory MIB           of a new ring store: as many rows gather as the databases of the
                         configuration may in so much memory, instead of --tile-rows
  --sparse               of a ring store: take disk space as rows are written, and not when
                         databases are made, which the store remembers; a full disk can then
                         meet samples that were acknowledged
  --store-group GROUP    the group, by name or number, of the socket in the directory of the ring
                         store, where other commands reach the store; it gets mode 0760
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

/// More rows than that fit into no page, and more steps make every restart slow.
const PACE_MAX: u32 = 4000;

/// The options, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) configuration: PathBuf,
    /// None: no web pages.
    pub(super) listen: Option<SocketAddr>,
    /// Names besides its own under which the web pages may be asked for.
    pub(super) allowed_hosts: Vec<String>,
    /// Where rrdcached's protocol is spoken.
    pub(super) rrdcached: Vec<Listening>,
    pub(super) keeping: Keeping,
    /// After how many cycles to end.
    pub(super) cycles: Option<u64>,
}

/// A name under which web pages may be asked for, with a port or without; `*` is every name.
#[derive(Debug)]
pub(crate) struct HostName(pub(crate) String);

impl HostName {
    pub(crate) const EXPECTED: &str = "a host's name";
}

impl std::str::FromStr for HostName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        // A URL in its place would never be the host of a request, and no page would be answered.
        let is_wrong = |letter: char| letter.is_whitespace() || letter == '/';
        match text.is_empty() || text.contains(is_wrong) {
            true => Err(()),
            false => Ok(Self(text.into())),
        }
    }
}

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Help,
    Run(Box<Arguments>),
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
    #[error("{option}: {cause}")]
    Socket { option: &'static str, cause: SocketMisuse },
    #[error("{0} holds for each --rrdcached that follows, and none follows")]
    NoSocket(&'static str),
}

/// Understands the arguments behind `gyre run`.
pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Wanted, Misuse> {
    let mut files = Vec::new();
    let mut wanted = Arguments {
        configuration: PathBuf::new(),
        listen: Some(LISTEN_DEFAULT),
        allowed_hosts: Vec::new(),
        rrdcached: Vec::new(),
        keeping: Keeping::default(),
        cycles: None,
    };
    let mut sockets = SocketOptions::default();
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
            "--allow-host" => {
                let name: HostName = number("--allow-host", HostName::EXPECTED, value())?;
                wanted.allowed_hosts.push(name.0);
            }
            "--cycles" => {
                let cycles: NonZeroU64 = number("--cycles", "a number above zero", value())?;
                wanted.cycles = Some(cycles.get());
            }
            "--store" => {
                let directory = value().ok_or_else(|| missing("--store", "a directory"))?;
                wanted.keeping.directory = Some(directory.into());
            }
            "--rrd-files" => wanted.keeping.rrd_files = true,
            "--sync" => wanted.keeping.sync = sync_when(value())?,
            "--flush-cycles" => {
                wanted.keeping.flush_cycles = Some(pace("--flush-cycles", value())?)
            }
            "--tile-rows" => wanted.keeping.tile_rows = Some(pace("--tile-rows", value())?),
            "--sparse" => wanted.keeping.sparse = true,
            "--store-group" => {
                let group = value().filter(|group| !group.is_empty());
                wanted.keeping.store_group = Some(number("--store-group", "a group", group)?);
            }
            "--memory" => {
                let mebibytes: NonZeroU32 = number("--memory", "a number above zero", value())?;
                wanted.keeping.memory_bytes = Some(u64::from(mebibytes.get()) << 20);
            }
            "--rrdcached" => sockets.take("--rrdcached", value())?,
            "--socket-mode" | "-m" => sockets.take("--socket-mode", value())?,
            "--socket-group" | "-s" => sockets.take("--socket-group", value())?,
            "--permit" | "-P" => sockets.take("--permit", value())?,
            "-" => files.push(argument),
            unknown if unknown.starts_with('-') => return Err(Misuse::Unknown(option)),
            _ => files.push(argument),
        }
    }
    wanted.rrdcached = sockets.named()?;
    match <[OsString; 1]>::try_from(files) {
        Ok([file]) => wanted.configuration = file.into(),
        Err(files) => return Err(Misuse::Files(files.len())),
    }
    Ok(Wanted::Run(Box::new(wanted)))
}

/// The options of rrdcached's protocol: each but the address holds for the addresses behind it.
#[derive(Default)]
struct SocketOptions {
    sockets: Sockets,
    /// An option that no address followed so far.
    unused: Option<&'static str>,
}

impl SocketOptions {
    fn take(&mut self, option: &'static str, value: Option<OsString>) -> Result<(), Misuse> {
        let expected = match option {
            "--rrdcached" => "an address",
            "--socket-mode" => "a mode in octal",
            "--permit" => "commands",
            _ => "a group",
        };
        // An empty address would be every interface of this machine.
        let value = value.filter(|value| !value.is_empty());
        let text: String = number(option, expected, value)?;
        let taken = match option {
            "--rrdcached" => self.sockets.listen(&text),
            "--socket-mode" => self.sockets.set_mode(&text),
            "--permit" => self.sockets.permit(&text),
            _ => {
                self.sockets.set_group(&text);
                Ok(())
            }
        };
        self.unused = (option != "--rrdcached").then_some(option);
        taken.map_err(|cause| Misuse::Socket { option, cause })
    }

    fn named(self) -> Result<Vec<Listening>, Misuse> {
        match self.unused {
            Some(option) => Err(Misuse::NoSocket(option)),
            None => Ok(self.sockets.named),
        }
    }
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

/// Steps or rows of a ring store's pace.
fn pace(option: &'static str, value: Option<OsString>) -> Result<u32, Misuse> {
    let expected = "a number from 1 to 4000";
    let number: u32 = number(option, expected, value)?;
    match number {
        1..=PACE_MAX => Ok(number),
        found => Err(Misuse::Value { option, expected, found: found.to_string() }),
    }
}

fn sync_when(value: Option<OsString>) -> Result<SyncWhen, Misuse> {
    let expected = "always, off or a number of seconds above zero";
    match value.as_ref().and_then(|value| value.to_str()) {
        Some("always") => Ok(SyncWhen::Always),
        Some("off") => Ok(SyncWhen::Off),
        _ => {
            let seconds: NonZeroU32 = number("--sync", expected, value)?;
            Ok(SyncWhen::Every(Duration::from_secs(seconds.get().into())))
        }
    }
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
        let Ok(Wanted::Run(arguments)) = parsed(&[
            "--store",
            "/d",
            "mrtg.cfg",
            "--cycles=3",
            "--listen=[::1]:0",
            "--allow-host=a",
        ]) else {
            panic!("it is understood");
        };
        assert_eq!(arguments.configuration, PathBuf::from("mrtg.cfg"));
        assert_eq!(arguments.keeping.directory, Some("/d".into()));
        assert_eq!(arguments.cycles, Some(3));
        assert_eq!(arguments.listen, "[::1]:0".parse().ok());
        assert_eq!(arguments.allowed_hosts, ["a"]);
    }

    #[test]
    fn a_ring_store_is_told_how_to_keep() {
        let keeping = |arguments: &[&str]| match parsed(&[&["mrtg.cfg"], arguments].concat()) {
            Ok(Wanted::Run(arguments)) => arguments.keeping,
            other => panic!("{other:?}"),
        };
        assert_eq!(keeping(&[]).sync, SyncWhen::Always);
        assert_eq!(keeping(&["--sync=off"]).sync, SyncWhen::Off);
        let minute = Duration::from_secs(60);
        assert_eq!(keeping(&["--sync", "60"]).sync, SyncWhen::Every(minute));
        let told = keeping(&["--flush-cycles=36", "--tile-rows", "6", "--rrd-files"]);
        assert_eq!((told.flush_cycles, told.tile_rows), (Some(36), Some(6)));
        assert!(told.rrd_files && !keeping(&[]).rrd_files);
        assert!(keeping(&["--sparse"]).sparse && !told.sparse);
        let group = keeping(&["--store-group=adm"]).store_group;
        assert_eq!((group.as_deref(), told.store_group), (Some("adm"), None));
        assert_eq!(keeping(&["--memory", "64"]).memory_bytes, Some(64 << 20));
        for wrong in
            ["--sync=often", "--sync=0", "--flush-cycles=0", "--tile-rows=4001", "--memory=0"]
        {
            assert!(parsed(&["a", wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sockets_are_as_the_options_before_them_say() {
        let line = ["-P", "FETCH", "--rrdcached=/a", "-m", "660", "--rrdcached", ":7", "mrtg.cfg"];
        let Ok(Wanted::Run(arguments)) = parsed(&line) else { panic!("it is understood") };
        let mut sockets = Sockets::default();
        sockets.permit("FETCH").unwrap();
        sockets.listen("unix:/a").unwrap();
        sockets.set_mode("660").unwrap();
        sockets.listen(":7").unwrap();
        assert_eq!(arguments.rrdcached, sockets.named);
        for (line, words) in [
            (&["-m", "9", "--rrdcached=/a"][..], "--socket-mode: Invalid file mode \"9\"."),
            (&["--rrdcached", "[::1"], "--rrdcached: Malformed address: [::1"),
            (&["--rrdcached"], "--rrdcached: expected an address, found nothing"),
            (&["--rrdcached="], "--rrdcached: expected an address, found nothing"),
            (
                &["--rrdcached=/a", "-P", "PING"],
                "--permit holds for each --rrdcached that follows, and none follows",
            ),
            (
                &["-P", "PING,NIX", "--rrdcached=/a"],
                "--permit: Adding permission \"NIX\" to socket failed: no such command.",
            ),
        ] {
            assert_eq!(parsed(line).unwrap_err().to_string(), words);
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(parsed(&[]), Err(Misuse::Files(0)));
        assert_eq!(parsed(&["a", "b"]), Err(Misuse::Files(2)));
        assert_eq!(parsed(&["--fork", "a"]), Err(Misuse::Unknown("--fork".into())));
        assert_eq!(parsed(&["-x", "a"]), Err(Misuse::Unknown("-x".into())));
        let found = parsed(&["a", "--cycles", "some"]).unwrap_err().to_string();
        assert_eq!(found, "--cycles: expected a number above zero, found some");
        for wrong in ["http://a.example", "a b", ""] {
            let found = parsed(&["a", "--allow-host", wrong]).unwrap_err().to_string();
            assert_eq!(found, format!("--allow-host: expected a host's name, found {wrong}"));
        }
        assert!(parsed(&["a", "--cycles", "0"]).is_err());
        assert!(parsed(&["a", "--store"]).is_err());
    }
}
