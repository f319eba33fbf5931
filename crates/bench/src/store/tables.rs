//! Tables that the store is fed into.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use feed::{FeedThread, Origin, Paces};
use serde::{Deserialize, Serialize};
use sqlclient::{Address, Deadlines, Dialect, Password, Reach, Server, Tls};
use sqlring::Selection;
use store::Store;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(300);

/// Where tables are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Tables {
    /// In a file.
    Sqlite(PathBuf),
    /// In a private server behind a socket.
    MariaDb(PathBuf),
    /// In one whose socket lies in a directory.
    Postgres(PathBuf),
}

impl Tables {
    /// How they are reached.
    pub(crate) fn address(&self) -> Address {
        let (dialect, socket) = match self {
            Self::Sqlite(path) => return Address::sqlite(path).within(patient()),
            Self::MariaDb(socket) => (Dialect::MariaDb, socket),
            Self::Postgres(directory) => (Dialect::Postgres, directory),
        };
        let server = Server {
            dialect,
            reach: Reach::Socket(socket.clone()),
            database: oracle::DATABASE_NAME.into(),
            user: oracle::DATABASE_USER.into(),
            password: Some(Password::new(oracle::DATABASE_PASSWORD.into())),
            tls: Tls::Off,
        };
        Address::server(server).within(patient())
    }

    /// Feeds the databases of such names from now on.
    pub(crate) fn feed(&self, store: Arc<dyn Store>, names: &str) -> Result<FeedThread, String> {
        let selection = Selection { names: names.to_owned(), ..Selection::all() };
        feed::create(&self.address(), &selection, "").map_err(|error| error.to_string())?;
        let tell = Box::new(|line: &str| eprintln!("{line}"));
        let origin = Origin::new(store);
        let name = "the benchmark".to_owned();
        FeedThread::start(origin, self.address(), name, Paces::default(), tell)
            .map_err(|error| error.to_string())
    }
}

fn patient() -> Deadlines {
    Deadlines { call: PATIENCE, ..Deadlines::default() }
}
