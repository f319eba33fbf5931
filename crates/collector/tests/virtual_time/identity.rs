//! Whatever happens to a router, each difference of readings is what the very interface carried, or
//! the reading is marked.

use crate::router::{Event, Router, monotonic};
use crate::world::{Agent, World, device, millis, plan, seconds};
use collector::{DevicePlan, InterfaceReference, Missing, Reading, Variable};
use proptest::prelude::*;
use snmp::{Value, mib};
use std::collections::BTreeSet;
use std::time::Duration;

const TEN: Duration = Duration::from_secs(10);
const PORTS: usize = 4;

/// Every port by one of its properties, and the first two indices.
fn references() -> Vec<InterfaceReference> {
    vec![
        InterfaceReference::Name(Router::name(0).into()),
        InterfaceReference::Alias("to 1".into()),
        InterfaceReference::Physical(Router::physical(2)),
        InterfaceReference::Name(Router::name(3).into()),
        InterfaceReference::Index(1),
        InterfaceReference::Index(2),
    ]
}

fn polled() -> DevicePlan {
    let octets =
        |reference| Variable::column(reference, mib::IF_HC_IN_OCTETS, Some(mib::IF_IN_OCTETS));
    let mut polled = device(0, references().into_iter().map(octets).collect());
    polled.snmp.timeout = millis(900);
    polled
}

fn world_of(router: Router) -> World {
    let agent = Agent { router: Some(router), latency: millis(40), ..Agent::new(0) };
    World::new(plan(TEN, vec![polled()]), vec![agent])
}

/// The ports that a reference may have meant between two times.
fn meant(router: &Router, nth: usize, from: Duration, to: Duration) -> BTreeSet<usize> {
    match references()[nth] {
        InterfaceReference::Index(index) => router.ports_at(index, from, to).into_iter().collect(),
        _ => BTreeSet::from([nth]),
    }
}

/// Checks every difference, and returns how many there are.
fn assert_true(world: &World) -> usize {
    let router = world.agents.values().next().unwrap().router.as_ref().unwrap();
    let polls = world.polls_of(0);
    let mut differences = 0;
    for nth in 0..references().len() {
        let read = polls.iter().filter_map(|poll| {
            let reading: &Reading = poll.readings[nth].as_ref().ok()?;
            Some((monotonic(poll.began.unwrap()), monotonic(reading.time), reading))
        });
        let read: Vec<_> = read.collect();
        for pair in read.windows(2).filter(|pair| !pair[1].2.discontinuity) {
            let [(began_1, at_1, before), (began_2, at_2, now)] = pair else { unreachable!() };
            let gain = match (&before.value, &now.value) {
                (Value::Counter32(before), Value::Counter32(now)) => {
                    now.wrapping_sub(*before).into()
                }
                (Value::Counter64(before), Value::Counter64(now)) => now.wrapping_sub(*before),
                other => panic!("no difference: {other:?}"),
            };
            let meant_before = meant(router, nth, *began_1, *at_1);
            let mut ports = meant(router, nth, *began_2, *at_2);
            ports.retain(|port| meant_before.contains(port));
            let count = match &before.value {
                Value::Counter32(count) => u64::from(*count),
                Value::Counter64(count) => *count,
                other => panic!("no counter: {other:?}"),
            };
            // An answer is of a moment between its poll's beginning and its arrival. A counter that
            // began anew and is where it was but for a sixteenth gives no reason to ask about it
            // (known.rs); its difference is too small, never a spike.
            let is_true = |port: &usize| {
                let port = &router.ports[*port];
                let most = port.carried(*at_2) - port.carried(*began_1);
                let least = port.carried(*began_2).saturating_sub(port.carried(*at_1));
                let is_unseen = gain <= count / 16 && port.was_reset_between(*began_1, *at_2);
                gain <= most + 1 && (gain + 1 >= least || is_unseen)
            };
            assert!(ports.iter().any(is_true), "variable {nth}: {gain} of {ports:?}: {pair:?}");
            differences += 1;
        }
    }
    differences
}

#[test]
fn without_mishap_every_difference_counts() {
    let mut router = Router::new(PORTS);
    router.knows_wide = false;
    let mut world = world_of(router);
    world.run_until(seconds(100));
    let polls = world.polls_of(0).len();
    assert!(polls >= 10, "{polls}");
    // Each port's counter has wrapped meanwhile.
    assert_eq!(assert_true(&world), (polls - 1) * references().len());
}

