//! Large segments begin small and grow with the journal.

use std::collections::VecDeque;

use crate::record::Record;
use disk::{Medium as _, MediumFile as _, MemoryMedium};
use journal::{Journal, JournalOptions, LogPosition, Start};

const OPTIONS: JournalOptions = JournalOptions {
    segment_bytes: 16 << 20,
    first_segment_bytes: 64 << 10,
    block_bytes: 4096,
    segments: 4,
    intervals_kept: 0,
    zeros: true,
    read_ahead: false,
};

fn open(medium: &MemoryMedium) -> (Journal<MemoryMedium>, Vec<LogPosition>) {
    open_with(medium, OPTIONS)
}

fn open_with(
    medium: &MemoryMedium,
    options: JournalOptions,
) -> (Journal<MemoryMedium>, Vec<LogPosition>) {
    let mut found = Vec::new();
    let start = Start::default();
    let journal = Journal::open(medium.clone(), options, start, |at, _| found.push(at)).unwrap();
    (journal, found)
}

/// The sizes of the segments, in the order in which they were made.
fn sizes(medium: &MemoryMedium) -> Vec<u64> {
    let segments = medium.list().unwrap().into_iter().filter(|name| name.starts_with("journal-0"));
    segments.map(|name| medium.open(&name).unwrap().len_bytes().unwrap()).collect()
}

/// A record of about so many bytes.
fn record(bytes: usize) -> Record {
    Record::new(0x81, 1, 1, vec![b'x'; bytes])
}

#[test]
fn segments_grow_with_the_log() {
    let medium = MemoryMedium::default();
    let (journal, _) = open(&medium);
    journal.ensure_free(4).unwrap();
    assert_eq!(sizes(&medium), [64 << 10; 4]);
    let mut appended = Vec::new();
    while journal.next().0 < 100 << 20 {
        appended.push(record(100_000).append(&journal).unwrap());
        journal.commit().unwrap();
        journal.ensure_free(4).unwrap();
    }
    let made = sizes(&medium);
    assert!(made.len() < 80, "{} segments", made.len());
    assert_eq!(made.iter().max(), Some(&(16 << 20)));
    // Not more than it takes, by a part of it.
    let total: u64 = made.iter().sum();
    assert!(total < 300 << 20, "{total} bytes");
    assert!(journal.verify().unwrap() > 100 << 20);
    drop(journal);
    let (journal, found) = open(&medium);
    assert_eq!(found, appended);
    // They are used again: a log of a third of that needs few others.
    let mut ends = VecDeque::new();
    for _ in 0..3000 {
        ends.push_back(record(100_000).append(&journal).unwrap());
        journal.commit().unwrap();
        if ends.len() > 300 {
            journal.free_before(ends.pop_front().unwrap());
        }
        journal.ensure_free(4).unwrap();
    }
    let total_now: u64 = sizes(&medium).iter().sum();
    assert!(total_now - total <= 32 << 20, "{total_now} bytes, {total} before");
}

/// What a journal takes follows the length of its log, however long it lives.
#[test]
fn a_short_log_stays_small() {
    let medium = MemoryMedium::default();
    let (journal, _) = open(&medium);
    let mut ends = VecDeque::new();
    for _ in 0..50_000 {
        ends.push_back(record(1000).append(&journal).unwrap());
        journal.commit().unwrap();
        if ends.len() > 200 {
            journal.free_before(ends.pop_front().unwrap());
        }
        journal.ensure_free(4).unwrap();
    }
    let made = sizes(&medium);
    let total: u64 = made.iter().sum();
    assert!(total < 5 << 20, "{made:?}"); // records take a block each: 0.8 MB
}

#[test]
fn a_record_larger_than_the_first_segments_finds_one() {
    let medium = MemoryMedium::default();
    let (journal, _) = open(&medium);
    let at = record(15 << 20).append(&journal).unwrap();
    journal.commit().unwrap();
    let next = record(10).append(&journal).unwrap();
    journal.commit().unwrap();
    drop(journal);
    assert_eq!(open(&medium).1, [at, next]);
}

#[test]
fn a_journal_of_large_segments_stays_as_it_is() {
    let medium = MemoryMedium::default();
    let equal = JournalOptions { first_segment_bytes: usize::MAX, ..OPTIONS };
    let (journal, _) = open_with(&medium, equal);
    let mut appended = Vec::new();
    let mut append = |journal: &Journal<MemoryMedium>| {
        for _ in 0..200 {
            appended.push(record(100_000).append(journal).unwrap());
            journal.commit().unwrap();
        }
        appended.clone()
    };
    append(&journal);
    drop(journal);
    let made = sizes(&medium);
    assert_eq!(made, [16 << 20; 4]);
    let (journal, found) = open(&medium);
    assert_eq!(found.len(), 200);
    let appended = append(&journal);
    assert_eq!(sizes(&medium), made);
    drop(journal);
    let (journal, found) = open(&medium);
    assert_eq!(found, appended);
    // The first ones are used again.
    journal.free_before(journal.durable());
    append_until_full(&journal);
    assert_eq!(sizes(&medium), made);
}

/// Fills the free segments of a journal, and makes no other.
fn append_until_full(journal: &Journal<MemoryMedium>) {
    while journal.segments().1 > 0 {
        record(100_000).append(journal).unwrap();
        journal.commit().unwrap();
    }
}
