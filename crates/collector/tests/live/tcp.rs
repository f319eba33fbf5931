//! Devices that are asked over TCP: Debian's snmpd, and agents whose connections are broken in
//! every way. A good device beside them is never late.

use super::{Snmpd, WHAT, count, device, each_second, next_cycle, octets_in, start};
use collector::{
    DevicePlan, DevicePoll, InterfaceReference, Missing, Outcome, Transport, Variable,
};
use snmp::agent::Responder;
use snmp::v3::Context;
use snmp::{
    AuthProtocol, Authentication, Community, Key, Privacy, PrivacyProtocol, Secret, User, Value,
    message_bytes, mib,
};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The device, asked over TCP.
fn over_tcp(mut plan: DevicePlan) -> DevicePlan {
    plan.transport = Transport::Tcp;
    plan.name = format!("tcp:{}", plan.name).into();
    plan.snmp.retries = 0;
    plan
}

fn with_user(mut plan: DevicePlan) -> DevicePlan {
    let key = || Key::Password(Secret::new("a quiet secret"));
    let authentication = Authentication { protocol: AuthProtocol::Sha256, key: key() };
    let privacy = Privacy { protocol: PrivacyProtocol::Aes128, key: key() };
    let user = User::new(b"monitor", Some(authentication), Some(privacy)).unwrap();
    plan.snmp = snmp::Config {
        timeout: Duration::from_millis(600),
        retries: 0,
        ..snmp::Config::with_user(user, Context::default())
    };
    plan
}

#[test]
fn a_real_agent_answers_over_tcp_as_over_udp() {
    let (Some(snmpd), Some(snmpget)) =
        (oracle::program("snmpd", WHAT), oracle::program("snmpget", WHAT))
    else {
        return;
    };
    let agent = Snmpd::start(&snmpd);
    let asked = || {
        let lo = vec![octets_in(InterfaceReference::Name(b"lo".into()))];
        device("127.0.0.1", agent.address.port(), lo)
    };
    let devices = vec![asked(), over_tcp(asked()), with_user(over_tcp(asked()))];
    let (handle, told, thread) = start(each_second(devices));
    let mut early = Vec::new();
    // snmpd takes a moment to listen: until then no connection can be made.
    let mut good = 0;
    for _ in 0..20 {
        let before = agent.octets_in(&snmpget, 1);
        let (polls, _) = next_cycle(&told, &mut early);
        let after = agent.octets_in(&snmpget, 1);
        let is_whole = |poll: &DevicePoll| poll.readings[0].is_ok();
        if polls.len() == 3 && polls.iter().all(is_whole) {
            // A device's poll may have been at any time of the cycle.
            assert!(polls.iter().all(|poll| count(poll, 0) <= after), "{before}: {polls:?}");
            good += 1;
        } else {
            assert_eq!(good, 0, "once it answers, it goes on: {polls:?}");
        }
        if good == 4 {
            handle.stop();
            let _ = thread.join().unwrap();
            return;
        }
    }
    panic!("snmpd was not polled over TCP");
}

/// What an agent does with a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It answers.
    Good,
    /// It answers octet by octet.
    Slow,
    /// It answers once, and closes.
    Once,
    /// It sends half an answer, and nothing more.
    Half,
    /// It closes in the middle of an answer.
    HalfAndClose,
    /// It closes at once.
    Close,
    Garbage,
    /// It announces a message of two gigabytes, and sends it.
    Endless,
    /// It answers again and again.
    Repeating,
    /// It answers nothing, and does not read either.
    Deaf,
}

/// An agent on a thread of its own. Returns its port, and counts its connections.
fn agent(way: Way, connections: &Arc<AtomicUsize>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            connections.fetch_add(1, Ordering::Relaxed);
            let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
            let _ = stream.set_write_timeout(Some(Duration::from_secs(5)));
            std::thread::spawn(move || converse(way, &mut stream));
        }
    });
    port
}

/// The answer to the next question.
fn answer(stream: &mut TcpStream, pending: &mut Vec<u8>) -> Option<Vec<u8>> {
    let responder = Responder { community: Community::new("kept-quiet"), response_bytes_max: 1400 };
    let rows = BTreeMap::from([
        (mib::SYS_UP_TIME, Value::TimeTicks(100)),
        (mib::SYS_SERVICES, Value::Integer(72)),
    ]);
    loop {
        if let Ok(Some(length)) = message_bytes(pending)
            && length <= pending.len()
        {
            let question: Vec<u8> = pending.drain(..length).collect();
            return responder.respond(&question, &rows).unwrap();
        }
        let mut buffer = [0; 2000];
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        pending.extend_from_slice(&buffer[..count]);
    }
}

fn converse(way: Way, stream: &mut TcpStream) {
    if way == Way::Deaf {
        return std::thread::sleep(Duration::from_secs(20));
    }
    let mut pending = Vec::new();
    while let Some(answer) = answer(stream, &mut pending) {
        let half = &answer[..answer.len() / 2];
        let done = match way {
            Way::Good => stream.write_all(&answer),
            Way::Slow => answer.iter().try_for_each(|octet| stream.write_all(&[*octet])),
            Way::Once => return drop(stream.write_all(&answer)),
            Way::Half => stream.write_all(half),
            Way::HalfAndClose => return drop(stream.write_all(half)),
            Way::Close => return,
            Way::Garbage => stream.write_all(b"HTTP/1.0 400 Bad Request\r\n\r\n"),
            Way::Endless => {
                let head = [0x30, 0x84, 0x7f, 0xff, 0xff, 0xff];
                let mut sent = stream.write_all(&head);
                while sent.is_ok() {
                    sent = stream.write_all(&[7; 8192]);
                }
                return;
            }
            Way::Repeating => {
                while stream.write_all(&answer).is_ok() {}
                return;
            }
            Way::Deaf => return,
        };
        if done.is_err() {
            return;
        }
    }
}

