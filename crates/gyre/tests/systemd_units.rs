//! The systemd units: systemd accepts them, and they are hardened.
#![allow(clippy::disallowed_methods)] // the test starts programs of systemd and a daemon

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The highest exposure that `systemd-analyze security` may report, in tenths, from 0 to 100.
const EXPOSURE_MAX: u32 = 15;

#[test]
fn systemd_understands_them() {
    let Some(analyze) = oracle::program("systemd-analyze", "the systemd units") else { return };
    let directory = tempfile::tempdir().unwrap();
    let units = installed_in(directory.path());
    let output = Command::new(analyze).arg("verify").args(&units).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // systemd reads the machine's other units too, and tells what it thinks of them.
    let of_others = ["/lib/systemd/", "/usr/lib/systemd/", "/etc/systemd/", "/run/systemd/"];
    let is_ours =
        |line: &&str| !line.is_empty() && !of_others.iter().any(|place| line.starts_with(place));
    let of_ours: Vec<&str> = said.lines().filter(is_ours).collect();
    assert!(output.status.success() && of_ours.is_empty(), "{said}");
}

#[test]
fn the_services_are_hardened() {
    let Some(analyze) = oracle::program("systemd-analyze", "the systemd units") else { return };
    let directory = tempfile::tempdir().unwrap();
    let units = installed_in(directory.path());
    let is_service = |unit: &&PathBuf| unit.extension().is_some_and(|it| it == "service");
    for service in units.iter().filter(is_service) {
        let output = Command::new(&analyze)
            .args(["security", "--offline=true", "--no-pager"])
            .arg(format!("--threshold={EXPOSURE_MAX}"))
            .arg(service)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Starts the command of the service's unit, with a socket handed over, in temporary directories.
#[test]
fn the_service_answers() {
    let what = "the systemd units";
    let Some(activate) = oracle::program("systemd-socket-activate", what) else { return };
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let service = std::fs::read_to_string(&installed_in(&root)[0]).unwrap();
    let value = |key: &str| service.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    let mut words = value("ExecStart=").to_owned();
    for line in service.lines() {
        let Some((name, text)) =
            line.strip_prefix("Environment=").and_then(|it| it.split_once('='))
        else {
            continue;
        };
        let text = text.replace("/var/lib", root.to_str().unwrap());
        words = words.replace(&format!("${{{name}}}"), &text).replace(&format!("${name}"), &text);
    }
    words = words.replace("${RUNTIME_DIRECTORY}", root.to_str().unwrap());
    assert!(!words.contains('$'), "{words}");
    let socket = root.join("socket");
    let mut daemon = Command::new("timeout")
        .args(["--foreground", "60"])
        .arg(activate)
        .arg("-l")
        .arg(&socket)
        .args(words.split_whitespace())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let mut client = loop {
        match UnixStream::connect(&socket) {
            Ok(client) => break client,
            Err(error) => assert!(start.elapsed() < Duration::from_secs(20), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    client.write_all(b"PING\nQUIT\n").unwrap();
    let mut said = String::new();
    client.read_to_string(&mut said).unwrap();
    assert_eq!(said, "0 PONG\n");
    assert!(root.join("pid").exists());
    // The signal goes to `timeout`, which passes it on.
    Command::new("kill").arg(daemon.id().to_string()).status().unwrap();
    daemon.wait().unwrap();
}

/// The units as installed, except for the path of the binary.
fn installed_in(directory: &Path) -> Vec<PathBuf> {
    let packaged = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/systemd");
    ["gyre-rrdcached.service", "gyre-rrdcached.socket", "gyre-run.service"]
        .map(|name| {
            let text = std::fs::read_to_string(packaged.join(name)).unwrap();
            let unit = directory.join(name);
            std::fs::write(&unit, text.replace("/usr/bin/gyre", env!("CARGO_BIN_EXE_gyre")))
                .unwrap();
            unit
        })
        .into()
}
