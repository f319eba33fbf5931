//! A private Alertmanager that tells a webhook of the alerts that it gets.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::HttpReply;
use crate::http;
use crate::running;
use crate::server_process::{Place, Reach, ServerProcess};

/// The user of an Alertmanager that is reached by TLS.
pub const ALERTMANAGER_USER: &str = "gyre";
/// The user's password.
pub const ALERTMANAGER_PASSWORD: &str = "s3cret";
/// The bcrypt hash of it.
const HASH: &str = "$2b$04$abcdefghijklmnopqrstuuLZYjhNQAOdpbzt4WxWlUHjv1wsyH5DG";

/// A running server with all its files in a temporary directory. It is killed when dropped, and
/// when this process ends.
#[derive(Debug)]
pub struct Alertmanager {
    server: ServerProcess,
    program: PathBuf,
}

/// What an Alertmanager does with alerts.
#[derive(Clone, Debug)]
pub struct Notifying<'a> {
    /// The webhook to which it posts them.
    pub webhook: &'a str,
    /// The name of the receiver behind which that webhook is.
    pub receiver: &'a str,
    /// The labels by which alerts are grouped.
    pub group_by: &'a [&'a str],
}

impl Alertmanager {
    /// Starts a server that is reached by a port, in the clear or by TLS, and then with a password;
    /// `None` if it is missing, after printing what is not tested.
    ///
    /// # Panics
    ///
    /// If it does not start, or if it is missing and the environment variable `CI` is set.
    #[must_use]
    pub fn start(notifying: &Notifying<'_>, reach: Reach, what_it_tests: &str) -> Option<Self> {
        let program = crate::program("prometheus-alertmanager", what_it_tests)?;
        let place = Place::make(&std::env::temp_dir(), reach, what_it_tests)?;
        let Notifying { webhook, receiver, group_by } = notifying;
        let config = format!(
            "route: {{receiver: {receiver}, group_by: {group_by:?}, group_wait: 1s, \
             group_interval: 1s}}\nreceivers:\n- name: {receiver}\n  webhook_configs:\n  \
             - {{url: {webhook:?}, send_resolved: true}}\n"
        );
        let web = place.certificates.as_ref().map_or_else(
            || "{}\n".to_owned(),
            |made| {
                format!(
                    "tls_server_config: {{cert_file: {:?}, key_file: {:?}}}\n\
                     basic_auth_users: {{{ALERTMANAGER_USER}: {HASH:?}}}\n",
                    made.server, made.key
                )
            },
        );
        for (name, text) in [("config", config), ("web", web)] {
            std::fs::write(place.path(name), text).expect("the directory is ours");
        }
        let command = command(&program, place.room.path(), place.port.expect("it has a port"));
        let server = ServerProcess::start(place, command);
        let mut started = Self { server, program };
        started.wait();
        Some(started)
    }

    fn wait(&mut self) {
        let address = self.address();
        let is_encrypted = self.server.certificates().is_some();
        self.server.wait_until(|| match is_encrypted {
            true => TcpStream::connect(&address).is_ok(),
            false => http::ask(&address, "/-/ready", &[]).is_ok_and(|reply| reply.status == 200),
        });
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.server.port().unwrap_or_default())
    }

    /// The file of the authority that vouches for it.
    ///
    /// # Panics
    ///
    /// If it is reached in the clear.
    #[must_use]
    pub fn authority(&self) -> &Path {
        &self.server.certificates().expect("it is reached by TLS").authority
    }

    /// The answer to a request with parameters.
    ///
    /// # Panics
    ///
    /// If the server does not speak HTTP.
    #[must_use]
    pub fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> HttpReply {
        http::ask(&self.address(), path, parameters).expect("the server answers")
    }

    /// Halts it: its port takes connections, and nobody answers.
    pub fn halt(&self) {
        self.server.signal(Signal::STOP);
    }

    /// Ends that.
    pub fn go_on(&self) {
        self.server.signal(Signal::CONT);
    }

    /// Kills it: its port refuses connections.
    pub fn kill(&mut self) {
        self.server.kill9();
    }

    /// Starts it again.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn start_again(&mut self) {
        let port = self.server.port().unwrap_or_default();
        self.server.start_again(command(&self.program, self.server.room(), port));
        self.wait();
    }
}

fn command(program: &Path, room: &Path, port: u16) -> Command {
    let mut command = running::own(program, None);
    command.arg("--config.file").arg(room.join("config"));
    command.arg("--web.config.file").arg(room.join("web"));
    command.arg("--storage.path").arg(room.join("data"));
    // Without an address for a cluster, it listens for no other.
    command.arg("--cluster.listen-address=");
    command.arg(format!("--web.listen-address=127.0.0.1:{port}"));
    command
}
