//! The schedule in virtual time: thousands of devices, some of them dead, slow or late.

use crate::world::{
    Agent, World, address, by_index, by_name, device, millis, names, plan, seconds,
};
use collector::{AnswersFrom, DevicePlan, Missing, Outcome};
use snmp::mib;
use std::collections::HashSet;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

fn simple(count: usize) -> (Vec<DevicePlan>, Vec<Agent>) {
    let devices = (0..count).map(|number| device(number, by_index(1)));
    (devices.collect(), vec![Agent::new(1); count])
}

#[test]
fn ten_thousand_devices_are_polled_once_a_cycle_spread_over_the_interval() {
    let (devices, agents) = simple(10_000);
    let mut world = World::new(plan(MINUTE, devices), agents);
    world.run_until(seconds(160));
    let reports: Vec<_> = world.reports.iter().map(|(_, report)| report).collect();
    assert_eq!(reports.len(), 3, "cycles 0, 1 and 2 are over");
    for report in &reports {
        assert_eq!((report.devices, report.answered), (10_000, 10_000));
        assert_eq!((report.readings, report.readings_missing), (20_000, 0));
        assert_eq!(report.missed, []);
    }
    // Cycle 1 lasts an interval; each of its 60 seconds begins about a sixtieth of the polls.
    let mut in_second = [0_u32; 60];
    for (at, poll) in world.polls.iter().filter(|(_, poll)| poll.cycle.number == 1) {
        assert_eq!(poll.outcome, Outcome::Answered);
        in_second[((*at - crate::world::START - seconds(30)).as_secs() as usize).min(59)] += 1;
    }
    assert!(in_second.iter().all(|polls| (100..250).contains(polls)), "{in_second:?}");
    let polled: HashSet<_> =
        world.polls.iter().filter(|(_, poll)| poll.cycle.number == 1).collect_devices();
    assert_eq!(polled.len(), 10_000);
}

trait CollectDevices {
    fn collect_devices(self) -> HashSet<usize>;
}

impl<'a, I: Iterator<Item = &'a (Duration, collector::DevicePoll)>> CollectDevices for I {
    fn collect_devices(self) -> HashSet<usize> {
        self.map(|(_, poll)| poll.device).collect()
    }
}

#[test]
fn a_device_is_polled_an_interval_apart() {
    let (devices, agents) = simple(50);
    let mut world = World::new(plan(seconds(10), devices), agents);
    world.run_until(seconds(60));
    for number in 0..50 {
        let polls = world.polls_of(number);
        let times: Vec<_> =
            polls.iter().map(|poll| poll.readings[0].as_ref().unwrap().time).collect();
        assert!(polls.iter().map(|poll| poll.cycle.number).eq(0..polls.len() as u64));
        for pair in times[1..].windows(2) {
            let apart = (pair[1].seconds - pair[0].seconds) * 1_000_000 + i64::from(pair[1].micros)
                - i64::from(pair[0].micros);
            assert_eq!(apart, 10_000_000);
        }
    }
}

#[test]
fn dead_devices_delay_no_other_and_cost_one_datagram_a_cycle() {
    let (devices, mut agents) = simple(1000);
    for agent in &mut agents[..300] {
        agent.is_dead = true;
    }
    let mut world = World::new(plan(MINUTE, devices), agents);
    world.run_until(seconds(30));
    let asked_at_first: usize = (0..300).map(|number| world.agent(number).requests).sum();
    assert_eq!(asked_at_first, 300 * 5, "a question and four retries");
    world.run_until(seconds(280));
    for (_, report) in &world.reports[1..4] {
        assert_eq!((report.answered, report.missed.len()), (700, 300));
        assert!(report.slowest.iter().all(|(_, took)| *took < millis(20)));
        assert_eq!(report.readings_missing, 600);
    }
    let asked: usize = (0..300).map(|number| world.agent(number).requests).sum();
    let cycles = world.polls_of(0).len();
    assert!(asked <= asked_at_first + 300 * cycles, "{asked}");
    // One device comes back, and all its variables are read in the next cycle.
    world.agent(7).is_dead = false;
    world.run_until(seconds(345));
    let last = *world.polls_of(7).last().unwrap();
    assert_eq!(last.outcome, Outcome::Answered);
    assert!(last.readings.iter().all(Result::is_ok));
}

