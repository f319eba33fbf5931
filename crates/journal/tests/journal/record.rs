//! Records and bytes are each other's inverse.

use journal::record::{
    Base, Event, EventView, Kind, Reading, TILE_BYTES, Tuning, encode_update, push_argument,
};
use journal::{Generation, LogPosition, RawRecord, Record, RecordView, RrdId};
use proptest::prelude::*;
use rrd::{Archive, ConsolidationFunction, DataSource, Definition, Sample, SourceKind, Timestamp};

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

fn definition() -> impl Strategy<Value = Definition> {
    let sources = proptest::collection::vec(source(), 0..5);
    let archives = proptest::collection::vec(archive(), 0..9);
    (1..=u64::MAX, sources, archives).prop_map(|(step_seconds, sources, archives)| Definition {
        step_seconds,
        sources,
        archives,
    })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (time(), proptest::collection::vec(reading(), 0..5))
            .prop_map(|(time, readings)| Event::Update { time, readings }),
        1 => (time(), proptest::collection::vec(reading(), 60..70))
            .prop_map(|(time, readings)| Event::Update { time, readings }),
        2 => (time(), any::<String>(), definition())
            .prop_map(|(start, name, definition)| Event::Create { start, name, definition }),
        1 => Just(Event::Delete),
        1 => Just(Event::Smooth),
        1 => any::<String>().prop_map(|name| Event::Rename { name }),
        1 => (any::<u32>(), any::<u64>(), double(), double()).prop_map(
            |(source, heartbeat_seconds, minimum, maximum)| {
                Event::Tune(Tuning { source, heartbeat_seconds, minimum, maximum })
            },
        ),
        1 => (any::<u64>(), any::<[u8; 32]>()).prop_map(|(offset_bytes, pattern)| Event::Tile {
            offset_bytes,
            page: pattern.repeat(TILE_BYTES / pattern.len()),
        }),
        1 => proptest::collection::vec(any::<u8>(), 0..99)
            .prop_map(|growth| Event::Attic { growth }),
        1 => base().prop_map(Event::Base),
        1 => any::<bool>().prop_map(|refused| Event::End { refused }),
        1 => any::<u64>().prop_map(|through| Event::Written { through: LogPosition(through) }),
        1 => "[0-9]{0,4}[.@N-][0-9:]{0,9}".prop_map(|text| Event::Values { text }),
    ]
}

fn base() -> impl Strategy<Value = Base> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..99);
    let slots = proptest::collection::vec(any::<u64>(), 0..5);
    (bytes(), any::<u64>(), slots, bytes()).prop_map(|(path, fingerprint, newest_rows, state)| {
        Base { path, fingerprint, newest_rows, state }
    })
}

fn record() -> impl Strategy<Value = Record> {
    (any::<u32>(), any::<u32>(), event()).prop_map(|(rrd, generation, event)| Record {
        rrd: RrdId(rrd),
        generation: Generation(generation),
        event,
    })
}

