//! The words of the command line, as rrdcached reads them.

mod rows;
mod value;
mod help;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::options::getopt::{Misread, Scan};

use guard::{ProxyIncomplete, ProxyUsers, TlsError, TlsFiles, TokensError};

use crate::listen::ListenError;
use crate::log::{LEVELS, Level};
use crate::process::group::UnknownGroup;
use crate::sockets::{SocketMisuse, Sockets};
pub(crate) use help::{described, text as help};
use rows::rows;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Sockets that `-l` and `-L` name.
    pub(crate) sockets: Sockets,
    pub(crate) base: PathBuf,
    pub(crate) only_base: bool,
    pub(crate) makes_directories: bool,
    pub(crate) keeps_existing: bool,
    pub(crate) write_after: Duration,
    pub(crate) spread: Duration,
    pub(crate) write_threads: usize,
    pub(crate) journal: Option<PathBuf>,
    pub(crate) journal_bytes_max: u64,
    pub(crate) flushes_at_end: bool,
    pub(crate) stays_in_foreground: bool,
    pub(crate) pid_file: PathBuf,
    pub(crate) user: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) log: Option<PathBuf>,
    pub(crate) level: Level,
    pub(crate) store: Option<PathBuf>,
    /// Whether the ring store takes disk space as rows are written, from now on.
    pub(crate) sparse: bool,
    /// The group that may reach a ring store in its directory.
    pub(crate) store_group: Option<String>,
    pub(crate) sync: Sync,
    pub(crate) open_files: usize,
    pub(crate) clients: usize,
    pub(crate) patience: Duration,
    /// The tables that are fed: a file of SQLite's, or one that names a server.
    pub(crate) sql: Option<PathBuf>,
    /// Where web pages are shown.
    pub(crate) web: Option<SocketAddr>,
    /// How samples of agents are taken.
    pub(crate) intake: Option<PathBuf>,
    /// The directory of the boards that pages show.
    pub(crate) boards: Option<PathBuf>,
    /// The rules that name the series of databases.
    pub(crate) series: Option<PathBuf>,
    /// Names besides its own under which web pages may be asked for.
    pub(crate) allowed_hosts: Vec<String>,
    /// Where requests for web pages are logged; `-` is standard output.
    pub(crate) request_log: Option<PathBuf>,
    /// The tokens of those who may ask.
    pub(crate) tokens: Option<PathBuf>,
    pub(crate) tls_certificate: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    /// The authorities of clients' certificates.
    pub(crate) tls_client_authorities: Option<PathBuf>,
    proxy_header: Option<String>,
    proxy_addresses: Vec<IpAddr>,
    /// Whether everybody may ask, wherever the daemon listens.
    pub(crate) is_insecure: bool,
    asks_for_help: bool,
    /// What is to be said of options that have no effect.
    pub(crate) warnings: Vec<String>,
}

/// When an update is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// Once it is on disk.
    Always,
    /// At once; it is on disk so much later.
    Every(Duration),
    /// At once; the kernel decides.
    Off,
}

/// Why a command line asks for nothing that could be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub(crate) struct Refused {
    /// What is wrong.
    pub(crate) words: String,
    /// What the process ends with: rrdcached's number for it, where it has one.
    pub(crate) exit_code: u8,
}

impl Refused {
    /// Words and the number that the process ends with.
    pub(crate) fn new(exit_code: u8, words: impl Into<String>) -> Self {
        Self { words: words.into(), exit_code }
    }

    /// What the system said while something was tried.
    pub(crate) fn system(exit_code: u8, tried: &str, error: &std::io::Error) -> Self {
        Self::new(exit_code, format!("{tried}: {}", rrdtool::system_words(error)))
    }
}

impl From<Misread> for Refused {
    fn from(misread: Misread) -> Self {
        Self::new(1, misread.to_string())
    }
}

impl From<SocketMisuse> for Refused {
    fn from(misuse: SocketMisuse) -> Self {
        let exit_code = match misuse {
            SocketMisuse::Address(_) => 1,
            SocketMisuse::Command(_) => 4,
            SocketMisuse::Mode(_) => 5,
        };
        Self::new(exit_code, misuse.to_string())
    }
}

impl From<UnknownGroup> for Refused {
    fn from(unknown: UnknownGroup) -> Self {
        Self::new(5, unknown.to_string())
    }
}

impl From<TlsError> for Refused {
    fn from(error: TlsError) -> Self {
        Self::new(1, format!("TLS: {error}"))
    }
}