#[test]
fn a_device_slower_than_the_interval_loses_its_cycle_and_nothing_else() {
    let (devices, mut agents) = simple(20);
    agents[3].latency = seconds(4);
    let mut world = World::new(plan(seconds(3), devices), agents);
    world.run_until(seconds(30));
    let polls = world.polls_of(3);
    assert!(polls.len() >= 9, "a cycle every three seconds, not {}", polls.len());
    for poll in polls {
        assert!(matches!(poll.outcome, Outcome::Silent { .. }));
        assert_eq!(poll.readings, [Err(Missing::NoAnswer), Err(Missing::NoAnswer)]);
    }
    for number in (0..20).filter(|number| *number != 3) {
        assert!(world.polls_of(number).iter().all(|poll| poll.outcome == Outcome::Answered));
    }
}

/// The most datagrams sent in a tenth of a second after `from`.
fn busiest_tenth(world: &World, from: Duration) -> usize {
    let mut tenths = std::collections::HashMap::new();
    for at in world.sent_at.iter().filter(|at| **at >= from) {
        *tenths.entry(at.as_millis() / 100).or_insert(0_usize) += 1;
    }
    tenths.into_values().max().unwrap_or(0)
}

#[test]
fn a_pause_of_three_cycles_gives_no_burst_and_no_wrong_reading() {
    let (devices, agents) = simple(2_000);
    let mut world = World::new(plan(seconds(20), devices), agents);
    world.run_until(seconds(75));
    let usual = busiest_tenth(&world, crate::world::START + seconds(30));
    world.pause(seconds(60));
    let resumed_at = world.now;
    world.run_until(seconds(190));
    let busiest = busiest_tenth(&world, resumed_at);
    assert!(busiest <= usual * 2, "{busiest} datagrams in 100 ms, {usual} before the pause");
    for number in 0..2_000 {
        let polls = world.polls_of_device(number);
        let after = polls.iter().filter(|(at, _)| *at > resumed_at + millis(100));
        let after: Vec<_> = after.map(|(_, poll)| poll).collect();
        assert!((2..=3).contains(&after.len()), "{} polls in 55 s", after.len());
        assert!(after.iter().all(|poll| poll.outcome == Outcome::Answered));
        let readings = after.iter().flat_map(|poll| &poll.readings).flatten();
        assert!(readings.into_iter().all(|reading| !reading.discontinuity));
    }
}

#[test]
fn a_short_pause_loses_no_cycle_and_gives_no_burst() {
    let (devices, agents) = simple(2_000);
    let mut world = World::new(plan(seconds(60), devices), agents);
    world.run_until(seconds(100));
    let usual = busiest_tenth(&world, crate::world::START + seconds(70));
    world.pause(seconds(15));
    let resumed_at = world.now;
    world.run_until(seconds(220));
    let busiest = busiest_tenth(&world, resumed_at);
    assert!(busiest <= usual * 3, "{busiest} datagrams in 100 ms, {usual} before the pause");
    for number in 0..2_000 {
        let polls = world.polls_of_device(number);
        assert!(polls.iter().map(|(_, poll)| poll.cycle.number).eq(0..polls.len() as u64));
        let times: Vec<_> = polls[1..].iter().map(|(at, _)| *at).collect();
        let longest = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        assert!(longest < seconds(76), "{longest:?} between two polls");
    }
}

#[test]
fn slow_devices_are_named_slowest_first() {
    let (devices, mut agents) = simple(10);
    agents[2].latency = millis(300);
    agents[8].latency = millis(900);
    let mut world = World::new(plan(MINUTE, devices), agents);
    world.run_until(seconds(160));
    let slowest = &world.reports[2].1.slowest;
    assert_eq!(&*slowest[0].0, "device8");
    assert_eq!(&*slowest[1].0, "device2");
    assert_eq!(slowest[1].1, millis(300));
}

