//! A private Alertmanager that tells what it is posted to a webhook.

use crate::HttpReply;
use crate::http;
use crate::running;
use crate::server_process::{Place, Reach, ServerProcess};

/// A running server with all its files in a temporary directory. It is killed when dropped, and
/// when this process ends.
#[derive(Debug)]
pub struct Alertmanager {
    server: ServerProcess,
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
    /// Starts a server; `None` if it is missing, after printing what is not tested.
    ///
    /// # Panics
    ///
    /// If it does not start, or if it is missing and the environment variable `CI` is set.
    #[must_use]
    pub fn start(notifying: &Notifying<'_>, what_it_tests: &str) -> Option<Self> {
        let program = crate::program("prometheus-alertmanager", what_it_tests)?;
        let place = Place::make(&std::env::temp_dir(), Reach::Port, what_it_tests)?;
        let Notifying { webhook, receiver, group_by } = notifying;
        let config = format!(
            "route: {{receiver: {receiver}, group_by: {group_by:?}, group_wait: 1s, \
             group_interval: 1s}}\nreceivers:\n- name: {receiver}\n  webhook_configs:\n  \
             - {{url: {webhook:?}, send_resolved: true}}\n"
        );
        std::fs::write(place.path("config"), config).expect("the directory is ours");
        let address = format!("127.0.0.1:{}", place.port.expect("it was asked for"));
        let mut command = running::own(&program, None);
        command.arg("--config.file").arg(place.path("config"));
        command.arg("--storage.path").arg(place.path("data"));
        // Without an address for a cluster, it listens for no other.
        command.arg("--cluster.listen-address=");
        command.args(["--web.listen-address", &address]);
        let mut server = ServerProcess::start(place, command);
        let is_ready = || http::ask(&address, "/-/ready", &[]).is_ok_and(|it| it.status == 200);
        server.wait_until(is_ready);
        Some(Self { server })
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.server.port().unwrap_or_default())
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
}
