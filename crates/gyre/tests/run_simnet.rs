//! `gyre run` against a simulated network with a slow, a dead and a restarting device: no other
//! device waits for them, and a restart causes no spike. `gyre network`, the network
//! alone. And what operators need of a run.
#![allow(clippy::disallowed_methods)] // A network on loopback and processes.

mod network_control;
mod operating;
#[allow(dead_code, reason = "not all of it is called here")]
mod running;
mod said;

use simnet::{Config, Health, MrtgSettings, Role, SimulatedNetwork, system_clock};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const CYCLES: usize = 8;

fn config() -> Config {
    Config {
        devices: 12,
        ports: 8,
        slow_devices: 1,
        slow_by: Duration::from_millis(400),
        dead_devices: 1,
        rebooting_devices: 1,
        reboot_every: Duration::from_secs(7),
        udp_port: 0,
        ..Config::default()
    }
}

/// The network's own configuration, without the limit that would hide a spike.
fn without_limits(configuration: &str) -> String {
    let unlimited = |line: &str| match line.split_once(": ") {
        Some((key, _)) if key.starts_with("MaxBytes[") => format!("{key}: 1000000000000000\n"),
        _ => format!("{line}\n"),
    };
    configuration.lines().map(unlimited).collect()
}

#[test]
fn trouble_stays_with_the_devices_that_have_it() {
    let Some(rrdtool) = oracle::program("rrdtool", "that restarts make no spikes") else { return };
    let network = SimulatedNetwork::start(&config(), system_clock).unwrap();
    let directory = std::env::temp_dir().join(format!("gyre-simnet-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let configuration = directory.join("mrtg.cfg");
    let text = network.mrtg_config(&MrtgSettings {
        work_directory: directory.display().to_string(),
        interval: Duration::from_secs(2),
        more: String::new(),
        with_sites: false,
    });
    std::fs::write(&configuration, without_limits(&text)).unwrap();
    let output = Command::new("timeout")
        .args(["60", env!("CARGO_BIN_EXE_gyre"), "run"])
        .arg(&configuration)
        .args(["--no-web", "--rrd-files", "--cycles", &CYCLES.to_string()])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");

    let dead = network.devices().iter().find(|device| device.health == Health::Dead).unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("cycle ")).collect();
    assert_eq!(lines.len(), CYCLES, "{said}");
    for line in &lines {
        // The restarting device may be down when it is polled.
        assert!(line.contains("11 of 12 devices") || line.contains("10 of 12 devices"), "{line}");
        assert!(line.contains(&format!("{}", dead.address)), "{line}");
    }
    assert!(said.contains("restarted: "), "the restart is told:\n{said}");

    let mut rows = 0;
    for device in network.devices().iter().filter(|device| device.health != Health::Dead) {
        for port in device.ports().filter(|port| port.role != Role::Down) {
            let file =
                directory.join(&device.name).join(format!("{}_{}.rrd", device.name, port.index));
            let speed = port.speed_bits_per_second as f64 / 8.0;
            for rate in rates(&rrdtool, &file) {
                assert!(rate <= speed * 1.05, "{} {rate} octets a second", file.display());
                rows += 1;
            }
        }
    }
    assert!(rows > 300, "there are rates: {rows}");
    std::fs::remove_dir_all(&directory).unwrap();
}

/// Every known rate of the last half minute.
fn rates(rrdtool: &Path, file: &Path) -> Vec<f64> {
    let output = Command::new(rrdtool)
        .arg("fetch")
        .arg(file)
        .args(["MAX", "--start", "-40"])
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = String::from_utf8(output.stdout).unwrap();
    let values = rows.lines().skip(2).filter_map(|row| row.split_once(": "));
    let numbers = values.flat_map(|(_, values)| values.split(' '));
    numbers.filter_map(|number| number.parse().ok()).filter(|rate: &f64| rate.is_finite()).collect()
}

/// A network that runs by itself, told by its standard input.
#[test]
fn a_network_of_its_own_is_disturbed_while_it_runs() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let secret = "a quiet secret";
    let account = format!("# who may read\ncreateUser monitor SHA-256 \"{secret}\" AES\n");
    std::fs::write(path("users"), account).unwrap();
    let mut network = Command::new("timeout")
        .args(["60", env!("CARGO_BIN_EXE_gyre"), "network", "--devices=300", "--ports=4"])
        .args(["--all-up", "--udp-port=0", "--json", "--control=-", "--fault=latency=5:10%"])
        .args(["--users", &path("users"), "--mrtg-version=3"])
        .args(["--mrtg-config", &path("mrtg.cfg")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = network.stdin.take().unwrap();
    let mut lines = BufReader::new(network.stdout.take().unwrap()).lines();
    let mut said =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let started = said();
    assert_eq!(started["devices"], 300, "{started}");
    let text = std::fs::read_to_string(path("mrtg.cfg")).unwrap();
    assert!(text.contains(&format!("authpassword=>'{secret}'")), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("Target[")).count(), 1200);
    let mode = std::fs::metadata(path("mrtg.cfg")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "it has a secret");
    for (command, answer) in [
        ("fault dead:all", r#"{"devices":300}"#),
        ("mend dead:2-300", r#"{"devices":299}"#),
        ("fault dead=1:all", r#"{"error":"dead: expected no value, found 1"}"#),
    ] {
        writeln!(told, "{command}").unwrap();
        assert_eq!(said().to_string(), answer, "{command}");
    }
    let first: std::net::SocketAddr = started["first"].as_str().unwrap().parse().unwrap();
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.send_to(b"no SNMP", first).unwrap();
    let last: std::net::SocketAddr = started["last"].as_str().unwrap().parse().unwrap();
    socket.send_to(b"no SNMP", last).unwrap();
    // Datagrams on loopback are there at once, but the network may wait for a processor.
    let counted = (0..600).any(|_| {
        writeln!(told, "status").unwrap();
        let status = said();
        std::thread::sleep(Duration::from_millis(20));
        status["silenced"] == 1 && status["malformed"] == 1
    });
    assert!(counted);
    drop(told);
    let ended = said();
    assert_eq!(ended["state"], "ended");
    assert!(ended["processor_seconds"].as_f64().unwrap() > 0.0, "{ended}");
    assert!(network.wait().unwrap().success());
}

#[test]
fn users_that_cannot_be_read_are_named_without_their_secrets() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("users");
    for (text, expected) in [
        ("createUser a SHA9 quiet", "users:1: expected MD5, SHA,"),
        ("\ncreateUser a SHA quiet ROT13", "users:2: expected DES, AES,"),
        ("rouser quiet", "users:1: expected createUser NAME"),
        ("createUser a SHA \"quiet", "users:1: expected createUser NAME"),
        ("createUser a SHA quiet's", "users:1: expected a secret without"),
        ("createUser a SHA \"\"", "the authentication password of user a is empty"),
        ("# quiet", "users: expected a line `createUser NAME ...`"),
    ] {
        std::fs::write(&path, text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_gyre"))
            .args(["network", "--for=1", "--udp-port=0", "--users"])
            .arg(&path)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(expected), "{text}: {said}");
        assert!(!said.contains("quiet"), "{said}");
    }
}
