use super::super::source::Disk;
use super::*;
use collector::{Missing, Outcome, Reading};
use std::path::Path;
use std::time::Duration;

/// A configuration from text; included files come from disk.
struct Text(String);

impl mrtg::Source for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into())
    }

    fn glob(&self, pattern: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
        Disk.glob(pattern)
    }
}

pub(super) const NOW: i64 = 1_700_000_000;

/// Measures targets whose databases were updated last at `last_update`.
fn measured(targets: &str, last_update: Option<i64>) -> Measured {
    measured_with(targets, |_| last_update)
}

/// The same, with the last update by the target's name.
pub(super) fn measured_with(targets: &str, last_update: impl Fn(&str) -> Option<i64>) -> Measured {
    let text = format!("WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1000\n{targets}");
    let read = mrtg::Configuration::read(Path::new("mrtg.cfg"), &Text(text)).unwrap();
    let databases = read
        .targets
        .iter()
        .map(|target| Ok(Database { last_update_seconds: last_update(&target.name) }));
    let databases = databases.collect();
    let wiring = Wiring::new(&read, Arc::default());
    let names = Arc::new(DatabaseNames::of(&read));
    Measured::new(Arc::new(read), wiring, names, databases)
}

pub(super) fn poll(device: usize, counts: &[u64]) -> DevicePoll {
    let reading = |count: &u64| {
        Ok(Reading {
            time: Timestamp { seconds: NOW, micros: 700_000 },
            value: Value::Counter64(*count),
            discontinuity: false,
        })
    };
    DevicePoll {
        device,
        cycle: CycleId { interval: Duration::from_secs(300), number: 1 },
        began: Some(Timestamp::from_seconds(NOW - 2)),
        took: Duration::from_millis(5),
        outcome: Outcome::Answered,
        restarted: false,
        uptime: Some(Duration::from_secs(86_400)),
        unwanted: 0,
        learnt: None,
        effort: collector::Effort::default(),
        readings: counts.iter().map(reading).collect(),
        walked: Vec::new(),
    }
}

pub(super) fn silent(device: usize, variables: usize) -> DevicePoll {
    DevicePoll {
        outcome: Outcome::Silent { datagrams: 5 },
        uptime: None,
        readings: vec![Err(Missing::NoAnswer); variables],
        ..poll(device, &[])
    }
}

fn only(writes: Vec<Write>) -> Write {
    let [write] = <[Write; 1]>::try_from(writes).unwrap();
    write
}

fn readings(write: &Write) -> [String; 2] {
    write.readings.each_ref().map(|kept| kept.reading().to_string())
}

const ONE: &str = "Target[a]: 1:public@10.0.0.1:::::2\n";
const SUM: &str = "Target[a]: 1:public@10.0.0.1:::::2 + 1:public@10.0.0.2:::::2\n";

#[test]
fn a_reading_is_written_in_whole_seconds_as_mrtg_writes_it() {
    let (writes, count) = measured(ONE, None).take(0, poll(0, &[1000, u64::MAX]));
    let write = only(writes);
    assert_eq!(&*write.database, "a.rrd");
    assert_eq!(write.time, Timestamp::from_seconds(NOW));
    assert_eq!(readings(&write), ["1000", "18446744073709551615"]);
    assert_eq!(write.unknown_until, None);
    assert_eq!(count, Count { polled: 1, missed: 0 });
}

#[test]
fn silence_is_unknown_since_the_question() {
    let (writes, count) = measured(ONE, None).take(0, silent(0, 2));
    let write = only(writes);
    assert_eq!(write.time, Timestamp::from_seconds(NOW - 2));
    assert_eq!(readings(&write), ["U", "U"]);
    assert_eq!(count, Count { polled: 0, missed: 1 });
}

#[test]
fn a_sum_over_two_devices_waits_for_both() {
    let mut measured = measured(SUM, None);
    assert!(measured.take(0, poll(0, &[10, 20])).0.is_empty());
    let write = only(measured.take(1, poll(1, &[1, 2])).0);
    assert_eq!(readings(&write), ["11", "22"]);
    assert!(measured.take(1, poll(1, &[1, 2])).0.is_empty(), "the next sample needs both again");
    // One of the two devices is silent: the sum is unknown, not half of the true sum.
    let write = only(measured.take(0, silent(0, 2)).0);
    assert_eq!(readings(&write), ["U", "U"]);
}

#[test]
fn a_reload_between_two_devices_loses_no_sum() {
    let mut old = measured(SUM, None);
    old.take(0, poll(0, &[10, 20]));
    // In the new configuration the devices have other positions, and there is one more target.
    let more = format!("Target[b]: 2:public@10.0.0.2:::::2\n{SUM}");
    let mut new = measured(&more, None);
    let succession = Outgoing::of(&old).succession(&new);
    new.inherit(&mut old, &succession);
    let writes = new.take(0, poll(0, &[7, 8, 1, 2])).0;
    let sum = writes.iter().find(|write| &*write.database == "a.rrd").unwrap();
    assert_eq!(readings(sum), ["11", "22"]);
}

