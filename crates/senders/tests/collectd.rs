//! Datagrams that collectd itself sent; `golden/collectd/README.md` says how.

use senders::collectd::{Level, Security, Types, read};
use senders::{Kind, Sent, Value};

const PLAIN: &[u8] = include_bytes!("golden/collectd/plain.bin");
const SIGNED: &[u8] = include_bytes!("golden/collectd/signed.bin");
const ENCRYPTED: &[u8] = include_bytes!("golden/collectd/encrypted.bin");

const TYPES: &str = "load shortterm:GAUGE:0:5000, midterm:GAUGE:0:5000, longterm:GAUGE:0:5000
if_octets rx:DERIVE:0:U, tx:DERIVE:0:U
if_packets rx:DERIVE:0:U, tx:DERIVE:0:U
if_errors rx:DERIVE:0:U, tx:DERIVE:0:U
if_dropped rx:DERIVE:0:U, tx:DERIVE:0:U
";

fn users(level: Level) -> Security {
    Security::of_text(level, "alice: rosebud\n# another\nbob: swordfish\n").unwrap()
}

fn name(sent: &Sent<'_>) -> String {
    sent.series.identity().name
}

fn names(packet: &[u8], security: &Security) -> Result<Vec<String>, String> {
    let types = Types::of_text(TYPES).unwrap();
    let mut all = Vec::new();
    let done = read(packet, security, &types, &mut |sent| all.push(name(sent)));
    match done {
        Ok(count) => {
            assert_eq!(count, all.len() as u64);
            Ok(all)
        }
        Err(error) => {
            assert_eq!(error.samples, all.len() as u64);
            Err(error.to_string())
        }
    }
}

#[test]
fn a_packet_is_read_whole() {
    let types = Types::of_text(TYPES).unwrap();
    let mut first = None;
    let mut second = None;
    read(PLAIN, &Security::default(), &types, &mut |sent| {
        let all: Vec<_> = sent
            .values
            .iter()
            .map(|(name, kind, value)| format!("{name} {kind:?} {value:?}"))
            .collect();
        let shown = (name(sent), sent.time_micros, all);
        if first.is_none() {
            first = Some(shown);
        } else {
            second.get_or_insert(shown);
        }
    })
    .unwrap();
    let (name, time, values) = first.unwrap();
    assert_eq!((name.as_str(), time), ("web1/load/load", Some(LOAD_MICROS)));
    let load = ["shortterm", "midterm", "longterm"].iter().zip(LOADS);
    let load: Vec<_> = load.map(|(name, it)| format!("{name} Gauge Float({it:?})")).collect();
    assert_eq!(values, load);
    let (name, _, values) = second.unwrap();
    assert_eq!(name, "web1/interface-lo/if_packets");
    assert_eq!(values, ["rx Derive Signed(5270154)", "tx Derive Signed(5270154)"]);
}

/// 1ac2477fca6ec303 in 2^-30 seconds.
const LOAD_MICROS: i64 = ((0x1ac2_477f_ca6e_c303_u128 * 1_000_000) >> 30) as i64;

/// The bytes of the values in `plain.bin`.
const LOADS: [f64; 3] = [
    f64::from_bits(0x3fc3_b000_0000_0000),
    f64::from_bits(0x3fa1_0000_0000_0000),
    f64::from_bits(0x3fb6_8000_0000_0000),
];

#[test]
fn signed_and_encrypted_packets_hold_what_plain_ones_do() {
    let all = [(PLAIN, Level::None), (SIGNED, Level::Sign), (ENCRYPTED, Level::Encrypt)];
    for (packet, level) in all {
        let names = names(packet, &users(level)).unwrap();
        assert!(names.len() >= 16, "{names:?}");
        for (nth, name) in names.iter().enumerate() {
            let plugin = name.split(['/', '-']).nth(1).unwrap();
            assert!(["load", "interface", "df", "memory", "uptime", "cpu"].contains(&plugin));
            assert!(name.starts_with("web1/") && !names[..nth].contains(name), "{name}");
        }
    }
    assert!(names(ENCRYPTED, &users(Level::Sign)).is_ok());
    assert!(names(SIGNED, &Security::default()).is_ok());
}

