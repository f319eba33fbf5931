//! The poller over real sockets: Debian's snmpd on loopback, and a device that is dead.
#![allow(clippy::disallowed_methods)] // The oracle is a process behind a socket.

mod tcp;

use collector::{
    AnswersFrom, CycleReport, DevicePlan, DevicePoll, Family, Handle, InterfaceReference, Outcome,
    Plan, Poller, Sink, Transport, Variable,
};
use snmp::agent::Responder;
use snmp::{Community, Config, ErrorStatus, Message, Operation, Value, Version, mib};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

const WHAT: &str = "polling a real agent over sockets";

/// Debian's snmpd on a port of its own. It ends when dropped, and after 30 s in any case.
struct Snmpd {
    process: Child,
    directory: PathBuf,
    address: SocketAddr,
}

impl Snmpd {
    fn start(program: &Path) -> Self {
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let directory = std::env::temp_dir().join(format!("gyre-collector-{address}"));
        std::fs::create_dir_all(&directory).unwrap();
        let config = directory.join("snmpd.conf");
        let port = address.port();
        let v6 = if has_ipv6() { format!(",udp6:[::1]:{port}") } else { String::new() };
        let text = format!(
            "rocommunity kept-quiet 127.0.0.1\nrocommunity6 kept-quiet ::1\n\
             createUser monitor SHA-256 \"a quiet secret\" AES\nrouser monitor priv\n\
             agentAddress udp:{address},tcp:{address}{v6}\n"
        );
        std::fs::write(&config, text).unwrap();
        let process = Command::new("timeout")
            .arg("30")
            .arg(program)
            .args(["-f", "-C", "-c"])
            .arg(&config)
            .arg("-Lf")
            .arg(directory.join("log"))
            .env("SNMP_PERSISTENT_DIR", &directory)
            .env("MIBS", "")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, directory, address }
    }

    /// The answer of snmpget for an interface's counter.
    fn octets_in(&self, snmpget: &Path, index: u32) -> u64 {
        let output = Command::new(snmpget)
            .args(["-v2c", "-ckept-quiet", "-Oqvn", "-t2"])
            .arg(self.address.to_string())
            .arg(mib::IF_HC_IN_OCTETS.extended(&[index]).unwrap().to_string())
            .env("MIBS", "")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.trim().parse().unwrap()
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        // `timeout` passes the signal on to snmpd.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn has_ipv6() -> bool {
    let has = UdpSocket::bind("[::1]:0").is_ok();
    if !has {
        // Written directly, because the test harness hides `eprintln!` of tests that pass.
        let notice = "NOT TESTED, this machine has no IPv6: polling over IPv6";
        let _ = writeln!(std::io::stderr(), "{notice}");
    }
    has
}

enum Told {
    Device(DevicePoll),
    Cycle(CycleReport),
}

struct Channel(Sender<Told>);

impl Sink for Channel {
    fn device(&mut self, poll: DevicePoll) {
        let _ = self.0.send(Told::Device(poll));
    }

    fn cycle(&mut self, report: CycleReport) {
        let _ = self.0.send(Told::Cycle(report));
    }
}

/// A poller on a thread of its own.
fn start(plan: Plan) -> (Handle<Channel>, Receiver<Told>, std::thread::JoinHandle<Channel>) {
    let (sender, told) = channel();
    let (poller, handle) = Poller::new(plan, Channel(sender)).unwrap();
    let thread = std::thread::spawn(move || poller.run().unwrap());
    (handle, told, thread)
}

/// The next report of a cycle, with the polls of that cycle. A cycle may begin before the previous
/// one is reported: `early` keeps its polls.
fn next_cycle(
    told: &Receiver<Told>,
    early: &mut Vec<DevicePoll>,
) -> (Vec<DevicePoll>, CycleReport) {
    loop {
        match told.recv_timeout(Duration::from_secs(10)).expect("a cycle ends in time") {
            Told::Device(poll) => early.push(poll),
            Told::Cycle(report) => {
                let of_cycle = early.extract_if(.., |poll| poll.cycle == report.cycle).collect();
                return (of_cycle, report);
            }
        }
    }
}

fn device(host: &str, port: u16, variables: Vec<Variable>) -> DevicePlan {
    let mut snmp = Config::new(Version::V2c, Community::new("kept-quiet"));
    snmp.timeout = Duration::from_millis(300);
    snmp.retries = 1;
    DevicePlan {
        name: format!("{host}:{port}").into(),
        interval: Duration::from_secs(1),
        host: host.into(),
        family: Family::V4,
        transport: Transport::Udp,
        port,
        snmp,
        answers_from: AnswersFrom::Asked,
        variables,
        walks: Vec::new(),
    }
}

