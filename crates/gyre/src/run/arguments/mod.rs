//! The command line of `gyre run`.

mod receivers;

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ::guard::{PROXY_ADDRESSES_EXPECTED, ProxyUsers, TlsFiles};
use daemon::{Listening, SocketMisuse, Sockets};
use options::{CommandLine, Misuse, Value, checked, option, switch};

use super::alarms::{ReceiverKind, ReceiverPlace};
use super::event::LogFormat;
use super::guard::GuardFiles;
use super::keeping::{Keeping, SyncWhen};
use super::part::Part;
use super::secrets::Place;
use crate::ring::PACE_MAX;

pub(super) const LINE: CommandLine<Arguments> = CommandLine {
    synopsis: "gyre run [OPTIONS] MRTG.CFG",
    summary: "Polls the devices of an MRTG configuration, keeps the values in a ring store, and \
              shows graphs on a web page, until it is told to stop.\n\nThe ring store is the \
              directory `store` in the directory where MRTG would keep its files. If that \
              directory has files of targets and no ring store, the files are used; `gyre import` \
              imports them into a ring store.",
    options: &[
        checked(
            "--listen",
            "ADDRESS:PORT",
            "the address of the web pages (127.0.0.1:8080); port 0 finds a free one",
            |it, value| {
                it.listen = Some(value.parsed("an address and a port")?);
                Ok(())
            },
        ),
        checked(
            "--allow-host",
            "NAME",
            "also answer requests for web pages with this host name; may be given several times. \
             Numeric addresses, `localhost` and the name of this machine are always answered. `*` \
             is every name",
            |it, value| {
                it.allowed_hosts.push(host_name(&value)?);
                Ok(())
            },
        ),
        switch("--no-web", "no web pages", |it| it.listen = None),
        option(
            "--tokens",
            "FILE",
            "answer only those who have a token of this file, which `gyre token new` fills: as a \
             password of web pages, by AUTH over TCP (docs/security.md). SIGHUP reads it again",
            |it, value| it.guard.tokens = Some(value.path()),
        ),
        option(
            "--tls-cert",
            "FILE",
            "the certificate, in PEM, of the web pages, which are https:// then, and of --rrdcached \
             tls:HOST:PORT; SIGHUP reads it and its key again",
            |it, value| it.tls.certificate = value.path(),
        ),
        option("--tls-key", "FILE", "the key of the certificate, in PEM", |it, value| {
            it.tls.key = value.path();
        }),
        option(
            "--tls-client-ca",
            "FILE",
            "encrypt for those alone who have a certificate of one of these authorities; with \
             --tokens, a line NAME ROLE cert says what the one for host NAME may",
            |it, value| it.tls.client_authorities = Some(value.path()),
        ),
        option(
            "--proxy-users",
            "HEADER",
            "believe a proxy that says in this header who asks for pages; with --tokens, a line \
             NAME ROLE proxy says what that user may",
            |it, value| it.proxy_header = Some(value.path()),
        ),
        checked(
            "--proxy-from",
            "ADDRESS,...",
            "where these proxies are; the header of others is passed over",
            |it, value| {
                let addresses = ProxyUsers::addresses_of(value.text()?);
                it.proxy_addresses =
                    addresses.ok_or_else(|| value.wrong(PROXY_ADDRESSES_EXPECTED))?;
                Ok(())
            },
        ),
        switch(
            "--insecure",
            "listen where other machines reach the run though nobody is asked for a token, or take \
             tokens of rrdcached's protocol there in the clear",
            |it| it.guard.is_insecure = true,
        ),
        option(
            "--request-log",
            "FILE",
            "append a line of JSON for each request for web pages and data: who asked for what, and \
             how it was answered; `-` is standard output. SIGHUP opens the file anew",
            |it, value| it.request_log = Some(value.path()),
        ),
        option(
            "--series",
            "FILE",
            "rules that name the series of databases for query languages: their labels and paths \
             (docs/query.md)",
            |it, value| it.series = Some(value.path()),
        ),
        option(
            "--intake",
            "FILE",
            "take samples of agents as this file says: Graphite, Influx, Prometheus' remote write, \
             collectd, StatsD (docs/intake.md)",
            |it, value| it.intake = Some(value.path()),
        ),
        checked(
            "--rrdcached",
            "ADDRESS",
            "serve rrdcached's protocol for the databases of this run at this address: unix:PATH, \
             /PATH, HOST, HOST:PORT, [HOST]:PORT or :PORT; the default port is 42217. May be given \
             several times. An address that other machines reach needs --tokens, or --insecure",
            |it, value| {
                it.unused = None;
                // An empty address would mean every interface of this machine, so it is refused.
                set_of_sockets(&value, "an address", |text| it.sockets.listen(text))
            },
        ),
        checked(
            "-m --socket-mode",
            "MODE",
            "the mode, in octal, of the Unix sockets of each following --rrdcached",
            |it, value| {
                it.unused = Some("--socket-mode");
                set_of_sockets(&value, "a mode in octal", |text| it.sockets.set_mode(text))
            },
        ),
        checked(
            "-s --socket-group",
            "GROUP",
            "the group, by name or number, of these sockets, which then have mode 0760 without -m",
            |it, value| {
                it.unused = Some("--socket-group");
                it.sockets.set_group(filled(&value, "a group")?);
                Ok(())
            },
        ),
        checked(
            "-P --permit",
            "COMMAND,...",
            "the commands that each following --rrdcached accepts, in addition to HELP and QUIT",
            |it, value| {
                it.unused = Some("--permit");
                set_of_sockets(&value, "commands", |text| it.sockets.permit(text))
            },
        ),
        option(
            "--store",
            "DIRECTORY",
            "the directory of the ring store, instead of WorkDir/store",
            |it, value| {
                it.keeping.directory = Some(value.path());
            },
        ),
        switch(
            "--rrd-files",
            "keep .rrd files as MRTG does, in WorkDir or in the directory of --store",
            |it| it.keeping.rrd_files = true,
        ),
        checked(
            "--sync",
            "WHEN",
            "when the ring store syncs its log to the disk: `always`, before a batch of updates is \
             acknowledged; a number of seconds, at this interval, which is then the most that a \
             power cut loses; `off`, only when it flushes. The end of the process, even by kill \
             -9, never loses anything (always)",
            |it, value| {
                it.keeping.sync = sync_when(&value)?;
                Ok(())
            },
        ),
        checked(
            "--flush-cycles",
            "C",
            "for a new ring store: steps between two checkpoints of a group; with more steps less \
             is written, and restarts are slower (18)",
            |it, value| {
                it.keeping.flush_cycles = Some(value.number_u32(1..=PACE_MAX)?);
                Ok(())
            },
        ),
        checked(
            "--tile-rows",
            "K",
            "for a new ring store: the most rows of a database in one page; with fewer rows less \
             memory is needed, and reads are slower (18)",
            |it, value| {
                it.keeping.tile_rows = Some(value.number_u32(1..=PACE_MAX)?);
                Ok(())
            },
        ),
        checked(
            "--memory",
            "MIB",
            "for a new ring store, instead of --tile-rows: choose the rows in one page so that the \
             databases of the configuration need at most this much memory",
            |it, value| {
                it.keeping.memory_bytes = Some(value.mebibytes()?);
                Ok(())
            },
        ),
        switch(
            "--sparse",
            "for a ring store: allocate disk space when rows are written, not when databases are \
             made: acknowledged samples may then meet a full disk. The store remembers this",
            |it| it.keeping.sparse = true,
        ),
        checked(
            "--store-group",
            "GROUP",
            "the group, by name or number, of the socket through which other commands use the ring \
             store; the socket then has mode 0760",
            |it, value| {
                it.keeping.store_group = Some(filled(&value, "a group")?.to_owned());
                Ok(())
            },
        ),
        checked(
            "--part",
            "N/M",
            "measure the N-th of M parts of the configuration, so that M processes share it: a \
             host's name decides its part. The ring store is then WorkDir/store-N-of-M",
            |it, value| {
                let part = value.text()?.parse::<Part>();
                it.keeping.part = Some(part.map_err(|misuse| value.unusable(misuse))?);
                Ok(())
            },
        ),
        option(
            "--sql",
            "FILE",
            "feed the tables that `gyre sql create` made in this SQLite database, or in the server \
             that this .toml file names (docs/sql.md)",
            |it, value| it.sql = Some(value.path()),
        ),
        checked(
            "--alertmanager",
            "URL",
            "post an alert to this Alertmanager for each threshold that is broken, again and again \
             until it holds (docs/thresholds.md). May be given several times",
            |it, value| it.receivers.add(ReceiverKind::Alertmanager, &value),
        ),
        checked(
            "--webhook",
            "URL",
            "post the same alerts to this URL, as an Alertmanager would to its webhooks. May be \
             given several times",
            |it, value| it.receivers.add(ReceiverKind::Webhook, &value),
        ),
        option(
            "--alert-auth",
            "FILE",
            "how to log in at each following --alertmanager and --webhook: a file of one line, \
             `bearer TOKEN` or `basic NAME:PASSWORD`, which is read for each post",
            |it, value| it.receivers.authorize_by(value),
        ),
        option(
            "--alert-ca",
            "FILE",
            "the authorities, in PEM, that vouch for each following --alertmanager and --webhook \
             at https:// (those that this machine trusts)",
            |it, value| it.receivers.trust(value),
        ),
        checked(
            "--web-url",
            "URL",
            "where others reach the web pages, for links in alerts (the address of --listen)",
            |it, value| {
                it.web_url = Some(receivers::web_url(&value)?);
                Ok(())
            },
        ),
        switch(
            "--no-self",
            "do not measure this run itself: no databases in gyre/NAME, no page of the store",
            |it| it.measures_itself = false,
        ),
        checked("--secrets", "WHERE", SECRETS_HELP, |it, value| {
            it.secrets.push(secrets_place(&value)?);
            Ok(())
        }),
        checked(
            "--log",
            "FORMAT",
            "how events are written to standard error: `text`, or `json`, an object on each line \
             (text)",
            |it, value| {
                it.log = match value.text()? {
                    "text" => LogFormat::Text,
                    "json" => LogFormat::Json,
                    _ => return Err(value.wrong("text or json")),
                };
                Ok(())
            },
        ),
        switch("--once", "poll once and end, as mrtg does without RunAsDaemon", |it| {
            it.cycles = Some(1);
        }),
        checked("--cycles", "N", "end after N cycles of each interval", |it, value| {
            it.cycles = Some(value.number(1..=u64::MAX)?);
            Ok(())
        }),
    ],
    notes: "\
signals:
  SIGHUP                  read the configuration anew, files that it includes and tokens too; no
                          cycle is lost, and a configuration with an error changes nothing
  SIGTERM, SIGINT         write what has been polled and end
",
};

