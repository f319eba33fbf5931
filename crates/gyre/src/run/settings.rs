//! What a run is asked to do, and the configuration that it reads again at each reload.

use std::net::SocketAddr;
use std::path::PathBuf;

use daemon::Listening;
use mrtg::{Configuration, Source};

use super::alarms::{ReceiverPlace, UnusableError, check_usable};
use super::guard::GuardFiles;
use super::keeping::Keeping;
use super::secrets::{Place, Secrets, SecretsError};

/// What to run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The path of the configuration, as the source takes it.
    pub(crate) configuration: PathBuf,
    /// How databases are kept.
    pub(crate) keeping: Keeping,
    /// The address of the web pages; `None` for no pages.
    pub(crate) listen: Option<SocketAddr>,
    /// Host names besides its own that requests for the web pages may have.
    pub(crate) allowed_hosts: Vec<String>,
    /// The file that says who may see the web pages; `None` for everybody.
    pub(crate) guard: GuardFiles,
    /// Where requests for web pages are logged.
    pub(crate) request_log: Option<PathBuf>,
    /// The file of rules that name series.
    pub(crate) series: Option<PathBuf>,
    /// How samples of agents are taken; `None` where none are.
    pub(crate) intake: Option<PathBuf>,
    /// Where clients of rrdcached's protocol connect.
    pub(crate) rrdcached: Vec<Listening>,
    /// The run ends after this many cycles; `None` for no end.
    pub(crate) cycles: Option<u64>,
    /// A notice on every page.
    pub(crate) notice: Option<String>,
    /// Where the secrets are that the configuration names.
    pub(crate) secrets: Vec<Place>,
    /// The tables that are fed: a file of SQLite's, or one that names a server.
    pub(crate) sql: Option<PathBuf>,
    /// To whom alerts are posted.
    pub(crate) receivers: Vec<ReceiverPlace>,
    /// Where others reach the web pages; `None` if only their address is known.
    pub(crate) web_url: Option<String>,
    /// Whether it measures itself.
    pub(crate) measures_itself: bool,
}

/// What a run reads when it begins, and again at each reload.
pub(super) struct Read {
    pub(super) configuration: Configuration,
    pub(super) secrets: Secrets,
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The configuration is wrong.
    #[error(transparent)]
    Configuration(#[from] mrtg::Error),
    /// What it names for its thresholds is not there.
    #[error(transparent)]
    Unusable(#[from] UnusableError),
    /// Secrets cannot be read.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
}

impl Settings {
    /// Reads secrets and configuration; targets of other parts are left out.
    pub(super) fn read(&self, source: &dyn Source) -> Result<Read, ReadError> {
        let secrets = Secrets::at(&self.secrets)?;
        let mut configuration = Configuration::read(&self.configuration, source)?;
        if let Some(part) = self.keeping.part {
            part.keep_own(&mut configuration);
        }
        check_usable(&configuration)?;
        Ok(Read { configuration, secrets })
    }
}