/// What became of an agent.
struct Seen {
    way: Way,
    polls: Vec<DevicePoll>,
    connections: usize,
}

/// Polls agents for some cycles beside a good one over UDP. Returns also how many connections broke.
fn polled(ways: &[Way]) -> (Vec<Seen>, u64) {
    let good = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let good_port = good.local_addr().unwrap().port();
    std::thread::spawn(move || super::answer_forever(good));
    let services = || vec![Variable::object(mib::SYS_SERVICES)];
    let counts: Vec<Arc<AtomicUsize>> = ways.iter().map(|_| Arc::default()).collect();
    let agents = ways.iter().zip(&counts);
    let over_tcp = |port| over_tcp(device("127.0.0.1", port, services()));
    let mut devices: Vec<DevicePlan> =
        agents.map(|(way, count)| over_tcp(agent(*way, count))).collect();
    devices.push(device("127.0.0.1", good_port, services()));
    let (handle, told, thread) = start(each_second(devices));
    let mut early = Vec::new();
    let mut polls_of: Vec<Vec<DevicePoll>> = ways.iter().map(|_| Vec::new()).collect();
    let mut broken = 0;
    for _ in 0..3 {
        let (polls, report) = next_cycle(&told, &mut early);
        broken += report.traffic.broken_connections;
        for poll in polls {
            match polls_of.get_mut(poll.device) {
                Some(polls) => polls.push(poll),
                None => assert!(poll.readings[0].is_ok(), "beside {ways:?}: {:?}", poll.outcome),
            }
        }
    }
    handle.stop();
    let _ = thread.join().unwrap();
    let seen = ways.iter().zip(polls_of).zip(&counts).map(|((way, polls), count)| {
        let connections = count.load(Ordering::Relaxed);
        Seen { way: *way, polls, connections }
    });
    (seen.collect(), broken)
}

#[test]
fn connections_are_kept_and_made_again() {
    let (seen, broken) = polled(&[Way::Good, Way::Slow, Way::Once]);
    assert_eq!(broken, 0, "one closed, but while nothing was asked");
    for Seen { way, polls, connections } in seen {
        assert!(polls.iter().all(|poll| poll.readings[0].is_ok()), "{way:?}: {polls:?}");
        let needed = if way == Way::Once { polls.len() } else { 1 };
        // The next cycle may have begun when the poller was stopped.
        let most = if way == Way::Once { needed + 1 } else { needed };
        assert!((needed..=most).contains(&connections), "{way:?}: {connections}");
    }
}

#[test]
fn broken_streams_are_named_and_delay_nobody() {
    let expected = |way: Way| match way {
        Way::HalfAndClose => "tcp: the agent closed the connection ",
        Way::Close => "tcp: the agent closed the connection",
        Way::Garbage => {
            "tcp: what the agent sends cannot be read: at byte 0: expected an SNMP message, found \
             tag 0x48"
        }
        Way::Endless => {
            "tcp: what the agent sends cannot be read: at byte 1: expected a message of at most \
             65535 bytes, found a length of 2147483647 bytes"
        }
        _ => "no answer; datagrams sent: 1",
    };
    let (seen, broken) = polled(&[
        Way::Half,
        Way::HalfAndClose,
        Way::Close,
        Way::Garbage,
        Way::Endless,
        Way::Deaf,
        Way::Repeating,
    ]);
    let mut told = 0;
    for Seen { way, polls, connections } in seen {
        assert!(connections >= 2, "{way:?}: a new one for each poll");
        for poll in &polls {
            if way == Way::Repeating {
                // 256 since a question: since the one before, and since the poll's own.
                assert!(poll.readings[0].is_ok() && poll.unwanted <= 2 * 256, "{poll:?}");
                continue;
            }
            let words = poll.outcome.to_string();
            assert!(words.starts_with(expected(way)), "{way:?}: {words}");
            told += u64::from(matches!(poll.outcome, Outcome::NoConnection(_)));
        }
    }
    assert!(told >= 10 && broken >= told, "{broken} of {told} are counted");
}

#[test]
fn what_refuses_connections_is_told_at_once() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let asked = device("127.0.0.1", port, vec![Variable::object(mib::SYS_SERVICES)]);
    let mut asked = over_tcp(asked);
    asked.snmp.timeout = Duration::from_secs(60);
    let (handle, told, thread) = start(each_second(vec![asked]));
    let mut early = Vec::new();
    let (polls, report) = next_cycle(&told, &mut early);
    let words = "tcp: cannot connect: Connection refused";
    assert_eq!(polls[0].outcome.to_string(), words);
    assert_eq!(polls[0].readings[0], Err(Missing::Connection(words.into())));
    assert_eq!((report.answered, report.traffic.broken_connections), (0, 1));
    handle.stop();
    let _ = thread.join().unwrap();
}
