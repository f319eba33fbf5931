//! Every break in a series of counter readings is marked, and no other reading is.

use crate::world::{Agent, COMMUNITY, RATE, World, by_index, by_name, device, plan, seconds};
use collector::{ClockStep, InterfaceReference, Missing, Reading, Unfound, Variable};
use snmp::{Value, Version, mib};
use std::time::Duration;

const TEN: Duration = Duration::from_secs(10);

fn one(variables: Vec<Variable>, agent: Agent) -> World {
    World::new(plan(TEN, vec![device(0, variables)]), vec![agent])
}

/// The first variable's readings, oldest first.
fn readings(world: &World) -> Vec<&Result<Reading, Missing>> {
    world.polls_of(0).iter().map(|poll| &poll.readings[0]).collect()
}

fn marks(world: &World) -> Vec<bool> {
    let all = readings(world);
    all.iter().filter_map(|reading| Some(reading.as_ref().ok()?.discontinuity)).collect()
}

/// Checks that between two readings without a break, a counter gains its rate times the difference
/// of the stamps: a spike would violate this. A tenth is allowed for slewed stamps, and the latency
/// for answers that took longer than those before.
fn assert_no_spike_within(world: &World, latency_max: Duration) {
    for number in 0..world.agents.len() {
        let polls = world.polls_of(number);
        for variable in 0..polls[0].readings.len() {
            let all = polls.iter().filter_map(|poll| poll.readings[variable].as_ref().ok());
            let all: Vec<&Reading> = all.collect();
            for pair in all.windows(2).filter(|pair| !pair[1].discontinuity) {
                let count = |reading: &Reading| reading.value.as_number().unwrap();
                let gained = (count(pair[1]) - count(pair[0])).rem_euclid(1 << 32) as f64;
                let elapsed = (pair[1].time.seconds - pair[0].time.seconds) as f64
                    + (f64::from(pair[1].time.micros) - f64::from(pair[0].time.micros)) / 1e6;
                assert!(elapsed > 0.0, "{pair:?}");
                let apart_seconds = (gained / RATE as f64 - elapsed).abs();
                let allowed_seconds = elapsed * 0.11 + latency_max.as_secs_f64();
                assert!(apart_seconds < allowed_seconds, "{gained} in {elapsed} s: {pair:?}");
            }
        }
    }
}

fn assert_no_spike(world: &World) {
    assert_no_spike_within(world, Duration::from_millis(5));
}

#[test]
fn a_restart_marks_every_reading_once() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    world.agent(0).booted_at = world.now;
    world.run_until(seconds(80));
    let marks = marks(&world);
    assert_eq!(marks.iter().filter(|mark| **mark).count(), 1, "{marks:?}");
    assert!(!marks[0], "nothing comes before the first reading");
    let restarted: Vec<_> =
        world.reports.iter().filter(|(_, report)| !report.restarted.is_empty()).collect();
    assert_eq!(restarted.len(), 1);
    assert_no_spike(&world);
}

#[test]
fn a_restart_during_an_outage_is_marked_after_it() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    world.agent(0).is_dead = true;
    world.run_until(seconds(62));
    world.agent(0).is_dead = false;
    world.agent(0).booted_at = world.now;
    world.run_until(seconds(100));
    assert_eq!(marks(&world).iter().filter(|mark| **mark).count(), 1);
    assert_no_spike(&world);
}

#[test]
fn an_outage_without_a_restart_breaks_nothing() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    world.agent(0).is_dead = true;
    world.run_until(seconds(62));
    world.agent(0).is_dead = false;
    world.run_until(seconds(100));
    assert!(marks(&world).iter().all(|mark| !mark));
    assert_no_spike(&world);
}

#[test]
fn the_uptimes_wrap_after_497_days_is_no_restart() {
    let mut agent = Agent::new(1);
    // An hour of uptime at the start, and 25 s until the wrap.
    agent.rows.insert(mib::SYS_UP_TIME, Value::TimeTicks(u32::MAX - 362_500));
    let mut world = one(by_index(1), agent);
    world.run_until(seconds(80));
    assert!(marks(&world).iter().all(|mark| !mark));
    assert!(world.reports.iter().all(|(_, report)| report.restarted.is_empty()));
}

