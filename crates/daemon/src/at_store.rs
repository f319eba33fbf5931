//! The socket of a ring store: the process that has a store open lets all others reach it there.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ring::RingStore;

use crate::address::Address;
use crate::admission::Access;
use crate::limits::Limits;
use crate::listen::{ListenError, Listener};
use crate::log::{Level, Log};
use crate::paths::Paths;
use crate::server::Server;
use crate::session::Permissions;
use crate::shelf::Kept;
use crate::sockets::Listening;
use crate::terms::Terms;

/// How long clients may take at the end to read what they are owed.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// A ring store is served in its own directory, until this is dropped.
pub struct AtStore(Option<Server>);

/// Why a ring store is not served in its directory.
#[derive(Debug, thiserror::Error)]
pub enum AtStoreError {
    /// There is no socket.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The directory has no path, or the system refuses a thread.
    #[error("serving {}: {}", root.display(), rrdtool::system_words(cause))]
    System {
        /// The store's directory.
        root: PathBuf,
        /// What it says.
        cause: io::Error,
    },
}

impl AtStore {
    /// Serves a store that this process has open, for the user's own processes and whom the mask of
    /// new files lets in; for a group's, by name or number, where one is given. What clients are
    /// told is on disk, whatever the store was opened for.
    ///
    /// # Errors
    /// [`AtStoreError`].
    pub fn serve(
        ring: &Arc<RingStore>,
        group: Option<&str>,
        say: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, AtStoreError> {
        let failed = |cause| AtStoreError::System { root: ring.root().into(), cause };
        let root = ring.root().canonicalize().map_err(failed)?;
        let listening = Listening {
            address: Address::Unix(RingStore::socket_at(&root)),
            permissions: Permissions::ALL,
            group: group.map(str::to_owned),
            mode: None,
        };
        let listeners = Listener::open(&listening)?;
        let terms = Terms {
            paths: Paths::of_names(&root, true),
            log: Arc::new(Log::to(Level::Error, say)),
            limits: Limits::default(),
            keeps_existing: false,
            makes_directories: false,
            access: Access::default(),
            syncs: true,
        };
        let kept = Kept::Ring(Arc::clone(ring));
        Server::start(kept, terms, listeners).map(|server| Self(Some(server))).map_err(failed)
    }
}

impl Drop for AtStore {
    fn drop(&mut self) {
        if let Some(server) = self.0.take() {
            server.end(END_PATIENCE);
        }
    }
}
