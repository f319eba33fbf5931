//! The bytes on disk are those of the picture at the head of the module.

use disk::{Medium as _, MediumFile as _, MemoryMedium};
use journal::record::Event;
use journal::{
    Generation, Journal, JournalError, JournalOptions, LogPosition, RawRecord, Record, Records,
    RrdId, Start,
};
use rrd::{Reading, Sample, Timestamp};

use crate::simulation::OPTIONS;

/// Offset, bytes, meaning. Everything that is not here is zero.
const SEGMENT: &[(usize, &str, &str)] = &[
    (0x000, "67 79 72 65 2d 6c 6f 67", "magic"),
    (0x008, "01 00 00 00", "version"),
    (0x00c, "00 02 00 00", "bytes of a block"),
    (0x010, "00 10 00 00 00 00 00 00", "bytes of a segment"),
    (0x018, "59 31 c9 08", "CRC-32"),
    // A frame for each commit.
    (0x200, "7b 5e 1c 72", "CRC-32"),
    (0x204, "1c 00 00 00", "bytes of the records"),
    (0x208, "01 00 00 00 00 00 00 00", "sequence"),
    (0x210, "00 00 00 00 00 00 00 00", "position of the first record"),
    (0x218, "00 00 00 00", "bytes before it that were not durable"),
    (0x21c, "17", "bytes of the record"),
    (0x21d, "c2", "update, with microseconds, of 2 readings"),
    (0x21e, "c0 84 3d", "RRD 1,000,000"),
    (0x221, "03", "generation 3"),
    (0x222, "80 bc c1 96 0b", "1,500,000,000 seconds, zigzag"),
    (0x227, "a0 c2 1e", "500,000 microseconds"),
    (0x22a, "05 00 e4 0b 54 02", "10,000,000,000"),
    (0x230, "16 31 2e 35", "1.5"),
    (0x234, "03", "bytes of the record"),
    (0x235, "02 09 00", "delete, RRD 9, generation 0"),
    (0x400, "25 cb 74 86", "CRC-32"),
    (0x404, "04 00 00 00", "bytes of the records"),
    (0x408, "01 00 00 00 00 00 00 00", "sequence"),
    (0x410, "1c 00 00 00 00 00 00 00", "position of the first record"),
    (0x41c, "03 02 09 00", "its length, delete, RRD 9, generation 0"),
];

#[test]
fn segment_is_as_pictured() {
    let medium = MemoryMedium::default();
    let journal = Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap();
    let time = Timestamp { seconds: 1_500_000_000, micros: 500_000 };
    let sample = Sample { time, readings: &["10000000000", "1.5"].map(Reading::of) };
    journal.append_update(RrdId(1_000_000), Generation(3), &sample).unwrap();
    let delete = Record { rrd: RrdId(9), generation: Generation(0), event: Event::Delete };
    journal.append(&delete).unwrap();
    journal.commit().unwrap();
    journal.append(&delete).unwrap();
    journal.commit().unwrap();

    let mut expected = vec![0; OPTIONS.segment_bytes];
    for (offset, hex, _) in SEGMENT {
        for (nth, byte) in hex.split(' ').enumerate() {
            expected[offset + nth] = u8::from_str_radix(byte, 16).unwrap();
        }
    }
    let found = medium.open("journal-000000").unwrap().to_bytes();
    assert_eq!(dump(&found), dump(&expected));
}

/// The lines of a hex dump that hold anything.
fn dump(bytes: &[u8]) -> String {
    let lines = bytes.chunks(16).enumerate().filter(|(_, line)| line.iter().any(|it| *it != 0));
    lines.map(|(nth, line)| format!("{:04x}  {line:02x?}\n", nth * 16)).collect()
}

#[test]
fn records_that_enter_together_are_those_that_enter_one_by_one() {
    let sample =
        Sample { time: Timestamp::from_seconds(7), readings: &["12", "-0.5"].map(Reading::of) };
    let rename = |bytes| {
        let event = Event::Rename { name: "n".repeat(bytes) };
        Record { rrd: RrdId(2), generation: Generation(1), event }
    };
    let [together, single] = [MemoryMedium::default(), MemoryMedium::default()];
    let open = |medium: &MemoryMedium| {
        Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap()
    };
    let (journal, other) = (open(&together), open(&single));
    let mut records = Records::default();
    for nth in 0..9 {
        records.push_update(RrdId(nth), Generation(0), &sample);
        other.append_update(RrdId(nth), Generation(0), &sample).unwrap();
        records.push(&rename(124 + nth as usize)); // lengths of one byte and of two
        other.append(&rename(124 + nth as usize)).unwrap();
        if nth % 3 == 2 {
            let position = journal.append_records(&mut records).unwrap();
            assert!(records.is_empty() && position < journal.next());
        }
    }
    records.push(&rename(4000));
    assert!(matches!(
        journal.append_records(&mut records),
        Err(JournalError::RecordTooLarge { bytes: 4007, .. })
    ));
    assert_eq!(journal.commit().unwrap(), other.commit().unwrap());
    let bytes = |medium: &MemoryMedium| medium.open("journal-000000").unwrap().to_bytes();
    assert_eq!(dump(&bytes(&together)), dump(&bytes(&single)));
}