#[test]
fn a_renumbered_interface_never_lends_its_counters() {
    let mut agent = Agent::new(2);
    let busy = mib::IF_HC_IN_OCTETS.extended(&[1]).unwrap();
    agent.rows.insert(busy, Value::Counter64(RATE * 1000));
    let mut world = one(by_name("port2"), agent);
    world.run_until(seconds(32));
    assert_eq!(marks(&world), [false; 4]);
    // The two interfaces swap their indices, without a restart.
    for (index, name) in [(1, "port2"), (2, "port1")] {
        let oid = mib::IF_NAME.extended(&[index]).unwrap();
        world.agent(0).rows.insert(oid, Value::OctetString(name.into()));
    }
    let quiet = mib::IF_HC_IN_OCTETS.extended(&[1]).unwrap();
    world.agent(0).rows.insert(quiet, Value::Counter64(RATE));
    world.run_until(seconds(62));
    assert!(
        readings(&world).iter().all(|reading| reading.is_ok()),
        "found again in the same cycle"
    );
    assert_eq!(marks(&world).iter().filter(|mark| **mark).count(), 1);
    assert_no_spike(&world);
}

#[test]
fn an_interface_that_is_gone_or_ambiguous_has_no_reading() {
    let mut agent = Agent::new(1);
    agent.add_port(5, "twin");
    agent.add_port(6, "twin");
    let variables = [by_name("port1"), by_name("port9"), by_name("twin")].concat();
    let mut world = one(variables, agent);
    world.run_until(seconds(32));
    for poll in world.polls_of(0) {
        assert!(poll.readings[0].is_ok());
        assert_eq!(poll.readings[2], Err(Missing::Interface(Unfound::None)));
        assert_eq!(poll.readings[4], Err(Missing::Interface(Unfound::Several)));
    }
    let requests = world.agent(0).requests;
    world.run_until(seconds(72));
    let cycles = 4;
    assert!(world.agent(0).requests <= requests + cycles, "the table is not walked each cycle");
}

#[test]
fn a_device_without_wide_counters_gives_narrow_ones() {
    let mut agent = Agent::new(1);
    agent.knows_wide = false;
    let mut world = one(by_name("port1"), agent);
    world.run_until(seconds(62));
    for reading in readings(&world) {
        let reading = reading.as_ref().unwrap();
        assert!(matches!(reading.value, Value::Counter32(_)));
        assert!(!reading.discontinuity);
    }
    // What the device has is remembered: the first cycle asks for uptime, a walk, the 64-bit and
    // the 32-bit counters, the second whether it tells when its interfaces changed and since when
    // counters count, later cycles need one request.
    let cycles = world.polls_of(0).len();
    assert_eq!(world.agent(0).requests, 4 + 1 + cycles - 1);
}

#[test]
fn losing_the_wide_counters_is_a_break_and_no_spike() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    world.agent(0).knows_wide = false;
    world.run_until(seconds(62));
    let marks = marks(&world);
    assert_eq!(marks.iter().filter(|mark| **mark).count(), 1, "{marks:?}");
    assert!(readings(&world).iter().all(|reading| reading.is_ok()));
}

#[test]
fn version_1_asks_for_narrow_counters_only() {
    let mut only = device(0, by_index(1));
    only.snmp = snmp::Config::new(Version::V1, snmp::Community::new(COMMUNITY));
    let mut world = World::new(plan(TEN, vec![only]), vec![Agent::new(1)]);
    world.run_until(seconds(32));
    for reading in readings(&world) {
        assert!(matches!(reading.as_ref().unwrap().value, Value::Counter32(_)));
    }
    let polls = world.polls_of(0).len();
    // Once it is asked when its interfaces changed and since when counters count, which it does not
    // tell; version 1 then takes a request for each name that is not there.
    assert_eq!(world.agent(0).requests, polls + 3);
}

#[test]
fn a_wide_counter_that_goes_back_was_reset() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    let counter = mib::IF_HC_IN_OCTETS.extended(&[1]).unwrap();
    world.agent(0).rows.insert(counter, Value::Counter64(1));
    world.run_until(seconds(42));
    assert_eq!(marks(&world).iter().filter(|mark| **mark).count(), 1);
}

