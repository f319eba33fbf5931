//! Samples of agents (`--intake`): the file that says how, what takes them, and the sockets.

mod error;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agents::{Collectd, Listeners, Listening, Options, Tell};
use intake::{Intake, Protocol, Settings, Tallies};
use senders::collectd::Level;
use server::{Arrivals, Heard};
use store::Rooted;

pub(crate) use error::IntakeError;

/// What is taken from whom.
pub(crate) struct Hearing {
    file: PathBuf,
    intake: Arc<Intake>,
    tallies: Arc<Tallies>,
    takes_http: bool,
    /// What collectd's packets have to be, as was said at the start: by this the socket may be
    /// where it is.
    collectd_security: Level,
    sockets: Option<Listeners>,
}

/// What holds for all senders.
pub(crate) struct Terms {
    /// The store that takes their samples.
    pub(crate) store: Rooted,
    /// Whether there are web pages, beside which HTTP is taken.
    pub(crate) has_pages: bool,
    /// Whether everybody may send, wherever it listens.
    pub(crate) is_insecure: bool,
    /// Connections at the same time.
    pub(crate) connections_max: usize,
    /// Tells an operator.
    pub(crate) tell: Tell,
}

fn settings(file: &Path) -> Result<Settings, IntakeError> {
    let unreadable = |cause| IntakeError::Unreadable { path: file.to_owned(), cause };
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    Settings::of_text(&text).map_err(|wrong| IntakeError::Wrong { path: file.to_owned(), wrong })
}

/// What the file says, and those that it names.
pub(crate) struct Prepared {
    file: PathBuf,
    settings: Settings,
    collectd: Collectd,
}

impl Prepared {
    /// What the file says.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads the file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is wrong.
    pub(crate) fn read(file: &Path) -> Result<Self, IntakeError> {
        let settings = settings(file)?;
        let collectd = collectd(file, &settings)?;
        Ok(Self { file: file.to_owned(), settings, collectd })
    }

    /// Listens as the file says.
    ///
    /// # Errors
    ///
    /// An address cannot be had, or would let in whoever comes.
    pub(crate) fn hear(self, terms: Terms) -> Result<Hearing, IntakeError> {
        let Self { file, settings, collectd } = self;
        if settings.http && !terms.has_pages {
            return Err(IntakeError::NoPages);
        }
        let sockets: Vec<Listening> = settings.sockets.iter().map(listening).collect();
        for &Listening { protocol, address } in &sockets {
            let is_open = ::guard::is_exposed(address.ip()) && !settings.knows_senders(protocol);
            if is_open && !terms.is_insecure {
                return Err(IntakeError::Exposed { protocol, address });
            }
        }
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(IntakeError::Random)?;
        let secret = u128::from_ne_bytes(secret);
        let secret = [secret as u64, (secret >> 64) as u64];
        let Settings { rules, limits, .. } = &settings;
        let intake = Arc::new(Intake::new(terms.store, rules.clone(), *limits, secret));
        let tallies = Arc::<Tallies>::default();
        let options = Options {
            connections_max: terms.connections_max,
            collectd,
            statsd_interval: Duration::from_secs(settings.statsd_interval_seconds),
            ..Options::new(terms.tell)
        };
        let open = || Listeners::open(&sockets, intake.clone(), tallies.clone(), options);
        let listeners = (!sockets.is_empty()).then(open).transpose()?;
        let Settings { http: takes_http, collectd_security, .. } = settings;
        Ok(Hearing { file, intake, tallies, takes_http, collectd_security, sockets: listeners })
    }
}

impl Hearing {
    /// Where it listens, with the ports that it got.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = (Protocol, SocketAddr)> {
        let sockets = self.sockets.iter().flat_map(Listeners::addresses);
        sockets.map(|&Listening { protocol, address }| (protocol, address))
    }

    /// What takes samples over HTTP, if it is to.
    pub(crate) fn arrivals(&self) -> Option<Arrivals> {
        let Self { intake, tallies, .. } = self;
        self.takes_http.then(|| Arrivals::new(intake.clone(), tallies.clone()))
    }

    /// What became of samples.
    pub(crate) fn heard(&self) -> Heard {
        let traffic = self.sockets.as_ref().map(Listeners::shared_traffic);
        Heard { tallies: self.tallies.clone(), traffic }
    }

    /// Reads the file again: its rules, and collectd's users and types. What else it says holds
    /// from the next start. Returns the number of rules.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is wrong; then all stays as it was.
    pub(crate) fn reload(&self) -> Result<usize, IntakeError> {
        let mut settings = settings(&self.file)?;
        settings.collectd_security = self.collectd_security;
        let collectd = collectd(&self.file, &settings)?;
        let count = settings.rules.count();
        // Rules come last: what was met before is forgotten then.
        if settings.hears(Protocol::Collectd) {
            self.sockets.iter().for_each(|sockets| sockets.set_collectd(collectd.clone()));
        }
        self.intake.follow(settings.rules);
        Ok(count)
    }

    /// Stores everything that was read, and ends.
    pub(crate) fn end(self) {
        if let Some(sockets) = self.sockets {
            sockets.stop();
        }
    }
}

fn listening(&(protocol, address): &(Protocol, SocketAddr)) -> Listening {
    Listening { protocol, address }
}

/// Paths are relative to the file that names them.
fn collectd(file: &Path, settings: &Settings) -> Result<Collectd, IntakeError> {
    if !settings.hears(Protocol::Collectd) {
        return Ok(Collectd::default());
    }
    let beside = |path: &PathBuf| file.parent().unwrap_or(Path::new("")).join(path);
    let usual = || {
        let path = PathBuf::from(Collectd::TYPES_FILE);
        if path.exists() { vec![path] } else { Vec::new() }
    };
    let types = settings.collectd_types.as_ref();
    let types = types.map_or_else(usual, |paths| paths.iter().map(beside).collect());
    let users = settings.collectd_users.as_ref().map(beside);
    Ok(Collectd::of_files(settings.collectd_security, users.as_deref(), &types)?)
}
