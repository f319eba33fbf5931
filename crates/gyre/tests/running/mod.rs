//! A `gyre run` over a simulated network, started and ended by a test.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use simnet::{Config, MrtgSettings, SimulatedNetwork, system_clock};

use crate::said::Said;

/// Four devices that answer.
pub(crate) fn network() -> SimulatedNetwork {
    let config = Config {
        devices: 4,
        ports: 8,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        udp_port: 0,
        ..Config::default()
    };
    SimulatedNetwork::start(&config, system_clock).unwrap()
}

/// Writes an mrtg.cfg with a cycle each second.
pub(crate) fn configure(network: &SimulatedNetwork, directory: &Path) {
    let text = network.mrtg_config(&MrtgSettings {
        work_directory: directory.display().to_string(),
        interval: Duration::from_secs(1),
        more: String::new(),
    });
    std::fs::write(directory.join("mrtg.cfg"), text).unwrap();
}

/// A running `gyre run`.
pub(crate) struct Run {
    pub(crate) process: Child,
    pub(crate) said: Said,
}

impl Run {
    pub(crate) fn start(directory: &Path, more: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gyre"))
            .arg("run")
            .arg(directory.join("mrtg.cfg"))
            // If the test dies, the run still ends by itself.
            .args(["--no-web", "--cycles=60"])
            .args(more)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Said::by(process.stderr.take().unwrap());
        Self { process, said }
    }

    /// Ends it in order; returns all its output.
    pub(crate) fn terminate(mut self) -> String {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        let status = self.process.wait().unwrap();
        let said = self.said.read_rest();
        assert!(status.success(), "{said}");
        said.to_owned()
    }

    /// Ends it as `kill -9` does.
    #[allow(dead_code, reason = "not every test kills one")]
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// Whether a verb succeeds, and its output.
pub(crate) fn gyre(words: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gyre")).args(words).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// The output of a verb that succeeds.
pub(crate) fn answer(words: &[&str]) -> String {
    let (is_well, text) = gyre(words);
    assert!(is_well, "{words:?}: {text}");
    text
}
