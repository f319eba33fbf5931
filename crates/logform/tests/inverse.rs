//! Encoding and decoding are inverse.

use logform::{definition, is_update, put_update, take_update, update_kind};
use proptest::prelude::*;
use rrd::{Archive, ConsolidationFunction, DataSource, Definition, Reading, SourceKind, Timestamp};
use varint::{Cursor, RecordError};

fn reading() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<u64>().prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        (0..64_u32).prop_map(|bit| (1_u64 << bit).to_string()),
        Just("U".to_owned()),
        "[-+0-9.eU ]{0,25}",
        any::<String>(),
        (200..300_usize).prop_map(|count| "9".repeat(count)),
    ]
}

fn readings() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        4 => proptest::collection::vec(reading(), 0..5),
        1 => proptest::collection::vec(reading(), 60..70),
    ]
}

fn time() -> impl Strategy<Value = Timestamp> {
    let micros = prop_oneof![Just(0), 0..1_000_000_u32];
    (any::<i64>(), micros).prop_map(|(seconds, micros)| Timestamp { seconds, micros })
}

/// Any double by its bits.
fn double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits)
}

fn source() -> impl Strategy<Value = DataSource> {
    let kind = proptest::sample::select(&SourceKind::OF_READINGS[..]);
    ("[a-zA-Z0-9_-]{1,19}", kind, any::<u64>(), double(), double()).prop_map(
        |(name, kind, heartbeat_seconds, minimum, maximum)| DataSource {
            name,
            kind,
            heartbeat_seconds,
            minimum,
            maximum,
        },
    )
}

fn archive() -> impl Strategy<Value = Archive> {
    let cf = proptest::sample::select(&ConsolidationFunction::PLAIN[..]);
    (cf, 1..=u64::MAX, 1..=u64::MAX, double())
        .prop_map(|(cf, rows, pdp_per_row, xff)| Archive::plain(cf, rows, pdp_per_row, xff))
}

fn any_definition() -> impl Strategy<Value = Definition> {
    let sources = proptest::collection::vec(source(), 0..5);
    let archives = proptest::collection::vec(archive(), 0..9);
    (1..=u64::MAX, sources, archives).prop_map(|(step_seconds, sources, archives)| Definition {
        tick: rrd::Tick::SECOND,
        step_seconds,
        sources,
        archives,
    })
}

/// An update as a record without its owner.
fn encoded(time: Timestamp, readings: &[Reading<'_>]) -> Vec<u8> {
    let mut bytes = vec![update_kind(time, readings.len())];
    put_update(time, readings.len(), readings.iter().copied(), &mut bytes);
    bytes
}

/// Decodes and encodes again; `None` if bytes are left over.
fn again(bytes: &[u8]) -> Result<Option<Vec<u8>>, RecordError> {
    let mut cursor = Cursor::new(bytes);
    let kind = cursor.checked("an update", |it| it.byte("an update"), |it| is_update(*it))?;
    let update = take_update(kind, &mut cursor)?;
    let readings: Vec<Reading<'_>> = update.readings.collect();
    Ok(cursor.rest().is_empty().then(|| encoded(update.time, &readings)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn updates_come_back(time in time(), texts in readings()) {
        let bytes = encoded(time, &Reading::of_all(&texts));
        let mut cursor = Cursor::new(&bytes);
        let kind = cursor.byte("").unwrap();
        let update = take_update(kind, &mut cursor).unwrap();
        prop_assert_eq!(update.time, time);
        let found: Vec<String> = update.readings.map(|reading| reading.to_string()).collect();
        prop_assert_eq!(found, texts);
        prop_assert!(cursor.rest().is_empty());
    }

    #[test]
    fn what_is_an_update_at_all_has_the_same_bytes_again(
        (time, texts) in (time(), readings()),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = encoded(time, &Reading::of_all(&texts));
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut.index(3) == 0 {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        match again(&bytes) {
            Ok(Some(found)) => prop_assert_eq!(found, bytes),
            Ok(None) => {}
            Err(error) => prop_assert!(error.offset_bytes <= bytes.len(), "{}", error),
        }
    }

    #[test]
    fn any_bytes_are_an_update_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        match again(&bytes) {
            Ok(Some(found)) => prop_assert_eq!(found, bytes),
            Ok(None) => {}
            Err(error) => prop_assert!(error.offset_bytes <= bytes.len(), "{}", error),
        }
    }

    #[test]
    fn definitions_come_back(definition in any_definition()) {
        let mut bytes = Vec::new();
        definition::encode(&definition, &mut bytes);
        let mut cursor = Cursor::new(&bytes);
        let found = definition::decode(&mut cursor).unwrap();
        prop_assert!(cursor.rest().is_empty());
        // NaN does not equal itself, so the texts are compared.
        prop_assert_eq!(format!("{found:?}"), format!("{definition:?}"));
    }
}

/// The picture at the head of the crate.
#[test]
fn an_update_as_it_stands() {
    let time = Timestamp { seconds: 1_500_000_000, micros: 500_000 };
    let expected = [
        &[0xc2][..],
        &[0x80, 0xbc, 0xc1, 0x96, 0x0b],
        &[0xa0, 0xc2, 0x1e],
        &[0x05, 0x00, 0xe4, 0x0b, 0x54, 0x02],
        &[0x16, 0x31, 0x2e, 0x35],
    ];
    assert_eq!(encoded(time, &["10000000000", "1.5"].map(Reading::of)), expected.concat());
}

#[test]
fn integers_go_by_value_and_everything_else_verbatim() {
    for (text, reading) in [
        ("0", Reading::Unsigned(0)),
        ("18446744073709551615", Reading::Unsigned(u64::MAX)),
        ("18446744073709551616", Reading::Text("18446744073709551616")),
        ("-1", Reading::Negative(1)),
        ("-18446744073709551615", Reading::Negative(u64::MAX)),
        ("-0", Reading::Text("-0")),
        ("007", Reading::Text("007")),
        ("+7", Reading::Text("+7")),
        ("7 ", Reading::Text("7 ")),
        ("", Reading::Text("")),
        ("-", Reading::Text("-")),
        ("U", Reading::Unknown),
        ("UNKN", Reading::Text("UNKN")),
        ("1.5", Reading::Text("1.5")),
    ] {
        assert_eq!(Reading::of(text), reading, "{text:?}");
        assert_eq!(reading.to_string(), text);
    }
}
