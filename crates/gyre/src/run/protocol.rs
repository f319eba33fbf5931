//! Serves rrdcached's protocol over the databases of a run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::guard::Exposed;
use daemon::{
    Encryption, Level, Limits, ListenError, Listener, Listening, Log, Paths, Server, Terms,
};
use rrdtool::system_words;

use super::event::Event;
use super::guard::Guard;
use super::keeping::Kept;

/// At the end of a run, how long clients may take to read the answers to their requests.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// Why the protocol cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProtocolError {
    /// A socket cannot be opened.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// Others reach it, and nothing says who may ask.
    #[error("--rrdcached {0}")]
    Exposed(Exposed),
    /// The directory of the databases does not exist, or the system refuses a thread.
    #[error("serving {}: {}", root.display(), system_words(cause))]
    System {
        /// The directory of the databases.
        root: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
}

/// The server for clients of a run.
pub(super) struct Protocol(Server);

impl Protocol {
    /// Serves up to `clients` clients at these sockets; none without sockets. Clients can use
    /// databases by name, and by a path below the directory of the databases; other paths are
    /// refused.
    pub(super) fn serve(
        sockets: &[Listening],
        kept: &Kept,
        clients: usize,
        guard: &Guard,
    ) -> Result<Option<Self>, ProtocolError> {
        if sockets.is_empty() {
            return Ok(None);
        }
        let failed = |cause| ProtocolError::System { root: kept.root.clone(), cause };
        let base = kept.root.canonicalize().map_err(failed)?;
        let encryption = guard.tls().map(Encryption::start).transpose().map_err(failed)?;
        let mut listeners = Vec::new();
        for socket in sockets {
            listeners.extend(Listener::open_encrypted(socket, encryption.as_ref())?);
        }
        let access = guard.access();
        if !access.says_who()
            && let Some(address) = listeners.iter().find_map(Listener::exposed)
        {
            return Err(ProtocolError::Exposed(address));
        }
        let addresses: Vec<String> = listeners.iter().filter_map(Listener::address).collect();
        // Another program may replace a file by a symbolic link, so each path is checked when it is
        // used.
        let paths = match kept.ring() {
            Some(_) => Paths::of_names(&base, true),
            None => Paths::of_files(&base, true).map_err(failed)?.without_memory(),
        };
        let terms = Terms {
            paths,
            log: Arc::new(Log::to(Level::Error, |words| {
                Event::error("rrdcached", format_args!("rrdcached: {words}")).tell();
            })),
            limits: Limits { clients, ..Limits::default() },
            keeps_existing: false,
            makes_directories: false,
            access,
            syncs: false,
        };
        let server = Server::start(kept.kind.clone(), terms, listeners).map_err(failed)?;
        for address in addresses {
            let words = format!("rrdcached's protocol at {address}");
            Event::info("rrdcached's protocol", words).with("address", address).tell();
        }
        Ok(Some(Self(server)))
    }

    /// Answers the requests received so far, then releases the databases.
    pub(super) fn end(self) {
        self.0.end(END_PATIENCE);
    }
}