/// The address of the web pages without `--listen`.
const LISTEN_DEFAULT: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

/// The parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) configuration: PathBuf,
    /// `None`: no web pages.
    pub(super) listen: Option<SocketAddr>,
    /// Host names besides its own that requests for the web pages may have.
    pub(super) allowed_hosts: Vec<String>,
    /// Where requests are logged.
    pub(super) request_log: Option<PathBuf>,
    pub(super) intake: Option<PathBuf>,
    /// The rules that name series.
    pub(super) series: Option<PathBuf>,
    /// Where it is said who may ask.
    pub(super) guard: GuardFiles,
    /// Paths of certificates that were given; the others are empty.
    tls: TlsFiles,
    proxy_header: Option<PathBuf>,
    proxy_addresses: Vec<IpAddr>,
    /// Where clients of rrdcached's protocol connect.
    sockets: Sockets,
    /// The last socket option that no `--rrdcached` follows.
    unused: Option<&'static str>,
    pub(super) keeping: Keeping,
    /// The run ends after this many cycles.
    pub(super) cycles: Option<u64>,
    /// Where secrets are.
    pub(super) secrets: Vec<Place>,
    /// The tables that are fed.
    pub(super) sql: Option<PathBuf>,
    /// Who is told of alerts.
    receivers: receivers::Receivers,
    /// Where others reach the web pages.
    pub(super) web_url: Option<String>,
    /// Whether the run measures itself.
    pub(super) measures_itself: bool,
    /// How events are written.
    pub(super) log: LogFormat,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            configuration: PathBuf::new(),
            listen: Some(LISTEN_DEFAULT),
            allowed_hosts: Vec::new(),
            request_log: None,
            intake: None,
            series: None,
            guard: GuardFiles::default(),
            tls: TlsFiles::default(),
            proxy_header: None,
            proxy_addresses: Vec::new(),
            sockets: Sockets::default(),
            unused: None,
            keeping: Keeping::default(),
            cycles: None,
            secrets: Vec::new(),
            sql: None,
            receivers: receivers::Receivers::default(),
            web_url: None,
            measures_itself: true,
            log: LogFormat::default(),
        }
    }
}

