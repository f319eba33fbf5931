//! Segments: how the log grows and shrinks, and what it says when the disk is full.

use disk::{Fault, FaultPlan, FaultyMedium, Medium as _, MemoryMedium, Restart};
use files::cache::Base;
use files::cache::{Acknowledge, Lines, Log, LogOptions, Step};
use journal::{JournalOptions, RrdId};

pub(crate) fn options() -> LogOptions {
    let journal = JournalOptions {
        segment_bytes: 8192,
        first_segment_bytes: 8192,
        block_bytes: 512,
        segments: 2,
        intervals_kept: 0,
        zeros: true,
        read_ahead: false,
    };
    LogOptions { acknowledge: Acknowledge::Written, journal }
}

pub(crate) fn base(number: u32) -> Base {
    let path = format!("file{number}").into_bytes();
    Base { path, fingerprint: 1, newest_rows: vec![], state: vec![1; 50] }
}

pub(crate) fn sample(lines: &mut Lines, number: u32, nth: u32) {
    lines.sample(RrdId(number), &format!("{}:{}", 1_600_000_000 + nth, "9".repeat(40)));
}

#[test]
fn the_log_grows_with_what_is_needed_and_shrinks_again() {
    let (log, _) = Log::open(MemoryMedium::default(), options()).unwrap();
    let mut lines = Lines::default();
    for round in 0..3 {
        let mut log_pins = Vec::new();
        for number in 0..1000 {
            lines.base(RrdId(number), &base(number).view());
            sample(&mut lines, number, round);
            log_pins.push(log.append(&mut lines).unwrap().expect("there is a base"));
            log.acknowledge().unwrap();
        }
        log.commit().unwrap();
        log.tend().unwrap();
        let (segments, _) = log.segments();
        assert!(segments > 20, "{segments}");
        let through = log.position();
        let files = log_pins.into_iter().enumerate();
        log.written(files.map(|(nth, log_pin)| (RrdId(nth as u32), log_pin, through))).unwrap();
        log.commit().unwrap();
        log.tend().unwrap();
        let (segments, free) = log.segments();
        assert!(segments < 15 && free >= 2, "{segments} {free}");
    }
}

/// One file that is not written keeps what it needs, and what came after it.
#[test]
fn the_oldest_base_that_is_needed_holds_the_log() {
    let medium = FaultyMedium::new(FaultPlan::default());
    let (log, _) = Log::open(medium.clone(), options()).unwrap();
    let mut lines = Lines::default();
    lines.base(RrdId(7), &base(7).view());
    sample(&mut lines, 7, 1);
    let held = log.append(&mut lines).unwrap().unwrap();
    for nth in 0..500 {
        lines.base(RrdId(8), &base(8).view());
        sample(&mut lines, 8, nth);
        let log_pin = log.append(&mut lines).unwrap().unwrap();
        log.commit().unwrap();
        log.written([(RrdId(8), log_pin, log.position())]).unwrap();
        log.tend().unwrap();
    }
    let (segments, free) = log.segments();
    assert!(segments - free > 5, "{segments} {free}");
    let medium = medium.restart(Restart::PowerCut, FaultPlan::default());
    drop(log);
    let (log, replay) = Log::open(medium, options()).unwrap();
    let first = replay.files().next().unwrap();
    assert_eq!((first.number, first.path, first.log_pin), (RrdId(7), &b"file7"[..], held));
    assert_eq!(replay.next_number(), RrdId(9));
    log.written([(RrdId(7), held, log.position())]).unwrap();
    let _ = replay.files().skip(1).map(|file| log.release(file.log_pin)).count();
    log.commit().unwrap();
    log.tend().unwrap();
    let (segments, free) = log.segments();
    assert!(segments - free <= 2, "{segments} {free}");
}