#[test]
fn a_journal_of_another_version_or_size_is_refused() {
    let medium = MemoryMedium::default();
    drop(Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap());
    let larger = JournalOptions { segment_bytes: 8192, first_segment_bytes: 8192, ..OPTIONS };
    let error = Journal::open(medium, larger, Start::default(), |_, _| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "journal-000000: at byte 0: expected format 1 with blocks of 512 and segments of 8192 \
         bytes, found format 1 with blocks of 512 and segments of 4096 bytes"
    );
}

#[test]
fn damage_before_acknowledged_records_names_segment_and_offset() {
    let medium = MemoryMedium::default();
    let journal = Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap();
    let delete = Record { rrd: RrdId(9), generation: Generation(0), event: Event::Delete };
    for _ in 0..3 {
        journal.append(&delete).unwrap();
        journal.commit().unwrap();
    }
    let file = medium.open("journal-000000").unwrap();
    file.write_at(&[0xff], 1024 + 40).unwrap(); // padding: nobody minds
    file.write_at(&[0xff], 1024 + 29).unwrap();
    let mut found = 0;
    let error = Journal::open(medium, OPTIONS, Start::default(), |_, _| found += 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "journal-000000: at byte 1024: expected a valid frame at position 4, found none, though \
         the one at byte 1536 was written after it"
    );
    assert_eq!(found, 1);
}

#[test]
fn a_log_that_ends_before_its_checkpoint_is_refused() {
    let open = |medium: &MemoryMedium, from| {
        let start = Start { from: LogPosition(from), keep_from: LogPosition(0) };
        Journal::open(medium.clone(), OPTIONS, start, |_, _| ())
    };
    let medium = MemoryMedium::default();
    assert!(matches!(open(&medium, 1), Err(JournalError::Damaged { .. })));
    let journal = open(&medium, 0).unwrap();
    let delete = Record { rrd: RrdId(9), generation: Generation(0), event: Event::Delete };
    journal.append(&delete).unwrap();
    assert_eq!(journal.commit().unwrap(), LogPosition(4));
    for (from, expected) in [(3, "a record that starts at"), (5, "records up to position 5")] {
        let error = open(&medium, from).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert!(open(&medium, 4).is_ok());
}

#[test]
fn a_log_is_read_from_any_record_that_was_not_freed() {
    let medium = MemoryMedium::default();
    let options = JournalOptions { intervals_kept: 0, ..OPTIONS };
    let journal = Journal::open(medium.clone(), options, Start::default(), |_, _| ()).unwrap();
    let mut positions = Vec::new();
    for nth in 0..60 {
        let event = Event::Rename { name: "n".repeat(300) };
        let record = Record { rrd: RrdId(nth), generation: Generation(0), event };
        positions.push(journal.append(&record).unwrap());
        journal.commit().unwrap();
        journal.free_before(positions[positions.len().saturating_sub(20)]);
    }
    assert_eq!(journal.free_before(positions[10]), 0, "an older checkpoint frees nothing");
    drop(journal);

    let open = |from| {
        let mut found = Vec::new();
        let start = Start { from, keep_from: from };
        let visit = |position, _: RawRecord<'_>| found.push(position);
        Journal::open(medium.clone(), options, start, visit).map(|_| found)
    };
    for freed in [0, 10] {
        let error = open(positions[freed]).unwrap_err();
        assert!(matches!(error, JournalError::Missing { .. }), "{error}");
    }
    for nth in 40..60 {
        assert_eq!(open(positions[nth]).unwrap(), positions[nth..]);
    }
}

#[test]
fn a_record_that_this_version_does_not_know_is_no_damage() {
    let medium = MemoryMedium::default();
    let journal = Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap();
    for rrd in 1..=2 {
        let event = Event::Delete;
        journal.append(&Record { rrd: RrdId(rrd), generation: Generation(0), event }).unwrap();
    }
    journal.commit().unwrap();
    let file = medium.open("journal-000000").unwrap();
    // Of the second record the kind, then the checksum of the frame.
    file.write_at(&[0x66], 0x200 + 28 + 5).unwrap();
    let frame = &file.to_bytes()[0x204..0x200 + 28 + 8];
    file.write_at(&crc32fast::hash(frame).to_le_bytes(), 0x200).unwrap();
    let error = Journal::open(medium, OPTIONS, Start::default(), |_, _| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the record at position 4: at byte 0 of the record: expected a kind of record, found 0x66"
    );
}

#[test]
fn a_record_larger_than_a_segment_is_refused() {
    let medium = MemoryMedium::default();
    let journal = Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap();
    let rename = |bytes| Record {
        rrd: RrdId(1),
        generation: Generation(1),
        event: Event::Rename { name: "n".repeat(bytes) },
    };
    assert_eq!(
        journal.append(&rename(4000)).unwrap_err().to_string(),
        "a record of 4007 bytes: a segment holds one of at most 3556"
    );
    let position = journal.append(&rename(3549)).unwrap();
    assert!(journal.commit().unwrap() > position);
}
