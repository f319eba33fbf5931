//! Limits of devices outlive a run, and end with the start of the device that had them.

use crate::world::{Agent, START, START_SECONDS, World, by_index, device, plan, seconds};
use collector::Learnt;
use rrd::Timestamp;
use std::time::Duration;

const TEN: Duration = Duration::from_secs(10);

/// A device of six ports without GETBULK and 64-bit counters, in small answers.
fn limited() -> Agent {
    let agent = Agent::new(6);
    Agent { ignores_bulk: true, knows_wide: false, response_bytes_max: 200, ..agent }
}

fn world(agent: Agent) -> World {
    let ports = (1..=6).flat_map(by_index).collect();
    World::new(plan(TEN, vec![device(0, ports)]), vec![agent])
}

/// What polls told last.
fn learnt(world: &World) -> Option<Learnt> {
    world.polls_of(0).iter().rev().find_map(|poll| poll.learnt.as_deref().copied())
}

/// Datagrams of the first poll.
fn sent_first(world: &World) -> u64 {
    world.polls_of(0)[0].effort.sent
}

#[test]
fn a_second_run_does_not_find_out_again() {
    let mut first = world(limited());
    first.run_until(seconds(95));
    let known = learnt(&first).unwrap();
    assert!(known.has_only_narrow && known.limits.has_broken_bulk, "{known:?}");
    let most = known.limits.bindings_max.unwrap();
    assert!((2..9).contains(&most), "{known:?}");
    let told = first.polls_of(0).iter().filter(|poll| poll.learnt.is_some()).count();
    assert!(told < 5, "only what is new is told: {told}");

    let mut second = world(limited());
    // As if the first run had been just before the second one.
    let at = Timestamp::from_seconds(START_SECONDS);
    let known = Learnt { at, uptime_ticks: Some(360_000), ..known };
    second.scheduler.recall(|_| Some(known));
    second.run_until(seconds(25));
    let polls = second.polls_of(0);
    assert!(polls.iter().all(|poll| poll.readings.iter().all(Result::is_ok)));
    assert!(polls.iter().all(|poll| poll.effort.retried == 0 && poll.effort.given_up == 0));
    assert!(sent_first(&second) * 2 < sent_first(&first), "{}", sent_first(&second));
    assert_eq!(learnt(&second), None, "nothing is new");
}

#[test]
fn limits_of_an_earlier_start_are_forgotten() {
    let mut first = world(limited());
    first.run_until(seconds(95));
    let known = learnt(&first).unwrap();
    // It has other software since.
    let booted_at = START - seconds(20);
    let mut second = world(Agent { booted_at, ..Agent::new(6) });
    second.scheduler.recall(|_| Some(known));
    second.run_until(seconds(45));
    let told = learnt(&second).unwrap();
    assert!(told.is_empty(), "{told:?}");
    let last = second.polls_of(0).pop().unwrap();
    assert_eq!(last.effort.sent, 1, "one question by GETBULK for 64-bit counters");
    assert!(second.polls_of(0).iter().all(|poll| poll.readings.iter().all(Result::is_ok)));
    assert!(second.polls_of(0).iter().all(|poll| !poll.restarted), "nothing is said of the run");
}

#[test]
fn a_restart_during_the_run_forgets_limits_too() {
    let mut world = world(limited());
    world.run_until(seconds(95));
    assert!(!learnt(&world).unwrap().is_empty());
    let now = world.now;
    let agent = world.agent(0);
    *agent = Agent { booted_at: now, ..Agent::new(6) };
    world.run_until(seconds(150));
    assert!(learnt(&world).unwrap().is_empty());
    assert_eq!(world.polls_of(0).pop().unwrap().effort.sent, 1);
    // And the limits that it has then are told anew, with their start.
    let now = world.now;
    *world.agent(0) = Agent { booted_at: now, ..limited() };
    world.run_until(seconds(250));
    let known = learnt(&world).unwrap();
    assert!(known.has_only_narrow && known.limits.has_broken_bulk, "{known:?}");
    assert!(known.uptime_ticks.unwrap() < 100 * 100, "{known:?}");
    assert!(known.at > Timestamp::from_seconds(START_SECONDS + 150), "{known:?}");
}
