//! Devices at intervals of their own, side by side and over reloads.

use crate::world::{Agent, World, by_index, device, millis, seconds};
use collector::{DevicePlan, Outcome, Plan};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A plan of these devices, by their numbers, each at an interval in seconds.
fn at(devices: &[(usize, u64)]) -> Plan {
    let of = |(number, interval): &(usize, u64)| {
        let plan = device(*number, by_index(1));
        Arc::new(DevicePlan { interval: seconds(*interval), ..plan })
    };
    Plan { intervals: vec![seconds(300)], devices: devices.iter().map(of).collect() }
}

#[test]
fn a_second_and_an_hour_side_by_side_neither_late_nor_missed() {
    let intervals = [1, 10, 60, 3600];
    // Twelve devices of each, of which the first is at all four.
    let mut devices: Vec<(usize, u64)> = (0..48).map(|nth| (nth, intervals[nth % 4])).collect();
    devices.extend([(0, 10), (0, 60), (0, 3600)]);
    let mut agents = vec![Agent::new(1); 48];
    // Dead ones and slow ones, at each interval, delay none.
    for agent in &mut agents[40..44] {
        agent.is_dead = true;
    }
    for agent in &mut agents[44..48] {
        agent.latency = millis(700);
    }
    let mut world = World::new(at(&devices), agents);
    world.run_until(seconds(2 * 3600 + 1900));
    for (position, (number, interval)) in devices.iter().enumerate() {
        let polls = world.polls_of_device(position);
        let numbers = polls.iter().map(|(_, poll)| poll.cycle.number);
        assert!(numbers.eq(0..polls.len() as u64), "device {number} every {interval} s");
        assert!(polls.iter().all(|(_, poll)| poll.cycle.interval == seconds(*interval)));
        if (40..44).contains(number) {
            continue;
        }
        let times = polls.iter().map(|(_, poll)| poll.readings[0].as_ref().unwrap().time);
        let times: Vec<_> =
            times.map(|time| time.seconds * 1_000_000 + i64::from(time.micros)).collect();
        let apart = times[1..].windows(2).map(|pair| pair[1] - pair[0]);
        assert!(apart.into_iter().all(|micros| micros == *interval as i64 * 1_000_000));
    }
    for interval in intervals.map(seconds) {
        let reports = world.reports.iter().map(|(_, report)| report);
        let reports: Vec<_> = reports.filter(|it| it.cycle.interval == interval).collect();
        assert!(reports.iter().map(|it| it.cycle.number).eq(0..reports.len() as u64));
        let polled = world.polls.iter().filter(|(_, poll)| poll.cycle.interval == interval);
        let devices = if interval == seconds(1) { 12 } else { 13 };
        let (polled, expected) = (polled.count(), reports.len() * devices);
        assert!(polled.abs_diff(expected) <= 2 * devices, "{interval:?}: {polled}, not {expected}");
        assert!(reports.iter().all(|it| (it.devices, it.answered) == (devices, devices - 1)));
        let sent: u64 = reports.iter().map(|it| it.traffic.sent).sum();
        assert!(sent >= (reports.len() * devices) as u64, "its own datagrams are counted");
    }
}

/// Devices at intervals, which a reload brings, and how long it is in force.
#[derive(Clone, Debug)]
struct Period {
    devices: Vec<(usize, u64)>,
    lasts: Duration,
}

fn periods() -> impl Strategy<Value = Vec<Period>> {
    let interval = prop::sample::select(vec![1_u64, 2, 10, 60, 600]);
    // Each device is at one interval, at two, or gone.
    let of_device = prop::collection::btree_set(interval, 0..=2);
    let devices = prop::collection::vec(of_device, 6).prop_map(|all| {
        let each = all.into_iter().enumerate();
        each.flat_map(|(number, of)| of.into_iter().map(move |it| (number, it))).collect()
    });
    let lasts = (0_u64..200_000).prop_map(millis);
    let period = (devices, lasts).prop_map(|(devices, lasts)| Period { devices, lasts });
    prop::collection::vec(period, 1..7)
}