impl From<ProxyIncomplete> for Refused {
    fn from(incomplete: ProxyIncomplete) -> Self {
        Self::new(1, incomplete.to_string())
    }
}

impl From<TokensError> for Refused {
    fn from(error: TokensError) -> Self {
        Self::new(1, format!("--tokens: {error}"))
    }
}

impl From<ListenError> for Refused {
    fn from(error: ListenError) -> Self {
        match error {
            ListenError::Group(unknown) => unknown.into(),
            error => Self::new(1, error.to_string()),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sockets: Sockets::default(),
            base: "/tmp".into(),
            only_base: false,
            makes_directories: false,
            keeps_existing: false,
            write_after: Duration::from_secs(300),
            spread: Duration::ZERO,
            write_threads: 4,
            journal: None,
            journal_bytes_max: 4 << 30,
            flushes_at_end: false,
            stays_in_foreground: false,
            pid_file: "/var/run/rrdcached.pid".into(),
            user: None,
            group: None,
            log: None,
            level: Level::Error,
            store: None,
            sparse: false,
            store_group: None,
            sync: Sync::Always,
            open_files: 4096,
            clients: 4096,
            patience: Duration::from_secs(60),
            sql: None,
            web: None,
            intake: None,
            boards: None,
            series: None,
            allowed_hosts: Vec::new(),
            request_log: None,
            tokens: None,
            tls_certificate: None,
            tls_key: None,
            tls_client_authorities: None,
            proxy_header: None,
            proxy_addresses: Vec::new(),
            is_insecure: false,
            asks_for_help: false,
            warnings: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the words behind the program's name; `None` if they ask for help.
    ///
    /// # Errors
    /// [`Refused`].
    pub(crate) fn read(words: &[&str]) -> Result<Option<Self>, Refused> {
        let mut settings = Self::default();
        let rows = rows();
        let mut scan = Scan::new(&rows, words);
        while let Some(given) = scan.next_option()? {
            given.apply(&mut settings)?;
            if settings.asks_for_help {
                return Ok(None);
            }
        }
        if let Some(word) = scan.operands().first() {
            return Err(Refused::new(1, format!("expected an option, found '{word}'")));
        }
        settings.check()?;
        Ok(Some(settings))
    }

    /// The files that TLS is made from.
    ///
    /// # Errors
    /// One of them is missing.
    pub(crate) fn tls(&self) -> Result<Option<TlsFiles>, Refused> {
        let client_authorities = self.tls_client_authorities.clone();
        match (self.tls_certificate.clone(), self.tls_key.clone()) {
            (Some(certificate), Some(key)) => {
                Ok(Some(TlsFiles { certificate, key, client_authorities }))
            }
            (None, None) if client_authorities.is_none() => Ok(None),
            _ => Err(Refused::new(1, "TLS needs both --tls-cert and --tls-key")),
        }
    }

    /// Who says in which header who asks for web pages.
    ///
    /// # Errors
    /// One of the options for it is missing.
    pub(crate) fn proxies(&self) -> Result<Option<ProxyUsers>, ProxyIncomplete> {
        let (header, addresses) = (self.proxy_header.clone(), self.proxy_addresses.clone());
        ProxyUsers::of_options(header, addresses, self.tokens.is_some())
    }

    fn set_level(&mut self, name: &str) {
        match LEVELS.iter().find(|(known, _)| *known == name) {
            Some((_, level)) => self.level = *level,
            None => {
                let words =
                    format!("Unrecognized log level '{name}'; falling back to default LOG_ERR.");
                self.warnings.push(words);
            }
        }
    }

    /// What options say together.
    fn check(&mut self) -> Result<(), Refused> {
        let mut warn = |words: &str| self.warnings.push(words.into());
        if self.spread > self.write_after {
            warn("the spread (-z) should not be longer than the time until files are written (-w)");
        }
        if self.makes_directories && !self.only_base {
            warn("-R makes no directories without -B");
            self.makes_directories = false;
        }
        if self.store.is_some() && self.journal.is_some() {
            return Err(Refused::new(1, "a ring store (--store) has its own log: it takes no -j"));
        }
        self.check_pages()?;
        if self.store_group.is_some() && self.store.is_none() {
            return Err(Refused::new(1, "--store-group is for a ring store: it needs --store"));
        }
        if self.sparse && self.store.is_none() {
            return Err(Refused::new(1, "--sparse is for a ring store: it needs --store"));
        }
        Ok(())
    }

    /// What options say together of web pages.
    fn check_pages(&self) -> Result<(), Refused> {
        let proxies = self.proxies()?;
        if self.web.is_none() {
            for (is_given, words) in [
                (!self.allowed_hosts.is_empty(), "--allow-host is for web pages"),
                (self.series.is_some(), "--series is for query languages over HTTP"),
                (self.boards.is_some(), "--boards is for web pages"),
                (self.request_log.is_some(), "--request-log is for web pages"),
                (proxies.is_some(), "--proxy-users is for web pages"),
            ] {
                if is_given {
                    return Err(Refused::new(1, format!("{words}: it needs --web")));
                }
            }
        }
        if self.logs_requests_to_output() && !self.stays_in_foreground {
            let words = "--request-log -: a daemon in the background has no standard output: it \
                         needs -g";
            return Err(Refused::new(1, words));
        }
        Ok(())
    }

    /// Whether requests are logged where this process writes.
    pub(crate) fn logs_requests_to_output(&self) -> bool {
        self.request_log.as_deref() == Some(Path::new("-"))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rrdcached::server::Command;

    use super::{Settings, Sync};
    use crate::address::Address;

    fn read(line: &str) -> Result<Settings, (u8, String)> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let read = Settings::read(&words).map_err(|refused| (refused.exit_code, refused.words));
        read.map(|settings| settings.expect("no help was asked for"))
    }

    #[test]
    fn options_are_read_as_getopt_reads_them() {
        let settings =
            read("-w300 -z5m -gF -Bb /srv -t2 -VLOG_INFO --sync 2s --clients=7").unwrap();
        assert_eq!(settings.write_after, Duration::from_secs(300));
        assert_eq!(settings.spread, Duration::from_secs(300));
        assert!(settings.stays_in_foreground && settings.flushes_at_end && settings.only_base);
        assert_eq!((settings.base.to_str(), settings.clients), (Some("/srv"), 7));
        assert_eq!(settings.sync, Sync::Every(Duration::from_secs(2)));
        assert!(Settings::read(&["-h"]).unwrap().is_none());
    }

    #[test]
    fn sockets_are_as_the_options_before_them_say() {
        let settings = read("-l unix:/a -P FLUSH -m 660 -l 10.0.0.1 -P PING -s 4 -L").unwrap();
        let [first, second, third] = &settings.sockets.named[..] else { panic!("{settings:?}") };
        assert_eq!(first.address, Address::Unix("/a".into()));
        assert!(first.permissions.allow(Command::Update) && first.mode.is_none());
        assert!(second.permissions.allow(Command::Flush));
        assert!(!second.permissions.allow(Command::Ping));
        assert_eq!((second.mode, &second.group), (Some(0o660), &None));
        assert!(third.permissions.allow(Command::Ping) && third.group.is_some());
        assert!(settings.sockets.others.permissions.allow(Command::Ping));
    }

    #[test]
    fn what_is_wrong_is_told_with_rrdcacheds_numbers() {
        for (line, exit_code) in [
            ("-x", 1),
            ("-w", 1),
            ("foo", 1),
            ("-w x", 2),
            ("-w 0", 2),
            ("-f 0", 3),
            ("-P NIX", 4),
            ("-m 9", 5),
            ("-t 0", 1),
            ("-a 0", 10),
            ("--sync never", 2),
            ("--journal-size 5", 6),
            ("--journal-size 4X", 6),
            ("--journal-size 99999999T", 6),
            ("--store a -j b", 1),
            ("--sparse", 1),
            ("--store-group root", 1),
            ("--web localhost", 1),
            ("--web 127.0.0.1", 1),
            ("--allow-host http://a", 1),
            ("--request-log a", 1),
            ("--request-log - --web 127.0.0.1:0", 1),
            ("--proxy-from a", 1),
            ("--proxy-users a --web 127.0.0.1:0", 1),
            ("--proxy-users a --proxy-from ::1 --web 127.0.0.1:0", 1),
            ("--proxy-users a --proxy-from ::1 --tokens b", 1),
            ("-l [::1", 1),
        ] {
            assert_eq!(read(line).map_err(|(code, _)| code).map(drop), Err(exit_code), "{line}");
        }
        let web =
            "--web 127.0.0.1:0 --tokens a --proxy-users b --proxy-from ::1 -g --request-log -";
        assert!(read(web).unwrap().proxies().unwrap().is_some());
        for line in ["-w 5 -z 9", "-R", "-V foo"] {
            assert_eq!(read(line).unwrap().warnings.len(), 1, "{line}");
        }
    }
}