#[test]
fn a_reload_that_gives_a_target_another_interface_breaks_the_series_once() {
    let mut old = measured(ONE, None);
    only(old.take(0, poll(0, &[10, 20])).0);
    let reload = |old: &mut Measured, targets: &str| {
        let mut new = measured(targets, Some(NOW - 1));
        let succession = Outgoing::of(old).succession(&new);
        new.inherit(old, &succession);
        new
    };
    let mut new = reload(&mut old, "Target[a]: 2:public@10.0.0.1:::::2\n");
    let write = only(new.take(0, poll(0, &[1, 2])).0);
    assert_eq!(write.unknown_until, Some(Timestamp::from_seconds(NOW - 1)));
    assert!(only(new.take(0, poll(0, &[1, 2])).0).unknown_until.is_none());
    let mut same = reload(&mut new, "Target[a]: 2:public@10.0.0.1:::::2\nLegend1[a]: x\n");
    assert!(only(same.take(0, poll(0, &[1, 2])).0).unknown_until.is_none());
    // Gone, and back with another interface.
    let mut without = reload(&mut same, "");
    let mut back = reload(&mut without, ONE);
    assert!(only(back.take(0, poll(0, &[1, 2])).0).unknown_until.is_some());
    for another in [
        "Target[a]: 1:public@10.0.0.2:::::2\n",
        "Target[a]: 1:public@10.0.0.1\n",
        "Target[a]: 1:public@10.0.0.1:::::2 * 8\n",
        "Target[a]: ifInErrors.1&ifOutErrors.1:public@10.0.0.1:::::2\n",
        "Target[a]: 1:public@10.0.0.1:::::2\ngyre*Alias[a]: x\n",
    ] {
        let mut old = reload(&mut measured(ONE, None), ONE);
        only(old.take(0, poll(0, &[1, 2])).0);
        let mut new = reload(&mut old, another);
        assert!(only(new.take(0, poll(0, &[1, 2])).0).unknown_until.is_some(), "{another}");
    }
}

#[test]
fn a_discontinuity_of_either_operand_breaks_the_series() {
    let mut measured = measured(SUM, None);
    let mut broken = poll(0, &[10, 20]);
    broken.readings[1].as_mut().unwrap().discontinuity = true;
    measured.take(0, broken);
    let write = only(measured.take(1, poll(1, &[1, 2])).0);
    assert_eq!(write.unknown_until, Some(Timestamp::from_seconds(NOW - 1)));
}

#[test]
fn a_gauge_has_no_differences_to_break() {
    let mut measured = measured(&format!("{ONE}Options[a]: gauge\n"), Some(NOW - 300));
    let mut broken = poll(0, &[10, 20]);
    broken.readings[0].as_mut().unwrap().discontinuity = true;
    let write = only(measured.take(0, broken).0);
    assert_eq!((write.unknown_until, write.just_before), (None, None));
}

#[test]
fn a_restart_while_gyre_did_not_run_breaks_the_series_once() {
    let mut restarted = poll(0, &[10, 20]);
    restarted.uptime = Some(Duration::from_secs(60));
    let mut measured_a = measured(ONE, Some(NOW - 600));
    let write = only(measured_a.take(0, restarted.clone()).0);
    assert!(write.unknown_until.is_some(), "it restarted after the database's last update");
    let write = only(measured_a.take(0, restarted.clone()).0);
    assert!(write.unknown_until.is_none(), "from now on the collector watches");
    let mut measured_b = measured(ONE, Some(NOW - 30));
    let write = only(measured_b.take(0, restarted).0);
    assert!(write.unknown_until.is_none(), "it had restarted before");
}

#[test]
fn text_that_is_a_number_counts() {
    let number = |text: &str| super::number(&Value::OctetString(text.into()));
    assert_eq!(number(" 42\n").unwrap().as_integer(), Some(42));
    assert_eq!(number("-7").unwrap().as_integer(), Some(-7));
    assert_eq!(number("23.5").unwrap().to_f64(), 23.5);
    for none in ["", "up", "0x10", "inf", "nan", "1 2"] {
        assert!(number(none).is_none(), "{none}");
    }
}

#[test]
fn what_a_kind_cannot_take_is_unknown() {
    let text =
        |takes, number: Number| super::writing::storable(takes, Some(number)).reading().to_string();
    let minus = Number::from(-5_i64);
    let half = Number::from_f64(0.5).unwrap();
    assert_eq!(text(Takes::Counts, minus), "U");
    assert_eq!(text(Takes::Differences, minus), "-5");
    assert_eq!(text(Takes::Values, minus), "-5");
    assert_eq!(text(Takes::Differences, half), "U");
    assert_eq!(text(Takes::Values, half), "0.5");
}

#[test]
fn a_database_older_than_max_age_is_not_updated_and_that_is_told_once() {
    let mut old = measured(&format!("MaxAge: 3600\n{ONE}"), Some(NOW - 3601));
    for _ in 0..2 {
        assert!(old.take(0, poll(0, &[1, 2])).0.is_empty());
    }
    let [told] = &old.remarks[..] else { panic!("told once: {:?}", old.remarks) };
    assert!(told.starts_with("mrtg.cfg:5: target a is not updated: its last update is 3601 s"));
    let mut young = measured(&format!("MaxAge: 3600\n{ONE}"), Some(NOW - 3600));
    only(young.take(0, poll(0, &[1, 2])).0);
    // The clock jumps while gyre runs.
    let mut late = poll(0, &[3, 4]);
    for reading in late.readings.iter_mut().flatten() {
        reading.time.seconds += 3601;
    }
    assert!(young.take(0, late).0.is_empty());
    only(young.take(0, poll(0, &[5, 6])).0);
}