#[test]
fn a_full_disk_refuses_updates_and_loses_none_that_was_acknowledged() {
    // From some call on every one that takes room fails, and then there is room again.
    let full = |from: u64| (from..from + 400).map(|call| (call, Fault::NoSpace)).collect();
    for from in [20, 60, 100, 150] {
        let medium = FaultyMedium::new(FaultPlan { at: full(from), ..FaultPlan::default() });
        let Ok((log, _)) = Log::open(medium.clone(), options()) else { continue };
        let mut lines = Lines::default();
        let (mut acknowledged, mut refused, mut taken) = (0, 0, Vec::new());
        for nth in 0..900 {
            if let Err(error) = log.admit() {
                assert!(error.to_string().contains("No space left"), "{error}");
                refused += 1;
                continue;
            }
            if taken.is_empty() {
                lines.base(RrdId(1), &base(1).view());
            }
            sample(&mut lines, 1, nth);
            log.append(&mut lines).unwrap();
            taken.push(nth);
            if log.acknowledge().is_ok() {
                acknowledged = taken.len();
            }
        }
        assert!(refused > 0 && acknowledged == taken.len(), "{refused} {acknowledged}");
        drop(log);
        let medium = medium.restart(Restart::Process, FaultPlan::default());
        let (_, replay) = Log::open(medium, options()).unwrap();
        let steps = replay.steps(RrdId(1)).filter(|it| matches!(it, Ok(Step::Sample(_))));
        assert_eq!(steps.count(), taken.len());
    }
}

/// Syncs that fail now and then use up segments; the log takes no more than it may.
#[test]
fn a_log_that_may_take_no_more_refuses_and_says_so() {
    // Not while it is opened, which takes fewer calls.
    let faults = (50..4000).filter(|call| call % 5 == 4).map(|call| (call, Fault::FailedSync));
    let plan = FaultPlan { at: faults.collect(), ..FaultPlan::default() };
    let (log, _) = Log::open(FaultyMedium::new(plan), options()).unwrap();
    let log = log.limited(20 * 8192);
    let mut lines = Lines::default();
    lines.base(RrdId(1), &base(1).view());
    let (mut refused, mut held) = (None, None);
    for nth in 0..3000 {
        sample(&mut lines, 1, nth);
        if let Err(error) = log.admit() {
            refused = Some(error.to_string());
            break;
        }
        held = held.or(log.append(&mut lines).unwrap());
        let _ = log.commit();
        let _ = log.tend();
    }
    let words = refused.expect("it is full at some time");
    assert!(words.contains("full") && words.contains("163840 bytes"), "{words}");
    let (segments, _) = log.segments();
    assert!(segments <= 23, "{segments}");
    // What is in its file for good makes room.
    log.written([(RrdId(1), held.unwrap(), log.position())]).unwrap();
    for _ in 0..10 {
        let _ = log.commit().and_then(|_| log.tend());
    }
    log.admit().unwrap();
}

/// A log of an earlier version has no note of the segment begun last. One is made at opening, or,
/// where the disk is full then, when there is room.
#[test]
fn no_room_for_the_note_of_the_last_segment_is_no_reason_not_to_open() {
    for call in 0..40 {
        let medium = FaultyMedium::new(FaultPlan::default());
        let (log, _) = Log::open(medium.clone(), options()).unwrap();
        let mut lines = Lines::default();
        lines.base(RrdId(1), &base(1).view());
        sample(&mut lines, 1, 1);
        log.append(&mut lines).unwrap();
        log.commit().unwrap();
        drop(log);
        medium.remove("journal-last").unwrap();
        let at = (call..call + 4).map(|call| (call, Fault::NoSpace)).collect();
        let medium = medium.restart(Restart::Process, FaultPlan { at, ..FaultPlan::default() });
        let (log, _) = match Log::open(medium.clone(), options()) {
            Ok(opened) => opened,
            Err(error) => {
                // A write in place needs no room on the disks that this is for.
                let words = error.to_string();
                let is_made = !words.contains("journal-last") || words.contains("writing");
                assert!(is_made, "{call}: {words}");
                continue;
            }
        };
        sample(&mut lines, 1, 2);
        log.append(&mut lines).unwrap();
        while log.commit().is_err() {}
        let durable = log.position();
        drop(log);
        let medium = medium.restart(Restart::PowerCut, FaultPlan::default());
        let (log, _) = Log::open(medium, options()).unwrap();
        assert_eq!(log.position(), durable, "{call}");
    }
}