/// A poll: when it ended, and of which device.
#[derive(Debug)]
struct Polled {
    at: Duration,
    number: usize,
    cycle: collector::CycleId,
}

/// Runs all periods; returns the polls, and when each period began.
fn run(periods: &[Period], latency: Duration) -> (World, Vec<Polled>, Vec<Duration>) {
    let agent = Agent { latency, ..Agent::new(1) };
    let mut world = World::new(at(&periods[0].devices), vec![agent; 6]);
    let (mut polls, mut began, mut end) = (Vec::new(), Vec::new(), Duration::ZERO);
    for (nth, period) in periods.iter().enumerate() {
        if nth > 0 {
            world.scheduler.set_plan(at(&period.devices), world.now);
        }
        began.push(world.now);
        let before = world.polls.len();
        end += period.lasts;
        world.run_until(end);
        polls.extend(world.polls[before..].iter().map(|(at, poll)| {
            let number = period.devices[poll.device].0;
            Polled { at: *at, number, cycle: poll.cycle }
        }));
    }
    (world, polls, began)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn reloads_that_change_intervals_miss_nothing_and_repeat_nothing(
        periods in periods(),
        latency in prop::sample::select(vec![2_u64, 400]).prop_map(millis),
    ) {
        let (world, polls, began) = run(&periods, latency);
        for (_, poll) in &world.polls {
            prop_assert_eq!(&poll.outcome, &Outcome::Answered);
            // A device keeps what is known of it when its interval changes. One so slow that the next
            // cycle cuts its second poll short leaves a doubt.
            let has_doubt = poll.readings.iter().flatten().any(|reading| reading.discontinuity);
            prop_assert!(!has_doubt || latency > millis(100));
        }
        let mut seen = BTreeSet::new();
        for poll in &polls {
            prop_assert!(seen.insert((poll.cycle, poll.number)), "twice in a cycle: {poll:?}");
        }
        let mut reported = BTreeMap::new();
        for (_, report) in &world.reports {
            let before = reported.insert(report.cycle.interval, report.cycle.number);
            prop_assert!(before.is_none_or(|it| it < report.cycle.number), "{:?}", report.cycle);
        }
        // Wherever a device stays at an interval, it is polled at it, time after time.
        for (nth, period) in periods.iter().enumerate() {
            let ends_at = began.get(nth + 1).copied().unwrap_or(world.now);
            for (number, interval) in &period.devices {
                let interval = seconds(*interval);
                // A new interval begins with a quick round, and its next cycle lasts up to one and a
                // half intervals from then. One that joins others which were all polled in this cycle
                // waits for the next.
                let is_new = nth == 0 || !periods[nth - 1].devices.contains(&(*number, interval.as_secs()));
                let most = if is_new { interval * 2 } else { interval * 3 / 2 } + seconds(4) + latency;
                let is_of = |it: &&Polled| (it.number, it.cycle.interval) == (*number, interval);
                let times = polls.iter().filter(is_of).map(|poll| poll.at);
                let times = times.filter(|at| (began[nth]..=ends_at).contains(at));
                let mut last = began[nth];
                for at in times.chain([ends_at]) {
                    prop_assert!(at - last <= most, "device {number}, {interval:?}: {last:?} {at:?}");
                    last = at;
                }
            }
        }
        // A device that goes over to another interval is not polled at both in the same second.
        for number in 0..6 {
            let is_alone = |period: &Period| {
                period.devices.iter().filter(|(each, _)| *each == number).count() == 1
            };
            if periods.iter().all(is_alone) {
                let of_device: Vec<_> = polls.iter().filter(|poll| poll.number == number).collect();
                for pair in of_device.windows(2) {
                    let apart = pair[1].at - pair[0].at;
                    let is_one = pair[0].cycle.interval == pair[1].cycle.interval;
                    prop_assert!(is_one || apart >= seconds(1), "{pair:?}");
                }
            }
        }
    }
}
