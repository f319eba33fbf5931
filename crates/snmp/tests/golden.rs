//! Datagrams of net-snmp's tools and daemon: parsed, written back, and answered.
#![allow(clippy::disallowed_methods)] // The fixtures are a file, rewritten on request.

use snmp::agent::{MibView, respond};
use snmp::{Message, Oid, Value};
use std::collections::BTreeMap;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/packets.txt");

#[test]
fn every_captured_datagram_reads_as_noted_and_writes_back_identically() {
    let text = std::fs::read_to_string(PATH).unwrap();
    let mut noted = String::new();
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('=')) {
        noted += &format!("{line}\n");
        if let Some(datagram) = datagram(line) {
            let message = Message::decode(&datagram).unwrap();
            assert_eq!(message.encode(), datagram, "{line}");
            assert_eq!(message.community.as_bytes(), b"public");
            noted += &format!("= {:?} {:?}\n", message.version, message.pdu);
            count += 1;
        }
    }
    assert_eq!(count, 16);
    if std::env::var("GYRE_REWRITE_GOLDEN").is_ok() {
        std::fs::write(PATH, &noted).unwrap();
    }
    assert_eq!(text, noted, "GYRE_REWRITE_GOLDEN=1 rewrites the fixture");
}

#[test]
fn our_agent_answers_the_same_bytes_as_snmpd_from_the_same_values() {
    let text = std::fs::read_to_string(PATH).unwrap();
    let datagrams: Vec<Vec<u8>> = text.lines().filter_map(datagram).collect();
    for pair in datagrams.chunks(2) {
        let request = Message::decode(&pair[0]).unwrap();
        let theirs = Message::decode(&pair[1]).unwrap();
        let mib: BTreeMap<Oid, Value> = theirs
            .pdu
            .bindings
            .iter()
            .filter(|binding| !binding.value.is_exception() && binding.value != Value::Null)
            .map(|binding| (binding.oid.clone(), binding.value.clone()))
            .collect();
        // snmpd reports the first error, and with only these values ours is the same. But a v1
        // refusal has no values to build the view from.
        let ours = respond(&request, &WithUpTime(mib), 1472).unwrap();
        assert_eq!(ours.encode(), pair[1], "{:?}", request.pdu);
    }
}

/// The values of one captured answer, plus sysUpTime for the answer without it.
struct WithUpTime(BTreeMap<Oid, Value>);

impl MibView for WithUpTime {
    fn get(&self, oid: &Oid) -> Value {
        match MibView::get(&self.0, oid) {
            Value::NoSuchObject if *oid == snmp::mib::SYS_UP_TIME => Value::TimeTicks(1),
            value => value,
        }
    }

    fn next(&self, oid: &Oid) -> Option<snmp::VarBind> {
        MibView::next(&self.0, oid)
    }
}

#[test]
fn a_captured_datagram_cut_anywhere_is_an_error_with_a_place() {
    let text = std::fs::read_to_string(PATH).unwrap();
    for datagram in text.lines().filter_map(datagram) {
        for length in 0..datagram.len() {
            let error = Message::decode(&datagram[..length]).unwrap_err();
            assert!(error.offset_bytes <= length, "{error}");
        }
    }
}

#[test]
fn a_captured_datagram_with_any_byte_changed_never_panics_and_stays_canonical() {
    let text = std::fs::read_to_string(PATH).unwrap();
    for datagram in text.lines().filter_map(datagram) {
        for position in 0..datagram.len() {
            for flip in 1..=255u8 {
                let mut changed = datagram.clone();
                changed[position] ^= flip;
                let Ok(message) = Message::decode(&changed) else {
                    continue;
                };
                assert_eq!(Message::decode(&message.encode()).unwrap(), message);
            }
        }
    }
}

fn datagram(line: &str) -> Option<Vec<u8>> {
    let hex = line.strip_prefix("> ").or_else(|| line.strip_prefix("< "))?;
    let octet = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    Some((0..hex.len()).step_by(2).map(octet).collect())
}
