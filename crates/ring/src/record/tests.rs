//! Events and records are each other's inverse.

use journal::{Generation, RawRecord, RecordHead, Records, RrdId};
use proptest::prelude::*;
use rrd::{Archive, ConsolidationFunction, DataSource, Definition, Reading, Sample, SourceKind};

use super::*;

/// Any event but an update, which logform's tests have, with bytes of its own.
#[derive(Clone, Debug)]
enum Owned {
    Create(Timestamp, String),
    Delete,
    Rename(String),
    Tune(SourceTuning),
    Smooth,
    Tile(u64, Vec<u8>),
    Attic(Vec<u8>),
}

fn definition() -> Definition {
    Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: 300,
        sources: vec![DataSource {
            name: "in".into(),
            kind: SourceKind::Counter,
            heartbeat_seconds: 600,
            minimum: 0.0,
            maximum: 1e9,
        }],
        archives: vec![Archive::plain(ConsolidationFunction::Average, 600, 1, 0.5)],
    }
}

impl Owned {
    fn event(&self) -> Event<'_> {
        match self {
            Self::Create(start, name) => {
                Event::Create { start: *start, name, definition: Cow::Owned(definition()) }
            }
            Self::Delete => Event::Delete,
            Self::Rename(name) => Event::Rename { name },
            Self::Tune(tuning) => Event::Tune(*tuning),
            Self::Smooth => Event::Smooth,
            Self::Tile(offset_bytes, page) => Event::Tile { offset_bytes: *offset_bytes, page },
            Self::Attic(growth) => Event::Attic { growth },
        }
    }
}

fn event() -> impl Strategy<Value = Owned> {
    let double = || any::<u64>().prop_map(f64::from_bits);
    let time = (any::<i64>(), 0..MICROS_PER_SECOND)
        .prop_map(|(seconds, micros)| Timestamp { seconds, micros });
    prop_oneof![
        (time, any::<String>()).prop_map(|(start, name)| Owned::Create(start, name)),
        Just(Owned::Delete),
        Just(Owned::Smooth),
        any::<String>().prop_map(Owned::Rename),
        (any::<u32>(), any::<u64>(), double(), double()).prop_map(
            |(source, heartbeat_seconds, minimum, maximum)| {
                Owned::Tune(SourceTuning { source, heartbeat_seconds, minimum, maximum })
            },
        ),
        (any::<u64>(), any::<[u8; 32]>())
            .prop_map(|(offset, pattern)| Owned::Tile(offset, pattern.repeat(PAGE_BYTES / 32))),
        proptest::collection::vec(any::<u8>(), 0..99).prop_map(Owned::Attic),
    ]
}

fn encoded(event: &Event<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    RecordHead { kind: event.kind(), rrd: RrdId(5 << 12), generation: Generation(0) }
        .put(&mut bytes);
    event.put(&mut bytes);
    bytes
}

fn decoded(bytes: &[u8]) -> Result<Event<'_>, journal::RecordError> {
    RawRecord::parse(bytes).and_then(|record| Event::decode(&record))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn events_come_back(event in event()) {
        let bytes = encoded(&event.event());
        let found = decoded(&bytes).unwrap();
        // NaN differs from itself: the texts must not, and neither the bytes.
        prop_assert_eq!(format!("{found:?}"), format!("{:?}", event.event()));
        prop_assert_eq!(encoded(&found), bytes);
    }

    #[test]
    fn what_is_an_event_at_all_has_the_same_bytes_again(
        event in event(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = encoded(&event.event());
        let head_bytes = 5; // the owner's: the journal's tests change it
        for (at, byte) in changes {
            if let Some(left) = (bytes.len() - head_bytes).checked_sub(1) {
                bytes[head_bytes + at.index(left + 1)] = byte;
            }
        }
        if cut.index(3) == 0 {
            bytes.truncate(head_bytes.max(cut.index(bytes.len() + 1)));
        }
        match decoded(&bytes) {
            Ok(found) => prop_assert_eq!(encoded(&found), bytes),
            Err(error) => prop_assert!(error.offset_bytes <= bytes.len(), "{}", error),
        }
    }
}

/// What older logs hold reads as it always did, and what the other log alone has is told.
#[test]
fn kinds_keep_their_numbers() {
    for (kind, event) in [
        (
            1,
            Event::Create {
                start: Timestamp::from_seconds(0),
                name: "a",
                definition: Cow::Owned(definition()),
            },
        ),
        (2, Event::Delete),
        (3, Event::Rename { name: "b" }),
        (5, Event::Tile { offset_bytes: 0, page: &[0; PAGE_BYTES] }),
        (6, Event::Smooth),
        (11, Event::Attic { growth: &[] }),
    ] {
        assert_eq!(event.kind(), kind, "{event:?}");
    }
    let tuning = SourceTuning { source: 0, heartbeat_seconds: 1, minimum: 0.0, maximum: 0.0 };
    assert_eq!(Event::Tune(tuning).kind(), 4);
    for kind in [0].into_iter().chain(7..11).chain(12..0x80) {
        let error = decoded(&[kind, 1, 0]).unwrap_err();
        assert_eq!((error.offset_bytes, error.expected), (0, "a record of a ring store"), "{kind}");
    }
}

#[test]
fn a_tile_is_a_whole_page() {
    let page: Vec<u8> = (0..PAGE_BYTES).map(|nth| nth as u8).collect();
    let mut bytes = encoded(&Event::Tile { offset_bytes: 300, page: &page });
    assert_eq!(bytes[..7], [5, 0x80, 0xa0, 0x01, 0, 0xac, 0x02], "kind, id, generation, offset");
    assert_eq!(bytes.len(), 7 + PAGE_BYTES);
    let error = decoded(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!((error.offset_bytes, error.expected), (7, "the bytes of a tile"));
    bytes.push(0);
    let error = decoded(&bytes).unwrap_err();
    assert_eq!((error.offset_bytes, error.expected), (7 + PAGE_BYTES, "the end of the record"));
}

/// A million RRDs, counters of 64 bits some months after a restart.
#[test]
fn an_update_of_mrtg_takes_about_25_bytes() {
    let mut records = Records::default();
    for rrd in (0..1_000_000).step_by(997) {
        // 1 kbit/s to 10 Gbit/s, evenly over the magnitudes, for 100 days.
        let rate = 125.0 * 1e7_f64.powf(f64::from(rrd % 1009) / 1009.0);
        let counters = [rate, rate / 3.0].map(|rate| ((rate * 86400.0 * 100.0) as u64).to_string());
        let readings = counters.each_ref().map(|text| Reading::of(text));
        let time = Timestamp::from_seconds(1_780_000_000);
        let sample = Sample { time, readings: &readings };
        push_update(&mut records, RrdId(rrd), Generation(0), &sample);
    }
    let bytes = records.bytes_len() as f64 / 1_000_000_f64.div_euclid(997.0);
    assert!((20.0..25.0).contains(&bytes), "{bytes} bytes");
}
