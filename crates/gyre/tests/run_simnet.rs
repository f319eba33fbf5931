//! `gyre run` against a simulated network with a slow, a dead and a restarting device: no other
//! device waits for them, and a restart causes no spike.
#![allow(clippy::disallowed_methods)] // A network on loopback and two processes.

use simnet::{Config, Health, MrtgSettings, Role, SimulatedNetwork, system_clock};
use std::path::Path;
use std::process::Command;
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
