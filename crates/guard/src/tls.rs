//! TLS for what a process serves: a certificate, its key, and whose certificates clients show.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};
use webpki::EndEntityCert;

/// Where certificates and keys lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, and those between it and its authority, in PEM.
    pub certificate: PathBuf,
    /// The key of the certificate, in PEM.
    pub key: PathBuf,
    /// The authorities whose certificates clients must show, in PEM; `None` where they show none.
    pub client_authorities: Option<PathBuf>,
}

/// Why certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is no PEM.
    #[error("{}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: pem::Error,
    },
    /// There is no certificate in it.
    #[error("{}: expected certificates in PEM, found none", .0.display())]
    NoCertificate(PathBuf),
    /// A certificate is broken, or none of an authority.
    #[error("{}: {cause}", .path.display())]
    Authority {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: rustls::Error,
    },
    /// The authorities are of no use.
    #[error("{}: {cause}", .path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: VerifierBuilderError,
    },
    /// The certificate and the key do not go together, or one of them is of an unknown kind.
    #[error("{} and {}: {cause}", .certificate.display(), .key.display())]
    Pair {
        /// The certificate.
        certificate: PathBuf,
        /// The key.
        key: PathBuf,
        /// What is wrong.
        cause: rustls::Error,
    },
}

/// TLS as its files say it. All clones are the same: what is read again holds for all of them, and
/// for the connections that come from then on.
#[derive(Clone, Debug)]
pub struct Tls(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    files: TlsFiles,
    config: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let config = RwLock::new(read(&files)?);
        Ok(Self(Arc::new(Kept { files, config })))
    }

    /// Reads the files again. If they cannot be used, all stays as it was.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn reload(&self) -> Result<(), TlsError> {
        let config = read(&self.0.files)?;
        *self.0.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        Ok(())
    }

    /// What holds for a connection that comes now.
    #[must_use]
    pub fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.config.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether every client has to show a certificate.
    #[must_use]
    pub fn knows_clients(&self) -> bool {
        self.0.files.client_authorities.is_some()
    }
}

/// The names of the client that showed these certificates: those of hosts among the alternative
/// names of its own, which comes first.
#[must_use]
pub fn names_of_client(certificates: &[CertificateDer<'_>]) -> Vec<String> {
    let Some(own) = certificates.first() else { return Vec::new() };
    let read = EndEntityCert::try_from(own);
    read.map_or_else(|_| Vec::new(), |own| own.valid_dns_names().map(str::to_owned).collect())
}

fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = certificates(&files.certificate)?;
    let failed = |cause| TlsError::File { path: files.key.clone(), cause };
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(failed)?;
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    // Both versions are of this provider's.
    let builder =
        builder.with_safe_default_protocol_versions().map_err(|cause| pair(files, cause))?;
    let builder = match &files.client_authorities {
        Some(path) => builder.with_client_cert_verifier(verifier(path, provider)?),
        None => builder.with_no_client_auth(),
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|cause| pair(files, cause))?;
    // A client that looks whether its connection still stands would take a ticket for an answer.
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}

fn pair(files: &TlsFiles, cause: rustls::Error) -> TlsError {
    TlsError::Pair { certificate: files.certificate.clone(), key: files.key.clone(), cause }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let failed = |cause| TlsError::File { path: path.to_owned(), cause };
    let found = CertificateDer::pem_file_iter(path).map_err(failed)?;
    let found: Vec<_> = found.collect::<Result<_, _>>().map_err(failed)?;
    match found.is_empty() {
        true => Err(TlsError::NoCertificate(path.to_owned())),
        false => Ok(found),
    }
}

fn verifier(
    path: &Path,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn rustls::server::danger::ClientCertVerifier>, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        let broken = |cause| TlsError::Authority { path: path.to_owned(), cause };
        roots.add(certificate).map_err(broken)?;
    }
    let unusable = |cause| TlsError::Authorities { path: path.to_owned(), cause };
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().map_err(unusable)
}
