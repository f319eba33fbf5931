//! What operators need of a run: reloads, its status, secrets kept secret, parts of a site.

#[path = "../../../server/tests/exposition/mod.rs"]
mod exposition;
mod intervals;
mod limits;
mod parts;
mod reload;
mod secrets;
mod status;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::said::Said;
use serde_json::Value;
use simnet::{Config, MrtgSettings, SimulatedNetwork, system_clock};

/// A network whose devices all answer, but for the dead.
fn network(change: impl FnOnce(&mut Config)) -> SimulatedNetwork {
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

/// The network's configuration, with a cycle each second.
fn configuration(network: &SimulatedNetwork, directory: &Path) -> String {
    network.mrtg_config(&MrtgSettings {
        work_directory: directory.display().to_string(),
        interval: Duration::from_secs(1),
        more: String::new(),
    })
}

/// A `gyre run` with pages whose log is JSON.
struct Operated {
    process: Child,
    said: Said,
    address: SocketAddr,
}

impl Operated {
    fn start(directory: &Path, words: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gyre"))
            .arg("run")
            .arg(directory.join("mrtg.cfg"))
            // If the test dies, the run still ends by itself.
            .args(["--listen=127.0.0.1:0", "--log=json", "--cycles=60"])
            .args(words)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Said::by(process.stderr.take().unwrap());
        let mut run = Self { process, said, address: ([127, 0, 0, 1], 0).into() };
        let address = run.event("web pages")["address"].as_str().unwrap().parse();
        run.address = address.unwrap();
        run
    }

    /// Waits for an event.
    fn event(&mut self, name: &str) -> Value {
        serde_json::from_str(&self.said.wait_for(&format!("\"event\":\"{name}\""))).unwrap()
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.0 200") || head.starts_with("HTTP/1.1 200"), "{head}");
        body.to_owned()
    }

    /// What `gyre status` says, and its exit code.
    fn status(&self, words: &[&str]) -> (Option<i32>, String) {
        let gyre = env!("CARGO_BIN_EXE_gyre");
        let address = self.address.to_string();
        let output = Command::new(gyre).arg("status").arg(address).args(words).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text)
    }

    /// Ends it in order; returns all its events.
    fn end(mut self) -> Vec<Value> {
        self.signal("TERM");
        let status = self.process.wait().unwrap();
        let said = self.said.read_rest();
        assert!(status.success(), "{said}");
        said.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

impl Drop for Operated {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended
        let _ = self.process.wait();
    }
}
