//! Who may see and change what a run serves, and what of it is encrypted.

use std::path::PathBuf;

use ::guard::{ProxyUsers, Tls, TlsError, TlsFiles, TokensError, TokensFile};
use access::Current;
use daemon::Access;
use server::Gate;

use super::event::Event;
use crate::visitors::{self, VisitorsError};

/// Where it is said who may ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GuardFiles {
    /// The tokens of those who may; `None` for everybody.
    pub(crate) tokens: Option<PathBuf>,
    /// Certificates; `None` where nothing is encrypted.
    pub(crate) tls: Option<TlsFiles>,
    /// The proxies that say who asks for pages.
    pub(crate) proxies: Option<ProxyUsers>,
    /// Whether everybody may ask, wherever the run listens.
    pub(crate) is_insecure: bool,
}

/// Why it cannot be known who may ask.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GuardError {
    /// The file of `--tokens` cannot be used.
    #[error("--tokens: {0}")]
    Tokens(#[from] TokensError),
    /// The certificates cannot be used.
    #[error("TLS: {0}")]
    Tls(#[from] TlsError),
    /// The proxies cannot be believed.
    #[error(transparent)]
    Visitors(#[from] VisitorsError),
}

/// What was read of the files.
pub(super) struct Guard {
    tokens: Option<TokensFile>,
    tls: Option<Tls>,
    gate: Option<Gate>,
    is_insecure: bool,
}

impl Guard {
    /// Reads the files.
    pub(super) fn at(files: &GuardFiles) -> Result<Self, GuardError> {
        let tokens = files.tokens.as_deref().map(TokensFile::open).transpose()?;
        if let Some(file) = tokens.as_ref().filter(|file| is_empty(file)) {
            let words = format!("{}: there is no token: nobody is let in", file.path().display());
            Event::warning("tokens", words).with("count", 0).tell();
        }
        let tls = files.tls.clone().map(Tls::open).transpose()?;
        let current = tokens.as_ref().map(|file| file.current().clone());
        let gate = visitors::gate(current, files.proxies.as_ref(), |stranger| {
            let address = stranger.address.to_string();
            Event::warning("proxy users", stranger).with("address", address).tell();
        })?;
        Ok(Self { tokens, tls, gate, is_insecure: files.is_insecure })
    }

    /// The gate before the web pages.
    pub(super) fn gate(&self) -> Option<Gate> {
        self.gate.clone()
    }

    /// What encrypts.
    pub(super) fn tls(&self) -> Option<Tls> {
        self.tls.clone()
    }

    /// Who may ask over rrdcached's protocol.
    pub(super) fn access(&self) -> Access {
        Access { tokens: self.current(), is_insecure: self.is_insecure }
    }

    /// Whether somebody is asked who they are, wherever they come from.
    pub(super) fn says_who(&self) -> bool {
        self.access().says_who() || self.tls.as_ref().is_some_and(Tls::knows_clients)
    }

    /// Whether everybody may ask, wherever the run listens.
    pub(super) fn is_insecure(&self) -> bool {
        self.is_insecure
    }

    fn current(&self) -> Option<Current> {
        self.tokens.as_ref().map(|file| file.current().clone())
    }

    /// Reads the files again. Those that cannot be used change nothing.
    pub(super) fn reload(&self) {
        match self.tokens.as_ref().map(TokensFile::reload) {
            Some(Ok(count)) => {
                let words = format_args!("the tokens are read anew: {count}");
                Event::info("tokens", words).with("count", count).tell();
            }
            Some(Err(error)) => {
                let words = format!("the tokens stay as they were: {error}");
                Event::error("tokens refused", words).with("reason", error.to_string()).tell();
            }
            None => {}
        }
        match self.tls.as_ref().map(Tls::reload) {
            Some(Ok(())) => Event::info("certificate", "the certificate is read anew").tell(),
            Some(Err(error)) => {
                let words = format!("the certificate stays as it was: {error}");
                Event::error("certificate refused", words).with("reason", error.to_string()).tell();
            }
            None => {}
        }
    }
}

fn is_empty(file: &TokensFile) -> bool {
    file.current().tokens().grants().is_empty()
}