fn octets_in(interface: InterfaceReference) -> Variable {
    Variable::column(interface, mib::IF_HC_IN_OCTETS, Some(mib::IF_IN_OCTETS))
}

fn count(poll: &DevicePoll, variable: usize) -> u64 {
    match poll.readings[variable].as_ref().unwrap().value {
        Value::Counter64(count) => count,
        ref other => panic!("expected a 64-bit counter, found {other:?}"),
    }
}

/// Devices polled each second.
fn each_second(devices: Vec<DevicePlan>) -> Plan {
    let devices = devices.into_iter().map(Arc::new).collect();
    Plan { intervals: Vec::new(), devices }
}

#[test]
fn a_real_agent_is_polled_each_second_and_agrees_with_snmpget() {
    let (Some(snmpd), Some(snmpget)) =
        (oracle::program("snmpd", WHAT), oracle::program("snmpget", WHAT))
    else {
        return;
    };
    let agent = Snmpd::start(&snmpd);
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let variables = vec![
        octets_in(InterfaceReference::Name(b"lo".into())),
        octets_in(InterfaceReference::Index(1)),
        octets_in(InterfaceReference::Description(b"lo".into())),
        octets_in(InterfaceReference::Address([127, 0, 0, 1].into())),
        octets_in(InterfaceReference::Name(b"no such interface".into())),
    ];
    let plan = each_second(vec![
        // The device has a name, so that the resolver's threads are used.
        device("localhost", agent.address.port(), variables),
        device(
            "127.0.0.1",
            nobody.local_addr().unwrap().port(),
            vec![Variable::object(mib::SYS_NAME)],
        ),
    ]);
    // snmpd takes a moment to listen. Every reading must lie between its counters before and after.
    std::thread::sleep(Duration::from_millis(700));
    let before = agent.octets_in(&snmpget, 1);
    let (handle, told, thread) = start(plan);
    let mut early = Vec::new();
    let mut last = (before, 0_i64);
    for _ in 0..4 {
        let (polls, report) = next_cycle(&told, &mut early);
        assert_eq!((report.devices, report.answered, report.missed.len()), (2, 1, 1));
        let live = polls.iter().find(|poll| poll.device == 0).unwrap();
        let dead = polls.iter().find(|poll| poll.device == 1).unwrap();
        assert!(matches!(dead.outcome, Outcome::Silent { .. }));
        // All references are to the same counter, asked for moments apart.
        let counts: Vec<u64> = (0..4).map(|variable| count(live, variable)).collect();
        let after = agent.octets_in(&snmpget, 1);
        assert!(counts.iter().all(|count| (last.0..=after).contains(count)), "{counts:?}");
        assert!(live.readings[4].is_err());
        let time = live.readings[0].as_ref().unwrap().time;
        assert!(time.seconds >= last.1);
        last = (counts[0], time.seconds);
    }
    assert!(last.0 > before, "loopback carries this very test");
    handle.stop();
    let _ = thread.join().unwrap();
}

#[test]
fn an_agent_is_polled_over_ipv6() {
    let Some(snmpd) = oracle::program("snmpd", WHAT) else { return };
    if !has_ipv6() {
        return;
    }
    let agent = Snmpd::start(&snmpd);
    let variables = vec![octets_in(InterfaceReference::Name(b"lo".into()))];
    let devices = vec![device("::1", agent.address.port(), variables)];
    let (handle, told, thread) = start(each_second(devices));
    let mut early = Vec::new();
    // snmpd takes a moment to listen, on a busy machine a long one.
    let answered = (0..60).any(|_| {
        let (polls, report) = next_cycle(&told, &mut early);
        report.answered == 1 && polls[0].readings[0].is_ok()
    });
    assert!(answered);
    handle.stop();
    let _ = thread.join().unwrap();
}

#[test]
fn a_reload_takes_effect_while_a_silent_device_is_waited_for() {
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let silent = device("127.0.0.1", nobody.local_addr().unwrap().port(), Vec::new());
    let plan = each_second;
    let (handle, told, thread) = start(plan(vec![silent.clone()]));
    let mut early = Vec::new();
    let (polls, report) = next_cycle(&told, &mut early);
    assert_eq!((polls.len(), report.missed.len()), (1, 1));
    handle.reload(plan(vec![silent.clone(), device("nowhere.invalid", 161, Vec::new())]), |_| {});
    let outcome = loop {
        let (polls, _) = next_cycle(&told, &mut early);
        if let Some(poll) = polls.iter().find(|poll| poll.device == 1) {
            break poll.outcome.clone();
        }
    };
    assert!(matches!(outcome, Outcome::NoAddress(why) if why.contains("nowhere.invalid")));
    handle.stop();
    let _ = thread.join().unwrap();
}