#[test]
fn indices_that_move_between_two_answers_of_a_poll_are_noticed_in_the_same_cycle() {
    for after in 1..12 {
        let mut router = Router::new(PORTS);
        router.table_changed_at = Some(router.booted_at);
        let mut world = world_of(router);
        // So small that the check of an interface and its counter are in different answers.
        world.agent(0).response_bytes_max = 90;
        world.run_until(seconds(32));
        let router = world.agent(0).router.as_mut().unwrap();
        router.next = Some((after, Event::Renumber(1)));
        world.run_until(seconds(80));
        assert!(assert_true(&world) >= 4 * 4, "after {after} answers");
        for nth in 0..4 {
            let last = &world.polls_of(0).last().unwrap().readings[nth];
            assert!(last.is_ok(), "found again: {last:?}");
        }
    }
}

#[test]
fn a_reset_that_the_device_tells_is_a_gap_whether_the_counter_went_back_or_not() {
    for has_table in [false, true] {
        let mut router = Router::new(PORTS);
        router.table_changed_at = has_table.then_some(router.booted_at);
        let mut world = world_of(router);
        world.run_until(seconds(35));
        for _ in 0..4 {
            let now = world.now;
            world.agent(0).router.as_mut().unwrap().happen(&Event::Reset(0), now);
            let until = now - crate::world::START + TEN;
            world.run_until(until);
        }
        world.run_until(seconds(120));
        assert_true(&world);
        let polls = world.polls_of(0);
        let marks = polls
            .iter()
            .filter(|poll| poll.readings[0].as_ref().is_ok_and(|reading| reading.discontinuity));
        assert_eq!(marks.count(), 4, "a gap for each reset");
    }
}

#[test]
fn an_interface_that_comes_later_is_found_when_the_table_changes() {
    let mut router = Router::new(PORTS);
    router.table_changed_at = Some(router.booted_at);
    let late = router.ports.pop().unwrap();
    let mut world = world_of(router);
    world.run_until(seconds(95));
    let found = |world: &World| world.polls_of(0).last().unwrap().readings[3].clone();
    assert_eq!(found(&world), Err(Missing::Interface(collector::Unfound::None)));
    let now = world.now;
    let router = world.agent(0).router.as_mut().unwrap();
    router.ports.push(late);
    router.table_changed_at = Some(now);
    world.run_until(seconds(107));
    assert!(found(&world).is_ok(), "its table is not walked every cycle otherwise");
}

#[derive(Clone, Debug)]
enum Mishap {
    Now(Event),
    /// In the middle of a poll, after so many answers.
    Within(usize, Event),
    Die,
    Revive,
    Lose(u32),
    Latency(u64),
    ResponseBytes(usize),
    Nothing,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => (0..PORTS).prop_map(Event::Reboot),
        2 => (1..PORTS).prop_map(Event::Renumber),
        2 => (0..PORTS).prop_map(Event::Reset),
        3 => (0..PORTS, 0_u64..100_000).prop_map(|(port, rate)| Event::Rate(port, rate)),
        1 => Just(Event::LoseWide),
    ]
}

fn mishap() -> impl Strategy<Value = Mishap> {
    prop_oneof![
        4 => event().prop_map(Mishap::Now),
        4 => (0_usize..8, event()).prop_map(|(after, event)| Mishap::Within(after, event)),
        1 => Just(Mishap::Die),
        3 => Just(Mishap::Revive),
        1 => (0_u32..60).prop_map(Mishap::Lose),
        1 => (1_u64..800).prop_map(Mishap::Latency),
        1 => (60_usize..1400).prop_map(Mishap::ResponseBytes),
        2 => Just(Mishap::Nothing),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_difference_is_true_whatever_happens(
        mishaps in prop::collection::vec((mishap(), 0_u64..40_000), 1..25),
        starts_narrow in any::<bool>(),
    ) {
        let mut router = Router::new(PORTS);
        router.knows_wide = !starts_narrow;
        router.table_changed_at = Some(router.booted_at);
        let mut world = world_of(router);
        let mut until = Duration::ZERO;
        for (mishap, pause_millis) in mishaps {
            until += millis(pause_millis);
            world.run_until(until);
            let now = world.now;
            let agent = world.agent(0);
            let router = agent.router.as_mut().unwrap();
            match mishap {
                Mishap::Now(event) => router.happen(&event, now),
                Mishap::Within(after, event) => router.next = Some((after, event)),
                Mishap::Die => agent.is_dead = true,
                Mishap::Revive => agent.is_dead = false,
                Mishap::Lose(percent) => agent.loss_percent = percent,
                Mishap::Latency(latency) => agent.latency = millis(latency),
                Mishap::ResponseBytes(bytes) => agent.response_bytes_max = bytes,
                Mishap::Nothing => {}
            }
        }
        world.run_until(until + seconds(30));
        assert_true(&world);
    }
}
