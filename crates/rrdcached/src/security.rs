//! How a client trusts a daemon, and is known to it.
//!
//! `RRDCACHED_CA_FILE` names the authorities, in PEM, whose certificates a daemon at `tls:HOST:PORT`
//! may have; without it they are those that the machine trusts. `RRDCACHED_CERT_FILE` and
//! `RRDCACHED_KEY_FILE` name a certificate and its key, in PEM, which are shown to such a daemon if it
//! asks for one (`--tls-client-ca`). `RRDCACHED_TOKEN_FILE` names a file with a token, which is shown
//! to daemons over TLS and on this machine, and to no others.

use std::io::{self, Read as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WantsClientCert;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, ConfigBuilder, RootCertStore, StreamOwned};

/// Names a file with the authorities to trust.
const CA_VARIABLE: &str = "RRDCACHED_CA_FILE";
/// Names a file with the certificate to show.
const CERTIFICATE_VARIABLE: &str = "RRDCACHED_CERT_FILE";
/// Names a file with the key of that certificate.
const KEY_VARIABLE: &str = "RRDCACHED_KEY_FILE";
/// Names a file with a token.
const TOKEN_VARIABLE: &str = "RRDCACHED_TOKEN_FILE";
/// The most bytes of a token.
const TOKEN_BYTES_MAX: u64 = 4096;

/// Why a connection is not secured.
#[derive(Debug, thiserror::Error)]
enum Unsecured {
    #[error("{variable}: {}: {cause}", .path.display())]
    Pem { variable: &'static str, path: PathBuf, cause: pem::Error },
    #[error("{variable}: {}: expected certificates in PEM, found none", .path.display())]
    NoCertificate { variable: &'static str, path: PathBuf },
    #[error("this machine trusts no authority; {CA_VARIABLE} names a file of some")]
    NoneOfMachine,
    #[error("{0} is set without {1}: a certificate is of use with its key alone")]
    Half(&'static str, &'static str),
    #[error("{CERTIFICATE_VARIABLE} and {KEY_VARIABLE}: {} and {}: {cause}",
        .certificate.display(), .key.display())]
    Pair { certificate: PathBuf, key: PathBuf, cause: rustls::Error },
    #[error("{TOKEN_VARIABLE}: {}: {cause}", .path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    #[error("{TOKEN_VARIABLE}: {}: expected a token on one line", .0.display())]
    NoToken(PathBuf),
    #[error("{host}: {cause}")]
    Name { host: String, cause: InvalidDnsNameError },
    #[error(transparent)]
    Tls(#[from] rustls::Error),
}

impl From<Unsecured> for io::Error {
    fn from(unsecured: Unsecured) -> Self {
        Self::other(unsecured)
    }
}

/// A connection that is encrypted.
pub(crate) type Encrypted = StreamOwned<ClientConnection, TcpStream>;

/// Agrees on keys with a daemon of this name, which proves it by its certificate.
///
/// # Errors
/// It does not, or is not one to trust.
pub(crate) fn encrypt(host: &str, stream: TcpStream) -> io::Result<Encrypted> {
    let connection = connection(host)?;
    let mut encrypted = StreamOwned::new(connection, stream);
    while encrypted.conn.is_handshaking() {
        encrypted.conn.complete_io(&mut encrypted.sock)?;
    }
    Ok(encrypted)
}

fn connection(host: &str) -> Result<ClientConnection, Unsecured> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    let builder = builder.with_root_certificates(authorities()?);
    let config = Arc::new(match Identity::named()? {
        Some(identity) => identity.shown_by(builder)?,
        None => builder.with_no_client_auth(),
    });
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|cause| Unsecured::Name { host: host.to_owned(), cause })?;
    Ok(ClientConnection::new(config, name)?)
}

fn authorities() -> Result<RootCertStore, Unsecured> {
    let mut roots = RootCertStore::empty();
    match named_file(CA_VARIABLE) {
        Some(path) => {
            for certificate in certificates(CA_VARIABLE, &path)? {
                roots.add(certificate)?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                return Err(Unsecured::NoneOfMachine);
            }
        }
    }
    Ok(roots)
}

/// The certificates of a file that a variable names: at least one.
fn certificates(
    variable: &'static str,
    path: &Path,
) -> Result<Vec<CertificateDer<'static>>, Unsecured> {
    let failed = |cause| Unsecured::Pem { variable, path: path.to_owned(), cause };
    let all = CertificateDer::pem_file_iter(path).map_err(failed)?;
    let all = all.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    match all.is_empty() {
        true => Err(Unsecured::NoCertificate { variable, path: path.to_owned() }),
        false => Ok(all),
    }
}

/// A certificate that is shown, and its key.
struct Identity {
    certificate: PathBuf,
    key: PathBuf,
}

impl Identity {
    /// The one that variables name; `None` if none of them is set.
    fn named() -> Result<Option<Self>, Unsecured> {
        match (named_file(CERTIFICATE_VARIABLE), named_file(KEY_VARIABLE)) {
            (Some(certificate), Some(key)) => Ok(Some(Self { certificate, key })),
            (None, None) => Ok(None),
            (Some(_), None) => Err(Unsecured::Half(CERTIFICATE_VARIABLE, KEY_VARIABLE)),
            (None, Some(_)) => Err(Unsecured::Half(KEY_VARIABLE, CERTIFICATE_VARIABLE)),
        }
    }

    /// A client that shows it to daemons that ask for one.
    fn shown_by(
        self,
        builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    ) -> Result<ClientConfig, Unsecured> {
        let Self { certificate, key } = self;
        let chain = certificates(CERTIFICATE_VARIABLE, &certificate)?;
        let unreadable =
            |cause| Unsecured::Pem { variable: KEY_VARIABLE, path: key.clone(), cause };
        let secret = PrivateKeyDer::from_pem_file(&key).map_err(unreadable)?;
        let config = builder.with_client_auth_cert(chain, secret);
        config.map_err(|cause| Unsecured::Pair { certificate, key, cause })
    }
}

/// The token to show; `None` where no variable names a file.
///
/// # Errors
/// The file has none.
pub(crate) fn token() -> io::Result<Option<String>> {
    Ok(named_file(TOKEN_VARIABLE).map(|path| read_token(&path)).transpose()?)
}

fn read_token(path: &Path) -> Result<String, Unsecured> {
    let unreadable = |cause| Unsecured::Unreadable { path: path.to_owned(), cause };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    file.take(TOKEN_BYTES_MAX).read_to_string(&mut text).map_err(unreadable)?;
    let token = text.trim();
    match token.is_empty() || token.contains(char::is_whitespace) {
        true => Err(Unsecured::NoToken(path.to_owned())),
        false => Ok(token.to_owned()),
    }
}

fn named_file(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from)
}