#[test]
fn what_is_less_than_required_is_refused() {
    let why = |packet, level| names(packet, &users(level)).unwrap_err();
    assert_eq!(
        why(PLAIN, Level::Sign),
        "byte 55 of the packet: expected a signature before values"
    );
    assert_eq!(why(PLAIN, Level::Encrypt), "byte 55 of the packet: expected encrypted values");
    assert!(why(SIGNED, Level::Encrypt).ends_with("expected encrypted values"));
    assert!(names(PLAIN, &users(Level::None)).is_ok());
}

#[test]
fn a_wrong_password_or_another_byte_is_told() {
    let mut security = Security::new(Level::None);
    security.add("alice", "other");
    security.add("bob", "other");
    let why = |packet| names(packet, &security).unwrap_err();
    let signature = "byte 4 of the packet: expected a signature with the user's password";
    let parts = "byte 4 of the packet: expected parts that the user's password encrypted";
    assert_eq!((why(SIGNED).as_str(), why(ENCRYPTED).as_str()), (signature, parts));
    let unknown = "byte 4 of the packet: expected a user whose password is known";
    assert_eq!(names(ENCRYPTED, &Security::default()).unwrap_err(), unknown);
    for (packet, expected) in [(SIGNED, signature), (ENCRYPTED, parts)] {
        let mut packet = packet.to_vec();
        *packet.last_mut().unwrap() ^= 1;
        assert_eq!(names(&packet, &users(Level::Sign)).unwrap_err(), expected);
    }
}

#[test]
fn values_of_another_number_than_the_type_has_are_left_out() {
    let types = Types::of_text("load value:GAUGE:0:U").unwrap();
    let mut all = Vec::new();
    let wrong = read(PLAIN, &Security::default(), &types, &mut |sent| all.push(name(sent)));
    let wrong = wrong.unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "byte 55 of the packet: expected as many values as the type has in types.db"
    );
    assert_eq!(
        (wrong.samples, all[0].as_str()),
        (all.len() as u64, "web1/interface-lo/if_packets")
    );
}

#[test]
fn all_kinds_of_values_are_read() {
    let mut packet = Vec::new();
    for (kind, text) in [(0_u8, "h\0"), (2, "p\0"), (4, "t\0")] {
        packet.extend([0, kind, 0, 6]);
        packet.extend(text.as_bytes());
    }
    packet.extend([0, 1, 0, 12, 0, 0, 0, 0, 0, 0, 0, 9]);
    packet.extend([0, 6, 0, 42, 0, 4, 0, 1, 2, 3]);
    packet.extend(7_u64.to_be_bytes());
    packet.extend(1.5_f64.to_le_bytes());
    packet.extend((-3_i64).to_be_bytes());
    packet.extend(8_u64.to_be_bytes());
    let mut seen = 0;
    read(&packet, &Security::default(), &Types::default(), &mut |sent| {
        let expected = [
            ("value0", Kind::Counter, Value::Unsigned(7)),
            ("value1", Kind::Gauge, Value::Float(1.5)),
            ("value2", Kind::Derive, Value::Signed(-3)),
            ("value3", Kind::Absolute, Value::Unsigned(8)),
        ];
        assert_eq!((sent.values, sent.time_micros), (&expected[..], Some(9_000_000)));
        seen += 1;
    })
    .unwrap();
    assert_eq!(seen, 1);
}

#[test]
fn truncated_and_changed_packets_never_panic() {
    let types = Types::default();
    for (packet, level) in
        [(PLAIN, Level::None), (SIGNED, Level::Sign), (ENCRYPTED, Level::Encrypt)]
    {
        let security = users(level);
        for end in 1..packet.len() {
            let done = read(&packet[..end], &security, &types, &mut |_| ());
            assert!(done.is_err() || level == Level::None, "{end}");
        }
        for at in 0..packet.len() {
            for other in [0, 1, 6, 0x7f, 0xff] {
                let mut changed = packet.to_vec();
                changed[at] = other;
                let _ = read(&changed, &security, &types, &mut |sent| drop(sent.series.identity()));
            }
        }
    }
}