impl Arguments {
    /// Where clients of rrdcached's protocol connect.
    pub(super) fn rrdcached(&self) -> &[Listening] {
        &self.sockets.named
    }

    /// To whom alerts are posted.
    pub(super) fn receivers(&self) -> &[ReceiverPlace] {
        &self.receivers.places
    }
}

/// Parses the arguments of `gyre run`; `None` if they ask for help.
pub(super) fn parse(
    words: impl IntoIterator<Item = OsString>,
) -> Result<Option<Arguments>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    if let Some(option) = wanted.unused {
        let words = format!("{option} holds for each --rrdcached that follows, and none follows");
        return Err(Misuse::unfit(words));
    }
    wanted.receivers.check()?;
    wanted.guard.tls = tls(&wanted.tls)?;
    wanted.guard.proxies = proxies(&wanted)?;
    if wanted.guard.tokens.is_some() && wanted.listen.is_none() && wanted.rrdcached().is_empty() {
        let words = "--tokens is for web pages and --rrdcached, and there is neither";
        return Err(Misuse::unfit(words));
    }
    match <[OsString; 1]>::try_from(operands) {
        Ok([file]) => Ok(Some(Arguments { configuration: file.into(), ..wanted })),
        Err(files) => Err(Misuse::words("one configuration file", files.len())),
    }
}

