//! SNMPv3 datagrams of net-snmp's tools and daemon: authenticated, decrypted, and sealed again.
#![allow(clippy::disallowed_methods)] // The fixtures are a file, rewritten on request.

use snmp::v3::{LocalKeys, View, seal};
use snmp::{
    AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, SecurityLevel, User,
    peek_request_id,
};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v3.txt");

/// A captured datagram, with the user of its command line.
struct Captured {
    line: String,
    datagram: Vec<u8>,
    user: User,
}

fn captured() -> Vec<Captured> {
    let mut all = Vec::new();
    let mut user = None;
    for line in std::fs::read_to_string(PATH).unwrap().lines() {
        if line.starts_with("# snmp") {
            user = Some(user_of(line));
        } else if let Some(datagram) = datagram(line) {
            let user = user.clone().unwrap();
            all.push(Captured { line: line.to_owned(), datagram, user });
        }
    }
    assert!(all.len() > 60, "{} datagrams", all.len());
    all
}

fn datagram(line: &str) -> Option<Vec<u8>> {
    let hex = line.strip_prefix("> ").or_else(|| line.strip_prefix("< "))?;
    let octet = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    Some((0..hex.len()).step_by(2).map(octet).collect())
}

fn user_of(command: &str) -> User {
    let words: Vec<&str> = command.split(' ').collect();
    let option = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        Some(words[at + 1])
    };
    let password = |name| Key::Password(Secret::new(option(name).unwrap()));
    let authentication = option("-a").map(|protocol| Authentication {
        protocol: AuthProtocol::from_name(protocol).unwrap(),
        key: password("-A"),
    });
    let privacy = option("-x").map(|protocol| Privacy {
        protocol: PrivacyProtocol::from_name(protocol).unwrap(),
        key: password("-X"),
    });
    User::new(option("-u").unwrap().as_bytes(), authentication, privacy).unwrap()
}

/// The number that [`seal`] made the salt of, in both forms of a salt.
fn salt(view: &View<'_>) -> u64 {
    view.salt().try_into().map_or(0, u64::from_be_bytes)
}

fn keys(captured: &Captured) -> LocalKeys {
    captured.user.localize(View::parse(&captured.datagram).unwrap().header().engine_id)
}

#[test]
fn every_captured_datagram_is_authentic_readable_and_sealed_to_the_same_bytes() {
    let text = std::fs::read_to_string(PATH).unwrap();
    let mut all = captured().into_iter();
    let mut noted = String::new();
    let mut encrypted = 0;
    for line in text.lines().filter(|line| !line.starts_with('=')) {
        noted += &format!("{line}\n");
        if datagram(line).is_none() {
            continue;
        }
        let captured = all.next().unwrap();
        let view = View::parse(&captured.datagram).unwrap();
        let (header, keys) = (view.header(), keys(&captured));
        if header.level != SecurityLevel::Plain {
            assert!(view.is_authentic(&keys), "{line}");
        }
        encrypted += u32::from(header.level == SecurityLevel::Encrypted);
        let text = view.open(&keys).unwrap();
        let scoped = text.scoped().unwrap();
        let pdu = scoped.to_pdu().unwrap();
        noted += &format!("= {header:?} {:?} {pdu:?}\n", scoped.scope());
        assert_eq!(peek_request_id(&captured.datagram), Ok(header.message_id));
        let again = seal(&header, &scoped.scope(), &pdu, &keys, salt(&view));
        assert_eq!(again, captured.datagram, "{line}");
    }
    assert!(encrypted >= 20, "{encrypted} encrypted datagrams");
    if std::env::var("GYRE_REWRITE_GOLDEN").is_ok() {
        std::fs::write(PATH, &noted).unwrap();
    }
    assert_eq!(text, noted, "GYRE_REWRITE_GOLDEN=1 rewrites the fixture");
}

#[test]
fn a_captured_datagram_cut_anywhere_is_an_error_with_a_place() {
    for Captured { datagram, .. } in captured() {
        for length in 0..datagram.len() {
            let error = View::parse(&datagram[..length]).unwrap_err();
            assert!(error.offset_bytes <= length, "{error}");
        }
    }
}

#[test]
fn no_byte_of_an_authenticated_datagram_can_be_changed() {
    for captured in captured() {
        let view = View::parse(&captured.datagram).unwrap();
        let keys = keys(&captured);
        if view.header().level == SecurityLevel::Plain || !view.is_authentic(&keys) {
            continue;
        }
        for position in 0..captured.datagram.len() {
            for flip in [1, 0x80, 0xff] {
                let mut changed = captured.datagram.clone();
                changed[position] ^= flip;
                let Ok(view) = View::parse(&changed) else { continue };
                assert!(!view.is_authentic(&keys), "{} byte {position}", captured.line);
                // What a forger sends is opened without a panic all the same.
                if let Ok(text) = view.open(&keys) {
                    let _ = text.scoped().map(|scoped| scoped.to_pdu());
                }
            }
        }
    }
}