fn encoded(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    record.encode(&mut bytes);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn decoding_gives_back_what_was_encoded(record in record()) {
        let bytes = encoded(&record);
        let decoded = RecordView::decode(&bytes).unwrap().to_record();
        // NaN differs from itself: the texts must not, and neither the bytes.
        prop_assert_eq!(format!("{decoded:?}"), format!("{record:?}"));
        prop_assert_eq!(encoded(&decoded), bytes);
    }

    #[test]
    fn what_decodes_at_all_encodes_to_the_same_bytes(
        record in record(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = encoded(&record);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut.index(3) == 0 {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        if let Ok(view) = RecordView::decode(&bytes) {
            prop_assert_eq!(encoded(&view.to_record()), bytes);
        }
    }

    #[test]
    fn any_bytes_are_a_record_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        match RecordView::decode(&bytes) {
            Ok(view) => prop_assert_eq!(encoded(&view.to_record()), bytes),
            Err(error) => prop_assert!(error.offset_bytes <= bytes.len(), "{}", error),
        }
    }

    #[test]
    fn a_sample_encodes_as_its_record(
        time in time(),
        readings in proptest::collection::vec(reading(), 0..5),
    ) {
        let mut bytes = Vec::new();
        let sample = Sample { time, readings: &Reading::of_all(&readings) };
        encode_update(RrdId(7), Generation(2), &sample, &mut bytes);
        let event = Event::Update { time, readings: readings.clone() };
        let record = Record { rrd: RrdId(7), generation: Generation(2), event };
        prop_assert_eq!(bytes, encoded(&record));
    }
}

/// One record of an argument, as an update where `plain`.
fn argument_comes_back(argument: &str, plain: bool) {
    let record = match plain {
        true => {
            let (time, readings) = argument.split_once(':').unwrap();
            let time = Timestamp::from_seconds(time.parse().unwrap());
            Event::Update { time, readings: readings.split(':').map(str::to_owned).collect() }
        }
        false => Event::Values { text: argument.to_owned() },
    };
    let record = Record { rrd: RrdId(7), generation: Generation(0), event: record };
    let bytes = encoded(&record);
    let view = RecordView::decode(&bytes).unwrap();
    let mut text = String::new();
    assert!(push_argument(&view.event, &mut text));
    assert_eq!(text, argument);
}

#[test]
fn arguments_come_back_letter_for_letter() {
    for plain in ["0:1", "1600000000:12:U:-5:1e3::007:0x10", "9223372036854775807:", "1:a b\\c"] {
        argument_comes_back(plain, true);
    }
    for odd in ["01:1", "1.5:2", "-1:2", "N:1", "now@5", "9223372036854775808:1", "5", "", "1@2:3"]
    {
        argument_comes_back(odd, false);
    }
}

/// The picture at the head of `record::base`.
#[test]
fn a_base_as_it_stands() {
    let base = Base {
        path: b"/a\xff.rrd".to_vec(),
        fingerprint: 0x0102_0304_0506_0708,
        newest_rows: vec![5, 300],
        state: vec![0xaa, 0xbb],
    };
    let record = Record { rrd: RrdId(3), generation: Generation(0), event: Event::Base(base) };
    let expected = [
        &[7, 3, 0, 7][..],
        b"/a\xff.rrd",
        &[8, 7, 6, 5, 4, 3, 2, 1],
        &[2, 5, 0xac, 2],
        &[0xaa, 0xbb],
    ];
    assert_eq!(encoded(&record), expected.concat());
    assert_eq!(RecordView::decode(&encoded(&record)).unwrap().to_record(), record);
}

/// What older logs hold reads as it always did.
#[test]
fn kinds_keep_their_numbers() {
    for (first, kind) in [
        (1, Kind::Create),
        (2, Kind::Delete),
        (3, Kind::Rename),
        (4, Kind::Tune),
        (5, Kind::Tile),
        (6, Kind::Smooth),
        (7, Kind::Base),
        (8, Kind::Written),
        (9, Kind::Values),
        (10, Kind::End),
        (11, Kind::Attic),
        (0x80, Kind::Update),
        (0xff, Kind::Update),
    ] {
        assert_eq!(RawRecord::parse(&[first, 1, 0]).unwrap().kind(), kind, "{first}");
    }
    assert!((12..0x80).chain([0]).all(|first| RawRecord::parse(&[first, 1, 0]).is_err()));
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

#[test]
fn a_view_gives_the_readings_one_by_one() {
    let mut bytes = Vec::new();
    let time = Timestamp { seconds: -5, micros: 999_999 };
    let readings = &["300", "U", "-2", "1e5"].map(Reading::of);
    encode_update(RrdId(1), Generation(0), &Sample { time, readings }, &mut bytes);
    let EventView::Update { time: found, readings } = RecordView::decode(&bytes).unwrap().event
    else {
        panic!("an update was encoded")
    };
    assert_eq!((found, readings.len()), (time, 4));
    let expected =
        [Reading::Unsigned(300), Reading::Unknown, Reading::Negative(2), Reading::Text("1e5")];
    assert!(readings.eq(expected));
}

#[test]
fn a_tile_is_a_whole_page() {
    let page: Vec<u8> = (0..TILE_BYTES).map(|nth| nth as u8).collect();
    let event = Event::Tile { offset_bytes: 300, page };
    let record = Record { rrd: RrdId(5 << 12), generation: Generation(0), event };
    let mut bytes = encoded(&record);
    assert_eq!(bytes[..7], [5, 0x80, 0xa0, 0x01, 0, 0xac, 0x02], "kind, id, generation, offset");
    assert_eq!(bytes.len(), 7 + TILE_BYTES);
    assert_eq!(RecordView::decode(&bytes).unwrap().to_record(), record);

    let error = RecordView::decode(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!((error.offset_bytes, error.expected), (7, "the bytes of a tile"));
    bytes.push(0);
    let error = RecordView::decode(&bytes).unwrap_err();
    assert_eq!((error.offset_bytes, error.expected), (7 + TILE_BYTES, "the end of the record"));
}

/// What DESIGN reckons with: a million RRDs, counters of 64 bits some months after a restart.
#[test]
fn an_update_of_mrtg_takes_about_25_bytes() {
    let mut bytes = Vec::new();
    for rrd in (0..1_000_000).step_by(997) {
        // 1 kbit/s to 10 Gbit/s, evenly over the magnitudes, for 100 days.
        let rate = 125.0 * 1e7_f64.powf(f64::from(rrd % 1009) / 1009.0);
        let counters = [rate, rate / 3.0].map(|rate| ((rate * 86400.0 * 100.0) as u64).to_string());
        let readings = counters.each_ref().map(|text| Reading::of(text));
        let time = Timestamp::from_seconds(1_780_000_000);
        encode_update(RrdId(rrd), Generation(0), &Sample { time, readings: &readings }, &mut bytes);
    }
    let records = 1_000_000_usize.div_ceil(997);
    let with_length = (bytes.len() + records) as f64 / records as f64;
    assert!((20.0..25.0).contains(&with_length), "{with_length} bytes");
}
