//! What the codec accepts and refuses; parsing and writing are inverse.

use proptest::prelude::*;
use snmp::{
    Community, DecodeError, ErrorStatus, Found, Message, MessageView, Oid, Operation, Pdu, Value,
    VarBind, Version, peek_request_id,
};

/// A v2c response of community `c`, request id 1, with the binding `1.3 = element`.
fn response_with(element: &[u8]) -> Vec<u8> {
    let mut binding = vec![0x06, 0x01, 0x2b];
    binding.extend(element);
    let bindings = nested(0x30, &nested(0x30, &binding));
    let mut pdu = vec![0x02, 1, 1, 0x02, 1, 0, 0x02, 1, 0];
    pdu.extend(bindings);
    let mut message = vec![0x02, 1, 1, 0x04, 1, b'c'];
    message.extend(nested(0xa2, &pdu));
    nested(0x30, &message)
}

fn nested(tag: u8, contents: &[u8]) -> Vec<u8> {
    let mut element = vec![tag, contents.len() as u8];
    element.extend(contents);
    element
}

fn value_of(element: &[u8]) -> Result<Value, DecodeError> {
    let mut message = Message::decode(&response_with(element))?;
    Ok(message.pdu.bindings.remove(0).value)
}

#[test]
fn numbers_as_real_agents_write_them() {
    let cases: [(&[u8], Value); 16] = [
        (&[0x41, 5, 0, 0xff, 0xff, 0xff, 0xff], Value::Counter32(u32::MAX)),
        (&[0x41, 4, 0xff, 0xff, 0xff, 0xff], Value::Counter32(u32::MAX)),
        (&[0x41, 1, 0xff], Value::Counter32(u32::MAX)),
        (&[0x41, 4, 0x80, 0, 0, 0], Value::Counter32(1 << 31)),
        (&[0x41, 0], Value::Counter32(0)),
        (&[0x42, 6, 0, 0, 0, 0, 0, 7], Value::Gauge32(7)),
        (&[0x43, 1, 9], Value::TimeTicks(9)),
        (&[0x46, 9, 0, 255, 255, 255, 255, 255, 255, 255, 255], Value::Counter64(u64::MAX)),
        (&[0x46, 8, 255, 255, 255, 255, 255, 255, 255, 255], Value::Counter64(u64::MAX)),
        (&[0x46, 1, 5], Value::Counter64(5)),
        (&[0x02, 4, 0x80, 0, 0, 0], Value::Integer(i32::MIN)),
        (&[0x02, 4, 0, 0, 0, 5], Value::Integer(5)),
        (&[0x02, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe], Value::Integer(-2)),
        (&[0x02, 0], Value::Integer(0)),
        (&[0x02, 0x82, 0, 1, 5], Value::Integer(5)),
        (&[0x06, 0], Value::Oid("0.0".parse().unwrap())),
    ];
    for (element, value) in cases {
        assert_eq!(value_of(element), Ok(value), "{element:02x?}");
    }
}

#[test]
fn values_that_cannot_be_meant() {
    let cases: [&[u8]; 14] = [
        &[0x41, 5, 1, 0, 0, 0, 0],
        &[0x46, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x02, 5, 0, 0x80, 0, 0, 0],
        &[0x02, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x40, 3, 1, 2, 3],
        &[0x05, 1, 0],
        &[0x80, 1, 0],
        &[0x06, 2, 0x2b, 0x80],
        &[0x06, 3, 0x2b, 0x80, 1],
        &[0x06, 6, 0x2b, 0x90, 0x80, 0x80, 0x80, 0],
        &[0x07, 0],
        &[0x02, 0x80, 0, 0],
        &[0x02, 0x84, 0xff, 0xff, 0xff, 0xff],
        &[0x02, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5],
    ];
    for element in cases {
        assert!(value_of(element).is_err(), "{element:02x?} is {:?}", value_of(element));
    }
}

#[test]
fn an_error_says_where_what_and_what_instead() {
    let error = value_of(&[0x40, 3, 1, 2, 3]).unwrap_err();
    assert_eq!(error.found, Found::LengthBytes(3));
    assert_eq!(
        error.to_string(),
        "at byte 28: expected an IPv4 address of 4 octets, found a length of 3 bytes"
    );
    let v3 = [0x30, 3, 0x02, 1, 3];
    let error = Message::decode(&v3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at byte 2: expected version 0 (v1) or 1 (v2c), found the number 3"
    );
    assert_eq!(
        Message::decode(&[]).unwrap_err().to_string(),
        "at byte 0: expected an SNMP message, found the end"
    );
}

