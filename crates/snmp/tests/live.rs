//! A session over a real socket with Debian's snmpd on loopback, compared with snmpbulkwalk.
#![allow(clippy::disallowed_methods)] // The oracle is a process behind a socket.

use snmp::*;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Debian's snmpd on a port of its own; gone when dropped.
struct Snmpd {
    process: Child,
    directory: PathBuf,
    address: SocketAddr,
}

impl Snmpd {
    /// `None` if it is not installed; in CI that is a failure.
    fn start(name: &str) -> Option<Snmpd> {
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let directory = std::env::temp_dir().join(format!("gyre-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let config = directory.join("snmpd.conf");
        let text = format!(
            "rocommunity public 127.0.0.1\nagentAddress udp:{address}\nsysName live.example.net\n"
        );
        std::fs::write(&config, text).unwrap();
        let started = Command::new("timeout")
            .args(["60", "snmpd", "-f", "-C", "-c"])
            .arg(&config)
            .arg("-Lf")
            .arg(directory.join("log"))
            .env("SNMP_PERSISTENT_DIR", &directory)
            .env("MIBS", "")
            .env("PATH", search_path())
            .stdin(Stdio::null())
            .spawn();
        let process = started.ok().filter(|_| exists("snmpd") && exists("snmpbulkwalk"));
        let Some(process) = process else {
            assert!(std::env::var("CI").is_err(), "snmpd and snmp must be installed in CI");
            // Not by `eprintln!`, which the test harness swallows.
            let notice = "NOT TESTED: snmpd or snmpbulkwalk is missing, so no live agent was asked";
            let _ = writeln!(std::io::stderr(), "{notice}");
            return None;
        };
        Some(Snmpd { process, directory, address })
    }

    /// The output of snmpbulkwalk: values by name, in its own format.
    fn bulkwalk(&self, root: &Oid) -> BTreeMap<Oid, String> {
        let output = Command::new("snmpbulkwalk")
            .args(["-v2c", "-cpublic", "-On", "-Ox", "-Oe", "-t2", "-r2"])
            .args([self.address.to_string(), root.to_string()])
            .env("MIBS", "")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // Long strings are continued on further lines.
        let text = String::from_utf8(output.stdout).unwrap().replace(" \n.", "\n.");
        let rows = text.split("\n.").map(|row| row.trim_start_matches('.'));
        let row = |row: &str| {
            let (name, value) = row.split_once(" = ").unwrap();
            let words: Vec<&str> = value.split_whitespace().collect();
            (name.parse().unwrap(), words.join(" "))
        };
        rows.map(row).collect()
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        // `timeout` passes the signal on to snmpd.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn exists(program: &str) -> bool {
    search_path().split(':').any(|path| PathBuf::from(path).join(program).exists())
}

/// Debian installs snmpd in a directory that only root's PATH has.
fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/usr/bin"
}

/// A complete event loop for one session.
fn ask(session: &mut Session, address: SocketAddr, request: Request) -> Answer {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    session.submit(request);
    loop {
        while let Some(datagram) = session.transmit(start.elapsed()) {
            socket.send_to(&datagram, address).unwrap();
        }
        if let Some(event) = session.next_event() {
            return event.result.unwrap();
        }
        let wait = session.deadline().unwrap().saturating_sub(start.elapsed());
        socket.set_read_timeout(Some(wait.max(Duration::from_millis(1)))).unwrap();
        let mut buffer = [0; 65536];
        if let Ok((length, from)) = socket.recv_from(&mut buffer)
            && from == address
        {
            session.handle(start.elapsed(), &buffer[..length]);
        }
    }
}

/// A value in snmpbulkwalk's format.
fn words(value: &Value) -> String {
    match value {
        Value::Integer(number) => format!("INTEGER: {number}"),
        Value::OctetString(octets) if octets.is_empty() => "\"\"".into(),
        Value::OctetString(octets) => {
            let hex: Vec<String> = octets.iter().map(|octet| format!("{octet:02X}")).collect();
            format!("Hex-STRING: {}", hex.join(" "))
        }
        Value::Oid(oid) => format!("OID: .{oid}"),
        Value::IpAddress(address) => format!("IpAddress: {address}"),
        Value::Counter32(number) => format!("Counter32: {number}"),
        Value::Gauge32(number) => format!("Gauge32: {number}"),
        Value::TimeTicks(ticks) => {
            let (seconds, days) = (ticks / 100, ticks / 8_640_000);
            assert_eq!(days, 0, "snmpd started just now");
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            format!(
                "Timeticks: ({ticks}) {hours}:{minutes:02}:{:02}.{:02}",
                seconds % 60,
                ticks % 100
            )
        }
        Value::Counter64(number) => format!("Counter64: {number}"),
        other => panic!("snmpd does not walk to {other:?}"),
    }
}

/// A counter or time may have advanced, but not beyond its value at the later look.
fn assert_between(name: &Oid, before: &str, ours: &str, after: &str) {
    let parts = |text: &str| -> Option<(String, u64)> {
        let (kind, number) = text.split_once(": ")?;
        let digits = number.trim_start_matches('(').split([')', ' ']).next()?;
        Some((kind.to_owned(), digits.parse().ok()?))
    };
    let (Some(before), Some(ours), Some(after)) = (parts(before), parts(ours), parts(after)) else {
        panic!("{name}: {before} {ours} {after}");
    };
    assert!(before.0 == ours.0 && before.1 <= ours.1 && ours.1 <= after.1, "{name} {ours:?}");
}

#[test]
fn walks_and_gets_agree_with_snmpbulkwalk() {
    let Some(snmpd) = Snmpd::start("walk") else {
        return;
    };
    for version in [Version::V2c, Version::V1] {
        let config = Config {
            timeout: Duration::from_millis(500),
            retries: 20,
            in_flight_max: 4,
            ..Config::new(version, Community::new("public"))
        };
        let mut session = Session::new(config, RequestIdKey::new(42).ids(7));
        // The first answer also shows that snmpd has started.
        ask(&mut session, snmpd.address, Request::Get(vec![mib::SYS_NAME]));
        let columns = if version == Version::V1 { vec![] } else { vec![mib::IF_X_TABLE] };
        for root in [vec![mib::SYSTEM, mib::IF_TABLE], columns].concat() {
            let before = snmpd.bulkwalk(&root);
            let walked = ask(&mut session, snmpd.address, Request::Walk(root.clone()));
            let after = snmpd.bulkwalk(&root);
            assert!(walked.bindings.iter().map(|binding| &binding.oid).eq(before.keys()));
            let names = walked.bindings.iter().map(|binding| binding.oid.clone()).collect();
            let got = ask(&mut session, snmpd.address, Request::Get(names));
            let later = snmpd.bulkwalk(&root);
            assert_eq!((got.bindings.len(), got.failed.len()), (before.len(), 0));
            for (walked, got) in walked.bindings.iter().zip(&got.bindings) {
                let name = &walked.oid;
                assert_eq!(*name, got.oid);
                let (walked, got) = (words(&walked.value), words(&got.value));
                if before[name] == later[name] {
                    assert_eq!((&walked, &got), (&before[name], &before[name]), "{name}");
                } else {
                    assert_between(name, &before[name], &walked, &after[name]);
                    assert_between(name, &after[name], &got, &later[name]);
                }
            }
        }
        assert_eq!((session.tally().malformed, session.tally().foreign), (0, 0));
    }
}
