//! A session over a real socket with Debian's snmpd on loopback, compared with snmpbulkwalk.
#![allow(clippy::disallowed_methods)] // The oracle is a process behind a socket.

mod snmpd;

use snmp::*;
use snmpd::{Snmpd, ask};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

/// The output of snmpbulkwalk: values by name, in its own format.
fn bulkwalk(snmpd: &Snmpd, root: &Oid) -> BTreeMap<Oid, String> {
    let output = Command::new("snmpbulkwalk")
        .args(["-v2c", "-cpublic", "-On", "-Ox", "-Oe", "-t2", "-r2"])
        .args([snmpd.address.to_string(), root.to_string()])
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
    let Some(snmpd) = Snmpd::start("walk", "") else {
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
        ask(&mut session, snmpd.address, Request::Get(vec![mib::SYS_NAME])).unwrap();
        let columns = if version == Version::V1 { vec![] } else { vec![mib::IF_X_TABLE] };
        for root in [vec![mib::SYSTEM, mib::IF_TABLE], columns].concat() {
            let before = bulkwalk(&snmpd, &root);
            let walked = ask(&mut session, snmpd.address, Request::Walk(root.clone())).unwrap();
            let after = bulkwalk(&snmpd, &root);
            assert!(walked.bindings.iter().map(|binding| &binding.oid).eq(before.keys()));
            let names = walked.bindings.iter().map(|binding| binding.oid.clone()).collect();
            let got = ask(&mut session, snmpd.address, Request::Get(names)).unwrap();
            let later = bulkwalk(&snmpd, &root);
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