#[test]
fn a_lost_first_answer_is_asked_for_again() {
    let (devices, mut agents) = simple(1);
    agents[0].is_dead = true;
    let mut world = World::new(plan(MINUTE, devices), agents);
    world.run_until(seconds(3));
    world.agent(0).is_dead = false;
    world.run_until(seconds(31));
    let first = world.polls_of(0)[0];
    assert_eq!(first.outcome, Outcome::Answered);
    assert_eq!(first.took, seconds(4) + millis(2), "the third try is answered");
    assert_eq!(world.reports[0].1.traffic.retried, 2);
}

#[test]
fn answers_from_elsewhere_count_only_where_that_is_allowed() {
    let (mut devices, mut agents) = simple(2);
    agents[0].answers_from = Some(address(99));
    agents[1].answers_from = Some(address(99));
    devices[1].answers_from = AnswersFrom::Anywhere;
    let mut world = World::new(plan(MINUTE, devices), agents);
    world.run_until(seconds(50));
    assert!(matches!(world.polls_of(0)[0].outcome, Outcome::Silent { .. }));
    assert_eq!(world.polls_of(1)[0].outcome, Outcome::Answered);
    assert_eq!(names(&world.reports[0].1.missed), ["device0"]);
    assert!(world.reports[0].1.traffic.foreign >= 5);
}

#[test]
fn many_variables_take_several_datagrams_and_equal_ones_are_asked_once() {
    let variables: Vec<_> = (1..=48).flat_map(by_index).collect();
    let doubled = [variables.clone(), variables].concat();
    let mut world = World::new(plan(MINUTE, vec![device(0, doubled)]), vec![Agent::new(48)]);
    world.run_until(seconds(25));
    let poll = world.polls_of(0)[0];
    assert_eq!(poll.readings.len(), 192);
    assert!(poll.readings.iter().all(Result::is_ok));
    assert_eq!(poll.readings[..96], poll.readings[96..]);
    // 96 counters, 18 of them and sysUpTime.0 in each datagram.
    assert_eq!(world.agent(0).requests, 6);
}

#[test]
fn a_reload_keeps_the_schedule_and_the_poll_under_way() {
    let (devices, mut agents) = simple(3);
    agents[0].latency = seconds(1);
    agents.push(Agent::new(2));
    let mut world = World::new(plan(seconds(10), devices), agents);
    world.run_until(seconds(40) + millis(500));
    let before = world.polls_of(1).len();
    // Device 0 moves to another position in the plan and gets more variables, device 2 is removed,
    // device 3 is new.
    let more = [by_name("port1"), by_index(1)].concat();
    let reordered = vec![device(3, by_index(2)), device(1, by_index(1)), device(0, more)];
    world.scheduler.set_plan(plan(seconds(10), reordered), world.now);
    let reloaded_at = world.now;
    world.run_until(seconds(90));
    let after = world.polls.iter().filter(|(at, _)| *at > reloaded_at);
    let after: Vec<_> = after.map(|(_, poll)| poll).collect();
    assert!(after.iter().all(|poll| poll.outcome == Outcome::Answered));
    // No device missed a cycle or was polled twice in one.
    for position in [1, 2] {
        let cycles: Vec<_> = after
            .iter()
            .filter(|poll| poll.device == position)
            .map(|poll| poll.cycle.number)
            .collect();
        assert!(cycles.len() >= 4);
        assert!(cycles.windows(2).all(|pair| pair[1] == pair[0] + 1), "{cycles:?}");
    }
    let of_device_1 = after.iter().find(|poll| poll.device == 1).unwrap();
    assert_eq!(of_device_1.cycle.number, before as u64);
    assert!(
        after.iter().all(|poll| poll
            .readings
            .iter()
            .flatten()
            .all(|reading| !reading.discontinuity))
    );
    // The new device is polled within an interval.
    assert!(after.iter().any(|poll| poll.device == 0 && poll.readings.iter().all(Result::is_ok)));
}

