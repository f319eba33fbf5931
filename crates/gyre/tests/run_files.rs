//! `gyre run` on `.rrd` files: it keeps as many open as the system allows, and no more.
#![allow(clippy::disallowed_methods)] // A network on loopback and a process.

mod said;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use said::Said;
use simnet::{Config, MrtgSettings, SimulatedNetwork, system_clock};

/// A process that ends with its test.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended
        let _ = self.0.wait();
    }
}

impl Run {
    /// Runs with a hard limit of descriptors until each file was written twice.
    fn start(directory: &Path, descriptors: usize) -> (Self, Said) {
        let gyre = env!("CARGO_BIN_EXE_gyre");
        let configuration = directory.join("mrtg.cfg");
        let mut process = Command::new("sh")
            // If the test dies, the run still ends by itself.
            .args([
                "-c",
                "ulimit -n $1; exec \"$0\" run $2 --rrd-files --no-web --no-self --cycles=60",
            ])
            .args([gyre, &descriptors.to_string()])
            .arg(configuration)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = Said::by(process.stderr.take().unwrap());
        let run = Self(process);
        said.wait_for("cycle 1");
        said.wait_for("cycle 2");
        (run, said)
    }

    fn open_databases(&self) -> usize {
        let entries = std::fs::read_dir(format!("/proc/{}/fd", self.0.id())).unwrap();
        let links = entries.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
        links.filter(|link| link.extension().is_some_and(|extension| extension == "rrd")).count()
    }
}

#[test]
fn as_many_files_stay_open_as_the_limit_allows() {
    let config = Config {
        devices: 30,
        ports: 24,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        udp_port: 0,
        ..Config::default()
    };
    let network = SimulatedNetwork::start(&config, system_clock).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let text = network.mrtg_config(&MrtgSettings {
        work_directory: directory.path().display().to_string(),
        interval: Duration::from_secs(2),
        more: String::new(),
        with_sites: false,
    });
    let targets = text.lines().filter(|line| line.starts_with("Target[")).count();
    assert!(targets > 600, "{targets}");
    std::fs::write(directory.path().join("mrtg.cfg"), text).unwrap();

    let (run, said) = Run::start(directory.path(), 4096);
    assert_eq!(run.open_databases(), targets);
    assert!(!said.text.contains("descriptors"), "{}", said.text);
    drop(run);
    let (run, said) = Run::start(directory.path(), 256);
    assert!((64..=192).contains(&run.open_databases()), "{}", run.open_databases());
    let told = "the system allows 256 descriptors";
    assert!(said.text.contains(told), "{}", said.text);
    assert!(!said.text.contains("Too many open files"), "{}", said.text);
}
