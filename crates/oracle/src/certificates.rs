//! Certificates made on the spot, by OpenSSL.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A certificate of a server, its key, and that of the authority behind it.
#[derive(Clone, Debug)]
pub(crate) struct Certificates {
    pub(crate) authority: PathBuf,
    pub(crate) server: PathBuf,
    pub(crate) key: PathBuf,
}

/// A certificate of an authority that vouches for no server of the tests.
///
/// # Panics
///
/// If OpenSSL refuses.
pub fn other_authority(openssl: &Path, directory: &Path) -> PathBuf {
    authority(openssl, directory, "other")
}

impl Certificates {
    /// Makes an authority, and a certificate for `localhost` and `127.0.0.1`.
    pub(crate) fn make(openssl: &Path, directory: &Path) -> Self {
        let made = Self {
            authority: authority(openssl, directory, "authority"),
            server: directory.join("server.pem"),
            key: directory.join("server.key"),
        };
        let mut command = request(openssl, "server", &made.key, &made.server);
        command.arg("-CA").arg(&made.authority).arg("-CAkey").arg(directory.join("authority.key"));
        command.args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]);
        command.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        crate::running::succeed(&mut command);
        made
    }
}

fn authority(openssl: &Path, directory: &Path, name: &str) -> PathBuf {
    let certificate = directory.join(format!("{name}.pem"));
    let key = directory.join(format!("{name}.key"));
    crate::running::succeed(&mut request(openssl, name, &key, &certificate));
    certificate
}

/// A command that makes a key and its certificate, signed by itself.
fn request(openssl: &Path, name: &str, key: &Path, certificate: &Path) -> Command {
    let mut command = Command::new(openssl);
    command.args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]);
    command.args(["-pkeyopt", "ec_paramgen_curve:prime256v1"]);
    command.arg("-subj").arg(format!("/CN=gyre's tests: {name}"));
    command.arg("-keyout").arg(key).arg("-out").arg(certificate);
    command
}