#[test]
fn a_poll_under_way_at_a_reload_answers_in_the_new_order() {
    let mut agent = Agent::new(2);
    agent.latency = seconds(1);
    let mut world = World::new(plan(seconds(10), vec![device(0, by_index(1))]), vec![agent]);
    world.run_until(millis(500));
    let variables = [by_index(2), by_index(1)].concat();
    world.scheduler.set_plan(plan(seconds(10), vec![device(0, variables)]), world.now);
    world.run_until(seconds(2));
    let poll = world.polls_of(0)[0];
    assert_eq!(poll.readings[..2], [Err(Missing::NotAsked), Err(Missing::NotAsked)]);
    assert!(poll.readings[2..].iter().all(Result::is_ok));
}

#[test]
fn another_interval_begins_at_once() {
    let (devices, agents) = simple(10);
    let mut world = World::new(plan(MINUTE, devices.clone()), agents);
    world.run_until(seconds(100));
    let before = world.polls_of(4).len();
    world.scheduler.set_plan(plan(seconds(5), devices), world.now);
    world.run_until(seconds(130));
    let after = world.polls_of(4).len() - before;
    assert!((5..=7).contains(&after), "{after} polls in 30 s");
    let (_, last) = world.reports.last().unwrap();
    assert_eq!((last.devices, last.answered), (10, 10));
}

#[test]
fn a_name_is_looked_up_without_keeping_others_waiting() {
    let (mut devices, agents) = simple(3);
    devices[0].host = "router.example".into();
    devices[2].host = "nowhere.example".into();
    let mut world = World::new(plan(seconds(10), devices), agents);
    world.run_until(seconds(1));
    assert_eq!(world.polls_of(1).len(), 1);
    assert_eq!(world.polls_of(0).len(), 0);
    while let Some(lookup) = world.scheduler.next_lookup() {
        let found = match &*lookup.host {
            "router.example" => Ok(address(0)),
            _ => Err("nowhere.example: no such name".into()),
        };
        world.scheduler.resolved(&lookup, found, world.now);
    }
    world.run_until(seconds(2));
    assert_eq!(world.polls_of(0)[0].outcome, Outcome::Answered);
    let outcome = &world.polls_of(2)[0].outcome;
    assert_eq!(outcome.to_string(), "nowhere.example: no such name");
    assert_eq!(names(&world.reports[0].1.missed), ["device2"]);
    // Both names are looked up again after a while.
    world.run_until(seconds(400));
    assert!(world.scheduler.next_lookup().is_some());
}

#[test]
fn the_community_is_in_no_message() {
    let (devices, mut agents) = simple(2);
    agents[0].is_dead = true;
    let mut world = World::new(plan(MINUTE, devices), agents);
    world.run_until(seconds(100));
    let shown = format!("{:?} {:?} {:?}", world.scheduler, world.polls, world.reports);
    assert!(shown.contains("device0") || shown.contains("10.0.0.0"));
    assert!(!shown.contains(crate::world::COMMUNITY));
    let bytes = format!("{:?}", crate::world::COMMUNITY.as_bytes());
    assert!(!shown.contains(bytes.trim_matches(['[', ']'])));
}

#[test]
fn a_plan_without_devices_reports_its_empty_cycles() {
    let mut world = World::new(plan(seconds(10), Vec::new()), Vec::new());
    world.run_until(seconds(60));
    assert!((4..=7).contains(&world.reports.len()), "{}", world.reports.len());
}

#[test]
fn sys_up_time_can_be_a_variable_too() {
    let uptime = collector::Variable::object(mib::SYS_UP_TIME);
    let mut world = World::new(plan(MINUTE, vec![device(0, vec![uptime])]), vec![Agent::new(0)]);
    world.run_until(seconds(1));
    assert!(world.polls_of(0)[0].readings[0].is_ok());
    assert_eq!(world.agent(0).requests, 1);
}
