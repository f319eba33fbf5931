//! Whom TLS trusts: one setup for both drivers.

use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::Error;

/// The authorities of a file, or else those of the machine.
pub(crate) fn authorities(ca_file: Option<&Path>) -> Result<Vec<CertificateDer<'static>>, Error> {
    // One provider for the whole process; another part of it may have chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let found = match ca_file {
        Some(file) => of_file(file)?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    match found.is_empty() {
        true => Err(Error::Unreachable(match ca_file {
            Some(file) => format!("TLS: {}: expected certificates, found none", file.display()),
            None => "TLS: this machine trusts no authority; `ca_file` names one".into(),
        })),
        false => Ok(found),
    }
}

fn of_file(file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::Unreachable(format!("TLS: {}: {error}", file.display()))
    };
    let certificates = CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))?;
    certificates.map(|certificate| certificate.map_err(|error| failed(&error))).collect()
}
