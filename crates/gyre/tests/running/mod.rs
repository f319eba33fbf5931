//! A `gyre run` over a simulated network, started and ended by a test.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use simnet::{Config, MrtgSettings, SimulatedNetwork, system_clock};

use super::said::Said;

/// Four devices that answer.
pub(crate) fn network() -> SimulatedNetwork {
    network_with(|_| ())
}

/// The same with changes.
pub(crate) fn network_with(change: impl FnOnce(&mut Config)) -> SimulatedNetwork {
    let mut config = Config {
        devices: 4,
        ports: 8,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        udp_port: 0,
        ..Config::default()
    };
    change(&mut config);
    SimulatedNetwork::start(&config, system_clock).unwrap()
}

/// The network's mrtg.cfg, with a cycle each second.
pub(crate) fn configuration(network: &SimulatedNetwork, directory: &Path) -> String {
    network.mrtg_config(&MrtgSettings {
        work_directory: directory.display().to_string(),
        interval: Duration::from_secs(1),
        more: String::new(),
        with_sites: false,
    })
}

/// Writes it.
pub(crate) fn configure(network: &SimulatedNetwork, directory: &Path) {
    std::fs::write(directory.join("mrtg.cfg"), configuration(network, directory)).unwrap();
}

/// A running `gyre run`. It ends with this at the latest.
pub(crate) struct Run {
    pub(crate) process: Child,
    pub(crate) said: Said,
}

impl Run {
    /// One without web pages and without databases of its own.
    #[allow(dead_code, reason = "not every test needs one without")]
    pub(crate) fn start(directory: &Path, words: &[&str]) -> Self {
        Self::start_with(directory, &[&["--no-web", "--no-self"], words].concat(), &[])
    }

    pub(crate) fn start_with(
        directory: &Path,
        words: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gyre"))
            .arg("run")
            .arg(directory.join("mrtg.cfg"))
            // If the test dies, the run still ends by itself.
            .arg("--cycles=60")
            .args(words)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Said::by(process.stderr.take().unwrap());
        Self { process, said }
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Ends it in order; returns all its output.
    pub(crate) fn terminate(mut self) -> String {
        self.signal("TERM");
        let status = self.process.wait().unwrap();
        let said = self.said.read_rest();
        assert!(status.success(), "{said}");
        said.to_owned()
    }

    /// Ends it as `kill -9` does.
    #[allow(dead_code, reason = "not every test kills one")]
    pub(crate) fn kill(self) {}
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended
        let _ = self.process.wait();
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
