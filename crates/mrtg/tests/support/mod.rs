//! Configurations from memory and from disk, and the programs that tests compare with.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use mrtg::{Configuration, Error, Source};

/// Files in memory; a pattern matches files whose names end with its text after `*`.
#[derive(Default)]
pub struct Memory(pub HashMap<PathBuf, Vec<u8>>);

impl Memory {
    pub fn with(files: &[(&str, &[u8])]) -> Self {
        let owned = |(path, bytes): &(&str, &[u8])| (PathBuf::from(path), bytes.to_vec());
        Self(files.iter().map(owned).collect())
    }
}

impl Source for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn glob(&self, pattern: &Path) -> io::Result<Vec<PathBuf>> {
        let pattern = pattern.to_string_lossy();
        let (start, end) = pattern.split_once('*').unwrap_or((&pattern, ""));
        let matches = |path: &&PathBuf| {
            let path = path.to_string_lossy();
            path.starts_with(start) && path.ends_with(end)
        };
        let mut found: Vec<_> = self.0.keys().filter(matches).cloned().collect();
        found.sort();
        Ok(found)
    }
}

/// Files on disk.
pub struct Disk;

impl Source for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn glob(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }
}

/// Reads a configuration with this text.
pub fn read(text: impl AsRef<[u8]>) -> Result<Configuration, Error> {
    let source = Memory::with(&[("mrtg.cfg", text.as_ref())]);
    Configuration::read(Path::new("mrtg.cfg"), &source)
}

/// The error message for this text.
pub fn refusal(text: impl AsRef<[u8]>) -> String {
    read(text).expect_err("this configuration is wrong").to_string()
}

/// The keys that every target needs, for tests of other keys.
pub const PREFACE: &str = "WorkDir: /w\nLogFormat: rrdtool\nTitle[_]: t\nMaxBytes[_]: 1000\n";

/// Whether all programs are installed. In CI a missing one is a failure; elsewhere a message is
/// printed.
pub fn have(programs: &[&str]) -> bool {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let exists = |program: &str| path.split(':').any(|dir| Path::new(dir).join(program).is_file());
    let missing: Vec<_> = programs.iter().filter(|program| !exists(program)).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "not installed: {missing:?}");
    // Written directly, because the test harness hides the output of tests that pass.
    let told =
        format!("NOT TESTED against the real programs, which are not installed: {missing:?}\n");
    io::stderr().write_all(told.as_bytes()).unwrap();
    false
}

/// A directory that is removed when the test ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gyre-mrtg-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a program for at most a minute.
pub fn run(program: &str, arguments: &[&str]) -> Output {
    let output = Command::new("timeout")
        .args(["60", program])
        .args(arguments)
        // MRTG refuses to run in a UTF-8 locale.
        .env("LANG", "C")
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    assert_ne!(output.status.code(), Some(124), "{program} did not end");
    output
}

/// A process under `timeout` that ends with the test.
pub struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // Not with `Child::kill`: `timeout` could not pass that signal on, and snmpd would remain.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// Debian's snmpd on a loopback port, with community `public`; `None` if it does not answer.
pub fn snmpd(scratch: &Scratch) -> Option<(Guard, u16)> {
    let port = free_port();
    let configuration = format!(
        "rocommunity public 127.0.0.1\nagentaddress udp:127.0.0.1:{port}\n\
         sysName device\nsysDescr A device\nsysLocation here\nsysContact someone\n"
    );
    let path = scratch.write("snmpd.conf", configuration);
    let child = Command::new("timeout")
        .args(["120", "/usr/sbin/snmpd", "-f", "-Lf", "/dev/null", "-C", "-c"])
        .arg(path)
        .arg("-p")
        .arg(scratch.0.join("snmpd.pid"))
        .env("SNMP_PERSISTENT_DIR", &scratch.0)
        .env("MIBS", "")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let guard = Guard(child);
    let deadline = Instant::now() + Duration::from_secs(20);
    while Instant::now() < deadline {
        let address = format!("127.0.0.1:{port}");
        let get = ["-v2c", "-c", "public", "-t", "1", "-r", "0", &address, "1.3.6.1.2.1.1.3.0"];
        if run("snmpget", &get).status.success() {
            return Some((guard, port));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    None
}

fn free_port() -> u16 {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.local_addr().unwrap().port()
}