/// A device is not late because the poller was: an answer that waits in the socket is read before
/// its question is given up.
#[test]
fn answers_that_came_while_the_poller_could_not_run_count() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let mut plan = device("127.0.0.1", port, vec![Variable::object(mib::SYS_SERVICES)]);
    plan.snmp.retries = 0;
    let timeout = plan.snmp.timeout;
    let (handle, told, thread) = start(each_second(vec![plan]));
    let busy = handle.clone();
    std::thread::spawn(move || {
        answer_with(&socket, || {
            // Longer than the device is waited for, and begun before it answers.
            busy.act(move |_| std::thread::sleep(2 * timeout));
            std::thread::sleep(timeout / 4);
        });
    });
    let mut early = Vec::new();
    for _ in 0..2 {
        let (polls, report) = next_cycle(&told, &mut early);
        assert_eq!(report.answered, 1, "{:?}", polls[0].outcome);
    }
    handle.stop();
    let _ = thread.join().unwrap();
}

/// An agent on a thread of its own that answers good questions.
fn answer_forever(socket: UdpSocket) {
    answer_with(&socket, || {});
}

/// Answers good questions, and does something before each answer.
fn answer_with(socket: &UdpSocket, mut before: impl FnMut()) {
    let responder = Responder { community: Community::new("kept-quiet"), response_bytes_max: 1400 };
    let rows = BTreeMap::from([
        (mib::SYS_UP_TIME, Value::TimeTicks(100)),
        (mib::SYS_SERVICES, Value::Integer(72)),
    ]);
    let mut buffer = [0; 2000];
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    while let Ok((length, from)) = socket.recv_from(&mut buffer) {
        if let Ok(Some(answer)) = responder.respond(&buffer[..length], &rows) {
            before();
            let _ = socket.send_to(&answer, from);
        }
    }
}

/// An agent that answers its first question with so many datagrams that nobody asked for, of all
/// kinds. Its thread returns how many the system took.
fn flood(socket: &UdpSocket, count: u32) -> u64 {
    let mut question = [0; 2000];
    let (length, from) = socket.recv_from(&mut question).unwrap();
    let mut message = Message::decode(&question[..length]).unwrap();
    message.pdu.operation =
        Operation::Response { error_status: ErrorStatus::NoError, error_index: 0 };
    let asked = message.pdu.request_id;
    let mut sent = 0;
    for nth in 0..count {
        // Its own id with another community, ids of nobody, half a message, and noise.
        let is_own = nth % 4 == 0;
        message.pdu.request_id = if is_own { asked } else { asked.wrapping_add(nth as i32) };
        let mut datagram = message.encode();
        match nth % 4 {
            // The first octets are tags and lengths, and the version.
            0 => datagram[10] ^= 0x20,
            1 => datagram.truncate(datagram.len() / 2),
            2 => datagram = vec![nth as u8; 40],
            _ => {}
        }
        sent += u64::from(socket.send_to(&datagram, from).is_ok());
        if nth % 500 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    sent
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_flood_of_answers_that_nobody_asked_for_delays_no_other_device() {
    let hostile = UdpSocket::bind("127.0.0.1:0").unwrap();
    let good = UdpSocket::bind("127.0.0.1:0").unwrap();
    let ports = [&hostile, &good].map(|socket| socket.local_addr().unwrap().port());
    std::thread::spawn(move || answer_forever(good));
    let flooding = std::thread::spawn(move || flood(&hostile, 250_000));
    let devices =
        ports.map(|port| device("127.0.0.1", port, vec![Variable::object(mib::SYS_SERVICES)]));
    let resident_before_kib = resident_kib();
    let (handle, told, thread) = start(each_second(devices.into()));
    let mut early = Vec::new();
    let mut noise = 0;
    let mut cycles_after = 0;
    let mut named = false;
    // A cycle after the last datagram tells of all of them.
    while cycles_after < 2 {
        cycles_after += usize::from(flooding.is_finished());
        let (polls, report) = next_cycle(&told, &mut early);
        let good = polls.iter().find(|poll| poll.device == 1).unwrap();
        assert!(good.readings[0].is_ok(), "cycle {}: {:?}", report.cycle.number, good.outcome);
        assert!(good.took < Duration::from_secs(1), "{:?}", good.took);
        noise += report.unwanted + report.traffic.foreign;
        let hostile = report.noisiest.first();
        named |= hostile.is_some_and(|it| it.name.ends_with(&ports[0].to_string()));
    }
    let sent = flooding.join().unwrap();
    // The system drops what does not fit into the socket's buffer.
    assert!(noise > sent / 20 && noise <= sent, "{noise} of {sent} counted");
    assert!(named, "the report names the device");
    let grown_kib = resident_kib().saturating_sub(resident_before_kib);
    assert!(grown_kib < 64 << 10, "{grown_kib} KiB");
    handle.stop();
    let _ = thread.join().unwrap();
}
