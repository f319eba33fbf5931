//! Events and records are each other's inverse.

use journal::{Generation, RecordHead, Records, RrdId};
use proptest::prelude::*;

use super::*;

const NUMBER: RrdId = RrdId(3);

fn base() -> impl Strategy<Value = Base> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..99);
    let slots = proptest::collection::vec(any::<u64>(), 0..5);
    (bytes(), any::<u64>(), slots, bytes()).prop_map(|(path, fingerprint, newest_rows, state)| {
        Base { path, fingerprint, newest_rows, state }
    })
}

fn encoded(event: &Event<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    RecordHead { kind: event.kind(), rrd: NUMBER, generation: Generation(0) }.put(&mut bytes);
    event.put(&mut bytes);
    bytes
}

fn decoded(bytes: &[u8]) -> Result<Event<'_>, RecordError> {
    RawRecord::parse(bytes).and_then(|record| Event::decode(&record))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn bases_come_back(base in base()) {
        let bytes = encoded(&Event::Base(base.view()));
        let Ok(Event::Base(found)) = decoded(&bytes) else { panic!("a base was encoded") };
        prop_assert_eq!(found.to_base(), base);
    }

    #[test]
    fn what_is_an_event_at_all_has_the_same_bytes_again(
        kind in proptest::sample::select(vec![DELETE, BASE, WRITTEN, VALUES, END]),
        body in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let bytes = [&[kind, 3, 0][..], &body].concat();
        match decoded(&bytes) {
            Ok(found) => prop_assert_eq!(encoded(&found), bytes),
            Err(error) => prop_assert!(error.offset_bytes <= bytes.len(), "{}", error),
        }
    }
}

#[test]
fn arguments_come_back_letter_for_letter() {
    let plain = ["0:1", "1600000000:12:U:-5:1e3::007:0x10", "9223372036854775807:", "1:a b\\c"];
    let odd = ["01:1", "1.5:2", "-1:2", "N:1", "now@5", "9223372036854775808:1", "5", "", "1@2:3"];
    for (argument, is_plain) in
        plain.map(|it| (it, true)).into_iter().chain(odd.map(|it| (it, false)))
    {
        let mut records = Records::default();
        push_argument(&mut records, NUMBER, Generation(0), argument);
        let record = records.iter().next().unwrap();
        assert_eq!(is_update(record.kind()), is_plain, "{argument}");
        assert_eq!(Kind::of(&record), Some(Kind::Sample));
        assert_eq!(Event::decode(&record).unwrap().argument().as_deref(), Some(argument));
    }
}

/// The picture at the head of [`base`](super::base).
#[test]
fn a_base_as_it_stands() {
    let base = Base {
        path: b"/a\xff.rrd".to_vec(),
        fingerprint: 0x0102_0304_0506_0708,
        newest_rows: vec![5, 300],
        state: vec![0xaa, 0xbb],
    };
    let expected = [
        &[7, 3, 0, 7][..],
        b"/a\xff.rrd",
        &[8, 7, 6, 5, 4, 3, 2, 1],
        &[2, 5, 0xac, 2],
        &[0xaa, 0xbb],
    ];
    assert_eq!(encoded(&Event::Base(base.view())), expected.concat());
}

/// Records of older logs read as they always did, and records of the other log alone are refused.
#[test]
fn kinds_keep_their_numbers() {
    let through = LogPosition(300);
    for (event, bytes) in [
        (Event::Delete, &[2, 3, 0][..]),
        (Event::Written { through }, &[8, 3, 0, 0xac, 2]),
        (Event::Values { text: "N:1" }, &[9, 3, 0, 3, b'N', b':', b'1']),
        (Event::End { refused: true }, &[10, 3, 0, 1]),
    ] {
        assert_eq!(encoded(&event), bytes, "{event:?}");
    }
    for kind in [0, 1].into_iter().chain(3..7).chain(11..0x80) {
        let bytes = [kind, 1, 0];
        let error = decoded(&bytes).unwrap_err();
        assert_eq!((error.offset_bytes, error.expected), (0, "a record of a file cache"), "{kind}");
        assert_eq!(Kind::of(&RawRecord::parse(&bytes).unwrap()), None);
    }
}
