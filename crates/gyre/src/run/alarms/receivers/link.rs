//! The connection to a receiver.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rrdtool::system_words;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject as _};
use ureq::Agent;
use ureq::http::StatusCode;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::authorization::{self, AuthorizationError};
use super::place::ReceiverPlace;

/// How long a receiver may take to answer the connection, and for everything.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
pub(super) const POST_TIME_MAX: Duration = Duration::from_secs(10);

/// The most bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// The most letters of an error's answer that are told.
const WORDS_MAX: usize = 200;

/// Why a receiver cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    /// Its file of authorities is wrong.
    #[error("--alert-ca {}: {cause}", .path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: AuthoritiesError,
    },
    /// No authority could vouch for it.
    #[error("TLS: this machine trusts no authority; --alert-ca names a file of some")]
    NoneOfMachine,
    /// Its file of authorization is wrong.
    #[error("--alert-auth: {0}")]
    Authorization(#[from] AuthorizationError),
}

/// What is wrong with a file of authorities.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuthoritiesError {
    #[error("{0}")]
    Form(#[from] pem::Error),
    #[error("{0}")]
    Certificate(#[from] rustls::Error),
    #[error("expected certificates in PEM, found none")]
    Empty,
}

/// Why a receiver did not take a post.
#[derive(Debug, thiserror::Error)]
pub(super) enum PostError {
    #[error(transparent)]
    Authorization(#[from] AuthorizationError),
    #[error("{}", words_of(.0))]
    Connection(Box<ureq::Error>),
    #[error("no JSON: {0}")]
    Body(#[from] serde_json::Error),
    #[error("it answers {status}{words}")]
    Answer { status: StatusCode, words: String },
}

impl PostError {
    /// Whether somebody answered.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self, Self::Answer { .. })
    }

    /// Whether a smaller post may be taken.
    pub(super) fn is_too_large(&self) -> bool {
        matches!(self, Self::Answer { status: StatusCode::PAYLOAD_TOO_LARGE, .. })
    }

    /// Whether the same post would be refused again, whoever asks and whenever.
    pub(super) fn is_final(&self) -> bool {
        use StatusCode as S;
        let refusals = [S::BAD_REQUEST, S::PAYLOAD_TOO_LARGE, S::UNPROCESSABLE_ENTITY];
        match self {
            Self::Answer { status, .. } => refusals.contains(status),
            Self::Body(_) => true,
            Self::Authorization(_) | Self::Connection(_) => false,
        }
    }
}

fn words_of(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(cause) => system_words(cause).to_string(),
        ureq::Error::Timeout(_) => "it takes too long".to_owned(),
        ureq::Error::HostNotFound => "its name has no address".to_owned(),
        other => other.to_string(),
    }
}

/// A receiver, and the connection to it if there is one.
pub(super) struct Link {
    agent: Agent,
    url: String,
    authorization: Option<PathBuf>,
}

impl Link {
    /// No connection is made yet.
    pub(super) fn to(place: &ReceiverPlace) -> Result<Self, LinkError> {
        if let Some(path) = &place.authorization {
            authorization::header(path)?;
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("gyre/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT_TIME_MAX));
        if place.is_encrypted() {
            config = config.tls_config(tls(place.authorities.as_deref())?);
        }
        let (url, authorization) = (place.url.clone(), place.authorization.clone());
        Ok(Self { agent: config.build().into(), url, authorization })
    }

    /// What stands behind the URL's origin: of a webhook it may be a secret.
    fn hidden(&self) -> &str {
        let behind = self.url.split_once("://").map_or("", |(_, behind)| behind);
        behind.find('/').map_or("", |at| &behind[at..])
    }

    /// Posts a text in JSON. It takes at most that long.
    pub(super) fn post(&self, body: &[u8], time: Duration) -> Result<(), PostError> {
        let mut request = self.agent.post(&self.url).content_type("application/json");
        if let Some(path) = &self.authorization {
            request = request.header("Authorization", authorization::header(path)?);
        }
        let request = request.config().timeout_global(Some(time)).build();
        let answer = request.send(body).map_err(|error| PostError::Connection(Box::new(error)))?;
        let (head, body) = answer.into_parts();
        // The connection is used again only if all of the answer is read.
        let text = body.into_with_config().limit(ANSWER_BYTES_MAX).lossy_utf8(true);
        let text = text.read_to_string().unwrap_or_default();
        match head.status.is_success() {
            true => Ok(()),
            false => {
                Err(PostError::Answer { status: head.status, words: shown(&text, self.hidden()) })
            }
        }
    }
}

/// The beginning of an answer, on one line, without what is to be hidden: many servers repeat what
/// they were asked for.
fn shown(text: &str, hidden: &str) -> String {
    let text = if hidden.len() > 1 { text.replace(hidden, "/...") } else { text.to_owned() };
    let text = text.replace(|letter: char| letter.is_control(), " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.join(" ") {
        words if words.is_empty() => words,
        words => format!(": {}", words.chars().take(WORDS_MAX).collect::<String>()),
    }
}

fn tls(authorities: Option<&Path>) -> Result<TlsConfig, LinkError> {
    let trusted = match authorities {
        Some(path) => of_file(path)
            .map_err(|cause| LinkError::Authorities { path: path.to_owned(), cause })?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    if trusted.is_empty() {
        return Err(LinkError::NoneOfMachine);
    }
    let trusted = trusted.iter().map(|each| Certificate::from_der(each).to_owned());
    let ring = rustls::crypto::ring::default_provider();
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(trusted.collect())))
        .unversioned_rustls_crypto_provider(Arc::new(ring))
        .build())
}

fn of_file(path: &Path) -> Result<Vec<CertificateDer<'static>>, AuthoritiesError> {
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)?.collect::<Result<_, _>>()?;
    let mut usable = RootCertStore::empty();
    for certificate in &certificates {
        usable.add(certificate.clone())?;
    }
    if certificates.is_empty() {
        return Err(AuthoritiesError::Empty);
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn an_answer_shows_no_secret_and_no_escapes() {
        let text = "Cannot POST /hooks/SECRET\n\u{1b}[31mred";
        assert_eq!(shown(text, "/hooks/SECRET"), ": Cannot POST /... [31mred");
        assert_eq!(shown("not / here", "/"), ": not / here");
        assert_eq!(shown(" \n", ""), "");
    }
}