#[test]
fn a_trap_is_named_and_padding_behind_the_message_is_not() {
    let mut padded = response_with(&[0x05, 0]);
    padded.extend([0, 0, 0]);
    assert_eq!(peek_request_id(&padded), Ok(1));
    assert!(Message::decode(&padded).is_ok());
    let mut trap = response_with(&[0x05, 0]);
    trap[8] = 0xa4;
    assert_eq!(Message::decode(&trap).unwrap_err().found, Found::Tag(0xa4));
}

#[test]
fn a_community_never_shows() {
    let message = Message::decode(&response_with(&[0x05, 0])).unwrap();
    let secret = Message { community: Community::new("s3cret"), ..message };
    let datagram = secret.encode();
    let shown = format!("{secret:?} {:?}", MessageView::parse(&datagram).unwrap());
    assert!(!shown.contains("s3cret") && !shown.contains("115"), "{shown}");
}

#[test]
fn negative_bulk_counts_are_none() {
    let mut bulk = response_with(&[0x05, 0]);
    bulk[8] = 0xa5;
    bulk[15] = 0xff;
    let message = Message::decode(&bulk).unwrap();
    let none = Operation::GetBulk { non_repeaters: 0, max_repetitions: 0 };
    assert_eq!(message.pdu.operation, none);
}

fn oid() -> impl Strategy<Value = Oid> {
    let arc = prop_oneof![0..300u32, any::<u32>()];
    let rest = proptest::collection::vec(arc, 0..40);
    ((0..2u32), (0..40u32), rest)
        .prop_map(|(first, second, rest)| Oid::from_arcs(&[&[first, second], &rest[..]].concat()))
        .prop_map(|oid| oid.unwrap())
}

fn value() -> impl Strategy<Value = Value> {
    let octets = || proptest::collection::vec(any::<u8>(), 0..300);
    prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        octets().prop_map(Value::OctetString),
        Just(Value::Null),
        oid().prop_map(Value::Oid),
        any::<[u8; 4]>().prop_map(|octets| Value::IpAddress(octets.into())),
        any::<u32>().prop_map(Value::Counter32),
        any::<u32>().prop_map(Value::Gauge32),
        any::<u32>().prop_map(Value::TimeTicks),
        octets().prop_map(Value::Opaque),
        any::<u64>().prop_map(Value::Counter64),
        Just(Value::NoSuchObject),
        Just(Value::NoSuchInstance),
        Just(Value::EndOfMibView),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let count = || 0..=i32::MAX as u32;
    prop_oneof![
        Just(Operation::Get),
        Just(Operation::GetNext),
        Just(Operation::Set),
        (count(), count()).prop_map(|(non_repeaters, max_repetitions)| Operation::GetBulk {
            non_repeaters,
            max_repetitions
        }),
        (any::<i32>(), count()).prop_map(|(status, error_index)| Operation::Response {
            error_status: ErrorStatus::from_code(status),
            error_index
        }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let binding = (oid(), value()).prop_map(|(oid, value)| VarBind { oid, value });
    let bindings = proptest::collection::vec(binding, 0..12);
    let community = proptest::collection::vec(any::<u8>(), 0..40);
    let version = prop_oneof![Just(Version::V1), Just(Version::V2c)];
    (version, community, any::<i32>(), operation(), bindings).prop_map(
        |(version, community, request_id, operation, bindings)| Message {
            version,
            community: Community::new(community),
            pdu: Pdu { request_id, operation, bindings },
        },
    )
}

proptest! {
    #[test]
    fn writing_then_reading_is_identity(message in message()) {
        let datagram = message.encode();
        prop_assert_eq!(peek_request_id(&datagram), Ok(message.pdu.request_id));
        let read = Message::decode(&datagram).unwrap();
        prop_assert_eq!(read.encode(), datagram);
        prop_assert_eq!(read, message);
    }

    #[test]
    fn whatever_can_be_read_has_one_canonical_form(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(message) = Message::decode(&bytes) {
            prop_assert_eq!(Message::decode(&message.encode()).unwrap(), message);
        }
    }

    #[test]
    fn a_damaged_message_never_panics(message in message(), at in any::<proptest::sample::Index>(), octet in any::<u8>()) {
        let mut datagram = message.encode();
        let at = at.index(datagram.len());
        datagram[at] = octet;
        if let Err(error) = Message::decode(&datagram) {
            prop_assert!(error.offset_bytes <= datagram.len());
        }
    }

    #[test]
    fn a_value_in_any_padding_is_the_same(number in any::<i32>(), padding in 0..9usize) {
        let octets = number.to_be_bytes();
        let mut contents = vec![if number < 0 { 0xff } else { 0 }; padding];
        contents.extend(octets);
        prop_assert_eq!(value_of(&nested(0x02, &contents)), Ok(Value::Integer(number)));
    }
}