/// Both files of a certificate; none where no option names one.
fn tls(files: &TlsFiles) -> Result<Option<TlsFiles>, Misuse> {
    let is_empty = |path: &PathBuf| path.as_os_str().is_empty();
    match (is_empty(&files.certificate), is_empty(&files.key)) {
        (false, false) => Ok(Some(files.clone())),
        (true, true) if files.client_authorities.is_none() => Ok(None),
        _ => Err(Misuse::unfit("TLS needs both --tls-cert and --tls-key")),
    }
}

/// Who says in which header who asks.
fn proxies(wanted: &Arguments) -> Result<Option<ProxyUsers>, Misuse> {
    let header = wanted.proxy_header.as_ref().map(|header| header.display().to_string());
    let addresses = wanted.proxy_addresses.clone();
    let proxies = ProxyUsers::of_options(header, addresses, wanted.guard.tokens.is_some());
    proxies.map_err(|incomplete| Misuse::unfit(incomplete.to_string()))
}

/// A host name that requests for the web pages may have, with or without a port; `*` is every name.
pub(crate) fn host_name(value: &Value) -> Result<String, Misuse> {
    // A URL would never match the Host header of a request, so all requests would be refused.
    let is_wrong = |letter: char| letter.is_whitespace() || letter == '/';
    match value.text()? {
        name if name.is_empty() || name.contains(is_wrong) => Err(value.wrong("a host's name")),
        name => Ok(name.to_owned()),
    }
}

/// Sets a property of the sockets of rrdcached's protocol.
fn set_of_sockets(
    value: &Value,
    expected: &'static str,
    set: impl FnOnce(&str) -> Result<(), SocketMisuse>,
) -> Result<(), Misuse> {
    set(filled(value, expected)?).map_err(|misuse| value.unusable(misuse))
}

/// Text that is not empty.
fn filled<'a>(value: &'a Value, expected: &'static str) -> Result<&'a str, Misuse> {
    Some(value.text()?).filter(|text| !text.is_empty()).ok_or_else(|| value.wrong(expected))
}

/// What `--secrets` does.
pub(crate) const SECRETS_HELP: &str = "where the secret NAME is for which a community, password or key `$NAME` stands: a file of \
     lines NAME=SECRET, a directory with a file for each, `env` (the environment) or `credentials` \
     (of systemd). May be given several times; the first that has it wins. `$$` stands for `$`";

/// The value of `--secrets`.
pub(crate) fn secrets_place(value: &Value) -> Result<Place, Misuse> {
    Ok(match value.text()? {
        "" => return Err(value.wrong("a path, env or credentials")),
        "env" => Place::Environment,
        "credentials" => Place::Credentials,
        path => Place::Path(path.into()),
    })
}

fn sync_when(value: &Value) -> Result<SyncWhen, Misuse> {
    match value.text()? {
        "always" => Ok(SyncWhen::Always),
        "off" => Ok(SyncWhen::Off),
        text => {
            let seconds = text.parse::<u32>().ok().filter(|seconds| *seconds > 0);
            let expected = || value.wrong("always, off or a number of seconds above zero");
            let seconds = seconds.ok_or_else(expected)?;
            Ok(SyncWhen::Every(Duration::from_secs(seconds.into())))
        }
    }
}

#[cfg(test)]
mod tests;
