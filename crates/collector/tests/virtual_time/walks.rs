//! Values that a walk leads to.

use crate::world::{Agent, RATE, World, address, by_index, device, plan, seconds};
use collector::{DevicePlan, Missing, Sought, Walk};
use snmp::{Value, Version, mib};
use std::time::Duration;

const TEN: Duration = Duration::from_secs(10);

fn walking(version: Version) -> DevicePlan {
    let walk = |root: &snmp::Oid, sought| Walk { root: root.clone(), sought };
    let mut plan = device(0, by_index(1));
    let snmp::Security::Community { version: said, .. } = &mut plan.snmp.security else {
        panic!("a community");
    };
    *said = version;
    plan.walks = vec![
        walk(&mib::IF_NAME, Sought::Row(2)),
        walk(&mib::IF_NAME, Sought::Count),
        walk(&mib::IF_IN_OCTETS.extended(&[4]).unwrap(), Sought::Next),
        walk(&mib::IF_NAME, Sought::Row(7)),
        walk(&mib::IF_IN_OCTETS, Sought::Row(0)),
    ];
    plan
}

#[test]
fn rows_counts_and_what_follows_are_read_beside_other_variables() {
    for version in [Version::V1, Version::V2c] {
        let mut world = World::new(plan(TEN, vec![walking(version)]), vec![Agent::new(7)]);
        world.run_until(seconds(25));
        let polls = world.polls_of(0);
        assert!(polls.len() >= 2);
        for poll in polls {
            assert!(poll.readings.iter().all(Result::is_ok), "{poll:?}");
            let value = |nth: usize| poll.walked[nth].as_ref().unwrap().value.clone();
            assert_eq!(value(0), Value::OctetString("port3".into()));
            assert_eq!(value(1), Value::Gauge32(7));
            assert!(value(2).as_number().unwrap() >= i128::from(RATE) * 3600, "{version:?}");
            assert_eq!(poll.walked[3], Err(Missing::NoRow { rows: 7 }));
            assert!(!poll.walked[4].as_ref().unwrap().discontinuity);
        }
    }
}

#[test]
fn a_restart_marks_what_was_walked_once_and_silence_is_no_answer() {
    let mut world = World::new(plan(TEN, vec![walking(Version::V2c)]), vec![Agent::new(8)]);
    world.run_until(seconds(32));
    world.agent(0).booted_at = world.now;
    world.run_until(seconds(80));
    let marks = |world: &World| {
        let polls = world.polls_of(0);
        let walked = polls.iter().filter_map(|poll| poll.walked[4].as_ref().ok());
        walked.filter(|reading| reading.discontinuity).count()
    };
    assert_eq!(marks(&world), 1);
    world.agents.get_mut(&address(0)).unwrap().is_dead = true;
    world.run_until(seconds(110));
    let last = world.polls_of(0).pop().unwrap().walked.clone();
    assert!(last.iter().all(|reading| *reading == Err(Missing::NoAnswer)), "{last:?}");
}

#[test]
fn a_reload_carries_walks_over() {
    let mut world = World::new(plan(TEN, vec![walking(Version::V2c)]), vec![Agent::new(8)]);
    world.run_until(seconds(25));
    let mut other = walking(Version::V2c);
    other.walks.reverse();
    other.walks.pop();
    world.scheduler.set_plan(plan(TEN, vec![other]), world.now);
    world.run_until(seconds(45));
    let last = world.polls_of(0).pop().unwrap();
    assert_eq!(last.walked.len(), 4);
    assert_eq!(last.walked[3].as_ref().unwrap().value, Value::Gauge32(8));
    assert!(!last.walked[0].as_ref().unwrap().discontinuity);
}