#[test]
fn a_small_step_back_of_the_clock_breaks_nothing_and_is_told() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    world.wall_micros -= 20_000_000;
    world.run_until(seconds(200));
    assert!(marks(&world).iter().all(|mark| !mark));
    assert!(readings(&world).iter().all(|reading| reading.is_ok()));
    assert_no_spike(&world);
    let told: Vec<_> = world.reports.iter().filter_map(|(_, report)| report.clock).collect();
    assert!(matches!(told[..], [ClockStep::Slewing(_)]), "{told:?}");
}

#[test]
fn a_large_step_back_is_a_gap_and_no_spike() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    world.wall_micros -= 1_000_000_000;
    world.run_until(seconds(1100));
    let all = readings(&world);
    let lost = all.iter().filter(|reading| ***reading == Err(Missing::ClockSetBack)).count();
    assert!((98..=101).contains(&lost), "{lost}");
    assert_eq!(marks(&world).iter().filter(|mark| **mark).count(), 1);
    assert_no_spike(&world);
}

#[test]
fn a_step_forward_marks_the_reading_after_it() {
    let mut world = one(by_index(1), Agent::new(1));
    world.run_until(seconds(32));
    world.wall_micros += 7_000_000;
    world.run_until(seconds(80));
    assert_eq!(marks(&world).iter().filter(|mark| **mark).count(), 1);
    assert_no_spike(&world);
}

#[test]
fn an_unknown_interface_is_looked_up_by_its_own_table_alone() {
    let by_type = InterfaceReference::Type(6);
    let variable = Variable::column(by_type, mib::IF_IN_OCTETS, None);
    let mut agent = Agent::new(2);
    for (index, kind) in [(1, 24), (2, 6)] {
        let oid = mib::IF_TYPE.extended(&[index]).unwrap();
        agent.rows.insert(oid, Value::Integer(kind));
    }
    let mut world = one(vec![variable], agent);
    world.run_until(seconds(5));
    assert!(readings(&world)[0].is_ok());
}

mod random {
    use super::*;
    use proptest::prelude::*;

    /// An event between two cycles.
    #[derive(Clone, Debug)]
    enum Mishap {
        Restart,
        Die,
        Revive,
        Slow(u64),
        LoseWide,
        ClockBy(i64),
        Nothing,
    }

    fn mishap() -> impl Strategy<Value = Mishap> {
        prop_oneof![
            2 => Just(Mishap::Restart),
            2 => Just(Mishap::Die),
            3 => Just(Mishap::Revive),
            2 => (1_u64..12_000).prop_map(Mishap::Slow),
            1 => Just(Mishap::LoseWide),
            2 => (-900_i64..900).prop_map(Mishap::ClockBy),
            3 => Just(Mishap::Nothing),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_mishap_makes_a_spike_or_a_stamp_that_goes_back(
            mishaps in prop::collection::vec((0_usize..3, mishap(), 1_u64..40), 1..30),
        ) {
            let variables = [by_name("port1"), by_index(2)].concat();
            let devices = (0..3).map(|number| device(number, variables.clone())).collect();
            let mut world = World::new(plan(TEN, devices), vec![Agent::new(3); 3]);
            let mut until = Duration::ZERO;
            for (number, mishap, pause) in mishaps {
                until += seconds(pause);
                world.run_until(until);
                let now = world.now;
                let agent = world.agent(number);
                match mishap {
                    Mishap::Restart => agent.booted_at = now,
                    Mishap::Die => agent.is_dead = true,
                    Mishap::Revive => {
                        agent.is_dead = false;
                        agent.latency = crate::world::millis(1);
                    }
                    Mishap::Slow(millis) => agent.latency = crate::world::millis(millis),
                    Mishap::LoseWide => agent.knows_wide = false,
                    Mishap::ClockBy(by) => world.wall_micros += by * 1_000_000,
                    Mishap::Nothing => {}
                }
            }
            world.run_until(until + seconds(40));
            assert_no_spike_within(&world, seconds(12));
            // Every device has one poll in each cycle, and every cycle one report.
            for number in 0..3 {
                let cycles: Vec<_> = world.polls_of(number).iter().map(|poll| poll.cycle.number).collect();
                prop_assert!(cycles.iter().copied().eq(0..cycles.len() as u64), "{:?}", cycles);
            }
            let reports: Vec<_> = world.reports.iter().map(|(_, report)| report.cycle.number).collect();
            prop_assert!(reports.iter().copied().eq(0..reports.len() as u64), "{:?}", reports);
        }
    }
}
