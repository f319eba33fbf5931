//! Samples of agents (`--intake`): the file that says how, what takes them, and the sockets.

mod error;
mod prepared;
mod reader;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::{Listeners, Listening, Options, Tell};
use intake::{Intake, Protocol, Settings, Tallies};
use server::{Arrivals, Heard};
use store::Rooted;

pub(crate) use error::IntakeError;
pub(crate) use prepared::Prepared;
use reader::Reader;

/// What is taken from whom.
pub(crate) struct Hearing {
    reader: Reader,
    intake: Arc<Intake>,
    tallies: Arc<Tallies>,
    takes_http: bool,
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

/// The file as it was read at the start.
pub(crate) struct Opened {
    prepared: Prepared,
    reader: Reader,
}

impl Opened {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is wrong.
    pub(crate) fn read(file: &Path) -> Result<Self, IntakeError> {
        let prepared = Prepared::read(file)?;
        let reader = Reader::start(file.to_owned(), prepared.settings.collectd_security)?;
        Ok(Self { prepared, reader })
    }

    /// Listens as the file says.
    ///
    /// # Errors
    ///
    /// An address cannot be had, or would let in whoever comes.
    pub(crate) fn hear(self, terms: Terms) -> Result<Hearing, IntakeError> {
        let Self { prepared: Prepared { settings, collectd }, reader } = self;
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
        let takes_http = settings.http;
        Ok(Hearing { reader, intake, tallies, takes_http, sockets: listeners })
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
        let Prepared { settings, collectd } = self.reader.read()?;
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
