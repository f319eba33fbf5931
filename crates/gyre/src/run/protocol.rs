//! rrdcached's protocol over the databases of a run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use daemon::{Level, Limits, ListenError, Listener, Listening, Log, Paths, Server, Terms};
use rrdtool::system_words;

use super::keeping::Kept;
use super::tell;

/// How long clients may take at the end to read what they are owed.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// Why the protocol is not spoken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProtocolError {
    /// There is no socket where one should be.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The directory of the databases is not there, or the system refuses a thread.
    #[error("serving {}: {}", root.display(), system_words(cause))]
    System {
        /// Where the databases are.
        root: PathBuf,
        /// What it says.
        cause: std::io::Error,
    },
}

/// The clients of a run.
pub(super) struct Protocol(Server);

impl Protocol {
    /// Serves so many clients at these sockets, if there are any. The databases go by their names,
    /// and by paths below the directory that they are kept in; nothing else is reached.
    pub(super) fn serve(
        sockets: &[Listening],
        kept: &Kept,
        clients: usize,
    ) -> Result<Option<Self>, ProtocolError> {
        if sockets.is_empty() {
            return Ok(None);
        }
        let failed = |cause| ProtocolError::System { root: kept.root.clone(), cause };
        let base = kept.root.canonicalize().map_err(failed)?;
        let mut listeners = Vec::new();
        for socket in sockets {
            listeners.extend(Listener::open(socket)?);
        }
        let addresses: Vec<String> = listeners.iter().filter_map(Listener::address).collect();
        // Another program may put a link in the place of a file: each path is looked at when it is
        // used.
        let paths = match kept.ring() {
            Some(_) => Paths::of_names(&base, true),
            None => Paths::of_files(&base, true).map_err(failed)?.without_memory(),
        };
        let terms = Terms {
            paths,
            log: Arc::new(Log::to(Level::Error, |words| tell(format_args!("rrdcached: {words}")))),
            limits: Limits { clients, ..Limits::default() },
            keeps_existing: false,
            makes_directories: false,
            syncs: false,
        };
        let server = Server::start(kept.kind.clone(), terms, listeners).map_err(failed)?;
        for address in addresses {
            tell(format_args!("rrdcached's protocol at {address}"));
        }
        Ok(Some(Self(server)))
    }

    /// Answers what was asked before, and holds the databases no longer.
    pub(super) fn end(self) {
        self.0.end(END_PATIENCE);
    }
}
