//! `gyre run` and hostile visitors: its pages stay available, and so do its descriptors.
#![allow(clippy::disallowed_methods)] // A network on loopback and processes.

mod said;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use said::Said;
use simnet::{Config, MrtgSettings, SimulatedNetwork, system_clock};

/// A read that waits longer than this counts as no answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The hard limit of open descriptors.
const DESCRIPTORS: usize = 256;

/// A running `gyre run`, which ends with its test.
struct Run {
    process: Child,
    said: Said,
    address: SocketAddr,
}

impl Run {
    fn start(directory: &Path) -> Self {
        let gyre = env!("CARGO_BIN_EXE_gyre");
        let configuration = directory.join("mrtg.cfg");
        let configuration = configuration.display();
        let mut process = Command::new("sh")
            .args(["-c", &format!(
                // If the test dies, the run still ends by itself.
                "ulimit -n {DESCRIPTORS}; exec {gyre} run {configuration} --listen 127.0.0.1:0 --cycles=60"
            )])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Said::by(process.stderr.take().unwrap());
        let mut run = Self { process, said, address: ([127, 0, 0, 1], 0).into() };
        let line = run.said.wait_for("web pages at http://");
        let address = line.trim_end_matches('/').rsplit('/').next().unwrap();
        run.address = address.parse().unwrap();
        run
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    fn get(&self, path: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn open_descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.process.id())).unwrap().count()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended
        let _ = self.process.wait();
    }
}

/// A network with a configuration that measures it every second.
///
/// `for_all` stands before its targets.
fn network(directory: &Path, for_all: &str) -> SimulatedNetwork {
    let config = Config {
        devices: 2,
        ports: 4,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        udp_port: 0,
        ..Config::default()
    };
    let network = SimulatedNetwork::start(&config, system_clock).unwrap();
    let text = network.mrtg_config(&MrtgSettings {
        work_directory: directory.display().to_string(),
        interval: Duration::from_secs(1),
        more: String::new(),
        with_sites: false,
    });
    let head = "LogFormat: rrdtool\n";
    let text = text.replace(head, &format!("{head}{for_all}"));
    std::fs::write(directory.join("mrtg.cfg"), text).unwrap();
    network
}

#[test]
fn query_languages_find_targets_by_the_labels_of_the_configuration() {
    let directory = tempfile::tempdir().unwrap();
    let _network = network(directory.path(), "gyre*Labels[_]: site=\"berlin\"\n");
    let mut run = Run::start(directory.path());
    for _ in 0..4 {
        run.said.wait_for("cycle");
    }
    let series = run.get("/api/v1/series?match[]=%7B__name__=%22ds0%22,site=%22berlin%22%7D");
    assert_eq!(series.matches("\"__name__\":\"ds0\"").count(), 8, "{series}");
    for label in ["database", "device", "site", "target"] {
        assert_eq!(series.matches(&format!("\"{label}\":")).count(), 8, "{label}: {series}");
    }
    let count = run.get("/api/v1/query?query=count(ds0)");
    assert!(count.ends_with(",\"8\"]}]}}") || count.contains(",\"8\"]"), "{count}");
    let rows = run.get("/render?target=sumSeries(*.*.ds0)&from=-30s&format=json");
    assert!(rows.contains("\"target\":\"sumSeries(*.*.ds0)\"") && rows.contains('.'), "{rows}");
    let by_tag =
        run.get("/render?target=seriesByTag('site=berlin','name=ds1')&from=-30s&format=json");
    assert_eq!(by_tag.matches("\"datapoints\"").count(), 8, "{by_tag}");
    let other = run.get("/api/v1/label/site/values?match[]=ds1");
    assert!(other.ends_with("\"data\":[\"berlin\"]}"), "{other}");
}

#[test]
fn half_requests_take_neither_the_pages_nor_the_stores_descriptors() {
    let directory = tempfile::tempdir().unwrap();
    let _network = network(directory.path(), "");
    let mut run = Run::start(directory.path());
    let half_requests: Vec<TcpStream> = (0..2 * DESCRIPTORS)
        .map(|_| {
            let mut stream = run.connect();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n"); // it may be dropped
            stream
        })
        .collect();
    // Pages have half of them; the store, which opens and closes files meanwhile, has some.
    let open = run.open_descriptors();
    assert!(open <= DESCRIPTORS * 3 / 4, "{open} are open");
    let page = run.get("/");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let targets = run.get("/api/targets.json?limit=1");
    let name = targets.split("\"name\":\"").nth(1).and_then(|rest| rest.split('"').next());
    // A graph is drawn from tiles, for which the store opens files.
    let graph = run.get(&format!("/graph/{}/day.svg", name.expect("a target")));
    assert!(graph.starts_with("HTTP/1.1 200"), "{graph}");
    run.said.wait_for("cycle");
    drop(half_requests);
}
