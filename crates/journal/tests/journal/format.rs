//! The bytes on disk are those of the picture at the head of the module.

use disk::{Medium as _, MediumFile as _, MemoryMedium};
use journal::{Journal, JournalError, JournalOptions, LogPosition, RawRecord, Records, Start};

use crate::record::Record;
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
    (0x21d, "c2", "kind"),
    (0x21e, "c0 84 3d", "RRD 1,000,000"),
    (0x221, "03", "generation 3"),
    (0x222, "80 bc c1 96 0b a0 c2 1e 05 00 e4 0b 54 02 16 31 2e 35", "body"),
    (0x234, "03", "bytes of the record"),
    (0x235, "02 09 00", "kind, RRD 9, generation 0"),
    (0x400, "25 cb 74 86", "CRC-32"),
    (0x404, "04 00 00 00", "bytes of the records"),
    (0x408, "01 00 00 00 00 00 00 00", "sequence"),
    (0x410, "1c 00 00 00 00 00 00 00", "position of the first record"),
    (0x41c, "03 02 09 00", "its length, kind, RRD 9, generation 0"),
];

#[test]
fn segment_is_as_pictured() {
    let medium = MemoryMedium::default();
    let journal = Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap();
    let body = b"\x80\xbc\xc1\x96\x0b\xa0\xc2\x1e\x05\x00\xe4\x0b\x54\x02\x161.5";
    Record::new(0xc2, 1_000_000, 3, body.to_vec()).append(&journal).unwrap();
    let delete = Record::deletion();
    delete.append(&journal).unwrap();
    journal.commit().unwrap();
    delete.append(&journal).unwrap();
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
    let record = |bytes| Record::new(3, 2, 1, vec![b'n'; bytes]);
    let [together, single] = [MemoryMedium::default(), MemoryMedium::default()];
    let open = |medium: &MemoryMedium| {
        Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap()
    };
    let (journal, other) = (open(&together), open(&single));
    let mut records = Records::default();
    for nth in 0..9 {
        for bytes in [7, 120 + nth] {
            // Lengths of one byte and of two.
            record(bytes).push(&mut records);
            record(bytes).append(&other).unwrap();
        }
        if nth % 3 == 2 {
            let position = journal.append_records(&mut records).unwrap();
            assert!(records.is_empty() && position < journal.next());
        }
    }
    record(4002).push(&mut records);
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
    let delete = Record::deletion();
    for _ in 0..3 {
        delete.append(&journal).unwrap();
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
    let delete = Record::deletion();
    delete.append(&journal).unwrap();
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
        let record = Record::new(3, nth, 0, vec![b'n'; 300]);
        positions.push(record.append(&journal).unwrap());
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
        Record::new(2, rrd, 0, Vec::new()).append(&journal).unwrap();
    }
    journal.commit().unwrap();
    let file = medium.open("journal-000000").unwrap();
    // Of the second record the id, then the checksum of the frame.
    file.write_at(&[0x80], 0x200 + 28 + 6).unwrap();
    let frame = &file.to_bytes()[0x204..0x200 + 28 + 8];
    file.write_at(&crc32fast::hash(frame).to_le_bytes(), 0x200).unwrap();
    let error = Journal::open(medium, OPTIONS, Start::default(), |_, _| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the record at position 4: at byte 1 of the record: expected the id of an RRD, found 0x80"
    );
}

#[test]
fn a_record_larger_than_a_segment_is_refused() {
    let medium = MemoryMedium::default();
    let journal = Journal::open(medium.clone(), OPTIONS, Start::default(), |_, _| ()).unwrap();
    let record = |bytes| Record::new(3, 1, 1, vec![b'n'; bytes]);
    assert_eq!(
        record(4002).append(&journal).unwrap_err().to_string(),
        "a record of 4007 bytes: a segment holds one of at most 3556"
    );
    let position = record(3551).append(&journal).unwrap();
    assert!(journal.commit().unwrap() > position);
}
