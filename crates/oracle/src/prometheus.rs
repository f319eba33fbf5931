//! A private Prometheus over samples that were made before it started.

use std::path::Path;

use crate::http::{HttpReply, ask};
use crate::running;
use crate::server_process::{Place, Reach, ServerProcess};

/// A running server with all its files in a temporary directory. It is killed when dropped, and
/// when this process ends.
#[derive(Debug)]
pub struct Prometheus {
    server: ServerProcess,
}

impl Prometheus {
    /// Starts a server that has the samples of a text of OpenMetrics; `None` if a program is
    /// missing, after printing what is not tested.
    ///
    /// # Panics
    ///
    /// If it does not start, or if it is missing and the environment variable `CI` is set.
    #[must_use]
    pub fn start(open_metrics: &str, what_it_tests: &str) -> Option<Self> {
        let promtool = crate::program("promtool", what_it_tests)?;
        let place = Place::make(&std::env::temp_dir(), Reach::Port, what_it_tests)?;
        write(&place.path("samples"), open_metrics);
        let mut blocks = running::own(&promtool, None);
        blocks.args(["tsdb", "create-blocks-from", "openmetrics"]);
        running::succeed(blocks.arg(place.path("samples")).arg(place.path("data")));
        Self::start_in(place, "global: {}\n", what_it_tests)
    }

    /// Starts a server that has no samples itself, and asks another server for them by remote
    /// read; `None` if it is missing, after printing what is not tested.
    ///
    /// # Panics
    ///
    /// As [`Self::start`].
    #[must_use]
    pub fn start_reading_from(url: &str, what_it_tests: &str) -> Option<Self> {
        let place = Place::make(&std::env::temp_dir(), Reach::Port, what_it_tests)?;
        let config = format!("remote_read:\n- url: {url:?}\n  read_recent: true\n");
        Self::start_in(place, &config, what_it_tests)
    }

    /// Starts a server that scrapes itself each second and sends what it learns to another server
    /// by remote write; `None` if it is missing, after printing what is not tested.
    ///
    /// # Panics
    ///
    /// As [`Self::start`].
    #[must_use]
    pub fn start_writing_to(url: &str, what_it_tests: &str) -> Option<Self> {
        let place = Place::make(&std::env::temp_dir(), Reach::Port, what_it_tests)?;
        let port = place.port.unwrap_or_default();
        let config = format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: itself\n  \
             static_configs: [{{targets: [\"127.0.0.1:{port}\"]}}]\nremote_write:\n- url: {url:?}\n  \
             queue_config: {{batch_send_deadline: 1s}}\n"
        );
        Self::start_in(place, &config, what_it_tests)
    }

    fn start_in(place: Place, config: &str, what_it_tests: &str) -> Option<Self> {
        let program = crate::program("prometheus", what_it_tests)?;
        write(&place.path("config"), config);
        let address = format!("127.0.0.1:{}", place.port.expect("it was asked for"));
        let mut command = running::own(&program, None);
        command.arg("--config.file").arg(place.path("config"));
        command.arg("--storage.tsdb.path").arg(place.path("data"));
        command.args(["--storage.tsdb.retention.time", "100y", "--web.listen-address", &address]);
        let mut server = ServerProcess::start(place, command);
        server.wait_until(|| ask(&address, "/-/ready", &[]).is_ok_and(|reply| reply.status == 200));
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
        ask(&self.address(), path, parameters).expect("the server answers")
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the directory is ours");
}
