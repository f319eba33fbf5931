//! Devices of SNMPv3: one datagram a poll, through restarts; what a device refuses is told.

use crate::world::{Agent, World, by_index, device, plan, seconds};
use collector::{DevicePlan, Outcome};
use snmp::agent::Authority;
use snmp::v3::{Context, Report};
use snmp::{
    AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, RequestError, Secret, User,
};
use std::sync::Arc;
use std::time::Duration;

const TEN: Duration = Duration::from_secs(10);

fn user(password: &str) -> User {
    let key = || Key::Password(Secret::new(password));
    let authentication = Authentication { protocol: AuthProtocol::Sha256, key: key() };
    let privacy = Privacy { protocol: PrivacyProtocol::Aes128, key: key() };
    User::new(b"monitor", Some(authentication), Some(privacy)).unwrap()
}

fn agent() -> Agent {
    let authority = Authority::new(b"an engine", &[user("right secret")], 1);
    Agent { authority: Some(Arc::new(authority)), ..Agent::new(1) }
}

fn asking_with(password: &str) -> DevicePlan {
    let mut device = device(0, by_index(1));
    device.snmp = snmp::Config::with_user(user(password), Context::default());
    device
}

#[test]
fn a_device_is_found_once_and_a_restart_costs_two_datagrams() {
    let mut world = World::new(plan(TEN, vec![asking_with("right secret")]), vec![agent()]);
    world.run_until(seconds(62));
    let polls = world.polls_of(0).len();
    assert!(polls >= 6, "{polls} polls");
    assert_eq!(world.agent(0).requests, polls + 2, "one asks for the engine, one for its tables");
    world.agent(0).booted_at = world.now;
    world.run_until(seconds(122));
    let all = world.polls_of(0);
    assert!(all.iter().all(|poll| poll.outcome == Outcome::Answered));
    assert!(all.iter().all(|poll| poll.readings.iter().all(Result::is_ok)));
    assert_eq!(all.iter().filter(|poll| poll.restarted).count(), 1);
    let count = all.len();
    // The engine's new time, and whether it tells since when its young counters count.
    assert_eq!(world.agent(0).requests, count + 4);
}

#[test]
fn a_refused_user_is_told_in_every_cycle_until_a_reload_brings_the_right_one() {
    let mut world = World::new(plan(TEN, vec![asking_with("wrong secret")]), vec![agent()]);
    world.run_until(seconds(62));
    for poll in world.polls_of(0) {
        let Outcome::Denied(error) = &poll.outcome else { panic!("{:?}", poll.outcome) };
        assert!(matches!(error, RequestError::Denied { report: Report::WrongDigest, .. }));
    }
    for (_, report) in &world.reports {
        assert_eq!((report.missed.len(), report.denied.len(), report.answered), (1, 1, 0));
    }
    let told = world.reports.len();
    assert!(told >= 5, "{told} reports");
    let now = world.now;
    world.scheduler.set_plan(plan(TEN, vec![asking_with("right secret")]), now);
    world.run_until(seconds(122));
    let last = world.polls_of(0).last().copied().unwrap().clone();
    assert_eq!(last.outcome, Outcome::Answered);
}

#[test]
fn a_silent_device_is_silent_whether_its_engine_is_known_or_not() {
    let mut world = World::new(plan(TEN, vec![asking_with("right secret")]), vec![agent()]);
    world.agent(0).is_dead = true;
    world.run_until(seconds(32));
    world.agent(0).is_dead = false;
    world.run_until(seconds(62));
    world.agent(0).is_dead = true;
    world.run_until(seconds(92));
    let polls = world.polls_of(0);
    let silent = |poll: &&&collector::DevicePoll| matches!(poll.outcome, Outcome::Silent { .. });
    assert!(matches!(polls[0].outcome, Outcome::Silent { .. }));
    assert!(polls.iter().any(|poll| poll.outcome == Outcome::Answered));
    assert!(matches!(polls.last().unwrap().outcome, Outcome::Silent { .. }));
    assert!(polls.iter().filter(silent).count() >= 4);
}
