//! Faults on demand: what a collector meets is what was asked for, and mended devices are well.

use super::{MORNING, cell, config};
use simnet::{Config, Direction, FaultError, Mending, Rule, SimulatedNetwork};
use snmp::{
    Community, ErrorStatus, Message, MessageView, Oid, Operation, Pdu, Value, VarBind, Version, mib,
};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const BULK: Operation = Operation::GetBulk { non_repeaters: 0, max_repetitions: 20 };
const ID: i32 = 77;
/// For answers; they come much earlier.
const PATIENCE: Duration = Duration::from_secs(20);
/// For answers that must not come.
const SILENCE: Duration = Duration::from_millis(120);

/// A network whose clock the test sets, in seconds after [`MORNING`].
struct Disturbed {
    network: SimulatedNetwork,
    seconds: Arc<AtomicU64>,
    socket: UdpSocket,
}

impl Disturbed {
    fn start(faults: &[&str]) -> Disturbed {
        let config = Config {
            devices: 40,
            slow_devices: 0,
            dead_devices: 0,
            rebooting_devices: 0,
            ..config()
        };
        let seconds = Arc::new(AtomicU64::new(0));
        let clock = seconds.clone();
        let now = move || MORNING + Duration::from_secs(clock.load(Ordering::Relaxed));
        let network = SimulatedNetwork::start(&config, now).unwrap();
        for fault in faults {
            assert!(network.disturb(&fault.parse().unwrap()) > 0, "{fault}");
        }
        Disturbed { network, seconds, socket: UdpSocket::bind("127.0.0.1:0").unwrap() }
    }

    fn disturb(&self, rule: &str) -> usize {
        self.network.disturb(&rule.parse::<Rule>().unwrap())
    }

    fn mend(&self, mending: &str) -> usize {
        self.network.mend(&mending.parse::<Mending>().unwrap())
    }

    fn send(&self, device: usize, operation: Operation, oids: &[Oid]) {
        let bindings = oids.iter().cloned().map(VarBind::asking).collect();
        let pdu = Pdu { request_id: ID, operation, bindings };
        let message = Message { version: Version::V2c, community: Community::new("public"), pdu };
        let address = self.network.devices()[device].address;
        self.socket.send_to(&message.encode(), address).unwrap();
    }

    /// The next datagram, and where it is from.
    fn receive(&self, patience: Duration) -> Option<(Vec<u8>, SocketAddr)> {
        self.socket.set_read_timeout(Some(patience)).unwrap();
        let mut buffer = [0; 4096];
        let (length, from) = self.socket.recv_from(&mut buffer).ok()?;
        Some((buffer[..length].to_vec(), from))
    }

    fn ask(&self, device: usize, operation: Operation, oids: &[Oid]) -> Pdu {
        self.send(device, operation, oids);
        let (datagram, _) = self.receive(PATIENCE).expect("an answer");
        MessageView::parse(&datagram).unwrap().to_message().unwrap().pdu
    }

    fn get(&self, device: usize, oids: &[Oid]) -> Vec<Value> {
        let bindings = self.ask(device, Operation::Get, oids).bindings;
        bindings.into_iter().map(|binding| binding.value).collect()
    }

    fn is_silent(&self, device: usize, operation: Operation) -> bool {
        self.send(device, operation, &[mib::SYS_NAME]);
        self.receive(SILENCE).is_none()
    }
}

fn status(pdu: &Pdu) -> ErrorStatus {
    match pdu.operation {
        Operation::Response { error_status, .. } => error_status,
        other => panic!("{other:?}"),
    }
}

fn counters(columns: &[Oid], rows: std::ops::RangeInclusive<u32>) -> Vec<Oid> {
    rows.flat_map(|row| columns.iter().map(move |column| cell(column, row))).collect()
}

#[test]
fn what_is_no_fault_is_refused_and_named() {
    let said = |text: &str| text.parse::<Rule>().unwrap_err().to_string();
    assert_eq!(said("dead"), "expected KIND[=VALUE]:DEVICES, found dead");
    assert!(
        said("ill:all").starts_with("expected one of dead, loss, latency,"),
        "{}",
        said("ill:all")
    );
    assert_eq!(said("loss=2:all"), "loss: expected a share such as 1%, found 2");
    assert_eq!(said("loss=101%:all"), "loss: expected a share such as 1%, found 101%");
    assert_eq!(said("dead=1:all"), "dead: expected no value, found 1");
    assert_eq!(said("wrap:all"), "wrap: expected seconds, found nothing");
    for devices in ["", "0", "7-3", "x", "1,,2", "127.16.0", "120%"] {
        let error = format!("dead:{devices}").parse::<Rule>().unwrap_err();
        assert_eq!(error, FaultError::Devices(devices.to_owned()));
    }
    assert!("ill:all".parse::<Mending>().is_err());
}

#[test]
fn devices_are_chosen_by_place_address_and_share() {
    let it = Disturbed::start(&[]);
    let second = it.network.devices()[1].address.ip().to_string();
    let cases =
        [("all", 40), ("10%", 4), ("2.5%", 1), ("3-9,12", 8), ("41", 0), ("100%", 40), ("0%", 0)];
    for (devices, expected) in cases {
        assert_eq!(it.disturb(&format!("loss=0%:{devices}")), expected, "{devices}");
        assert_eq!(it.mend("all:all"), 40);
    }
    assert_eq!(it.disturb(&format!("dead:{second}")), 1);
    assert!(it.is_silent(1, Operation::Get));
    assert!(!it.is_silent(0, Operation::Get));
    assert_eq!(it.mend("dead:2"), 1);
    assert!(!it.is_silent(1, Operation::Get));
    assert_eq!(it.network.tally().silenced, 1);
}

#[test]
fn answers_are_lost_late_cut_repeated_forged_and_from_elsewhere() {
    let it = Disturbed::start(&[
        "loss=100%:1",
        "latency=150+50:2",
        "cut:3",
        "repeat=3:4",
        "wrong-id:5",
        "source:6",
    ]);
    assert!(it.is_silent(0, Operation::Get));
    let asked = Instant::now();
    it.get(1, &[mib::SYS_NAME]);
    assert!(asked.elapsed() >= Duration::from_millis(150));
    it.send(2, Operation::Get, &[mib::SYS_NAME]);
    let (cut, _) = it.receive(PATIENCE).unwrap();
    assert!(MessageView::parse(&cut).is_err());
    it.send(3, Operation::Get, &[mib::SYS_NAME]);
    let copies = [(); 3].map(|()| it.receive(PATIENCE).unwrap());
    assert!(copies.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(it.ask(4, Operation::Get, &[mib::SYS_NAME]).request_id, ID + 1);
    it.send(5, Operation::Get, &[mib::SYS_NAME]);
    let (_, from) = it.receive(PATIENCE).unwrap();
    assert_ne!(from.ip(), *it.network.devices()[5].address.ip());
    let tally = it.network.tally();
    assert_eq!((tally.get, tally.lost, tally.answered), (6, 1, 7));
}

#[test]
fn bulk_breaks_and_long_answers_are_too_big() {
    let it =
        Disturbed::start(&["bulk=silent:1", "bulk=error:2", "bulk=nonsense:3", "too-big=300:4"]);
    assert!(it.is_silent(0, BULK));
    assert!(!it.is_silent(0, Operation::GetNext));
    assert_eq!(status(&it.ask(1, BULK, &[mib::SYS_NAME])), ErrorStatus::GenErr);
    let nonsense = it.ask(2, BULK, &[mib::SYS_NAME]);
    assert_eq!(nonsense.bindings, [VarBind::asking(mib::SYS_NAME)]);
    let many = counters(&[mib::IF_HC_IN_OCTETS], 1..=30);
    assert_eq!(status(&it.ask(3, Operation::Get, &many)), ErrorStatus::TooBig);
    assert_eq!(status(&it.ask(3, BULK, &many[..1])), ErrorStatus::TooBig);
    assert_eq!(status(&it.ask(3, Operation::Get, &many[..3])), ErrorStatus::NoError);
    it.mend("too-big:all");
    assert_eq!(status(&it.ask(3, Operation::Get, &many)), ErrorStatus::NoError);
}

#[test]
fn a_restart_moves_the_indexes_but_not_the_interfaces() {
    let it = Disturbed::start(&["reboot=60:1", "renumber=60:2"]);
    let names = |device| it.get(device, &counters(&[mib::IF_NAME], 1..=48));
    let before = [names(0), names(1)];
    let engine = "1.3.6.1.6.3.10.2.1.2.0".parse::<Oid>().unwrap();
    let boots = |device| it.get(device, std::slice::from_ref(&engine))[0].as_number().unwrap();
    let boots_before = [boots(0), boots(1)];
    it.seconds.store(90, Ordering::Relaxed);
    for device in [0, 1] {
        assert_eq!(it.get(device, &[mib::SYS_UP_TIME]), [Value::TimeTicks(3000)]);
        assert_eq!(boots(device), boots_before[device] + 1);
    }
    assert_eq!(names(0), before[0]);
    let after = names(1);
    assert_ne!(after, before[1]);
    for (nth, name) in after.iter().enumerate() {
        let place = before[1].iter().position(|other| other == name).unwrap() as u32 + 1;
        let count = |seconds| {
            let time = MORNING + Duration::from_secs(seconds);
            it.network.traffic().octets(1, place, Direction::In, time)
        };
        let counter = it.get(1, &[cell(&mib::IF_HC_IN_OCTETS, nth as u32 + 1)]);
        assert_eq!(counter, [Value::Counter64(count(90) - count(60))], "{name:?}");
    }
}

#[test]
fn counters_wrap_are_narrow_and_clocks_are_wrong() {
    let it = Disturbed::start(&["wrap=30:4", "narrow:2", "clock=-60:3"]);
    let octets = |device| it.get(device, &[cell(&mib::IF_IN_OCTETS, 1)])[0].as_number().unwrap();
    let busy = octets(3);
    assert!(busy > 1 << 31, "{busy}");
    it.seconds.store(29, Ordering::Relaxed);
    assert!(octets(3) > busy);
    it.seconds.store(31, Ordering::Relaxed);
    assert!(octets(3) < busy);
    assert_eq!(it.get(1, &[cell(&mib::IF_HC_IN_OCTETS, 1)]), [Value::NoSuchObject]);
    assert!(octets(1) > 0);
    let ticks = |seconds: u64| {
        it.seconds.store(seconds, Ordering::Relaxed);
        it.get(2, &[mib::SYS_UP_TIME])[0].as_number().unwrap()
    };
    let wrong = ticks(0);
    it.mend("clock:3");
    assert_eq!(ticks(0), wrong + 6000);
}

#[test]
fn walks_end_early_never_or_go_around() {
    let it = Disturbed::start(&["walk=short:1", "walk=endless:2", "walk=loop:3"]);
    let last = cell(&mib::IF_HC_IN_OCTETS, 48);
    let next = |device, oid: Oid| it.ask(device, Operation::GetNext, &[oid]).bindings.remove(0);
    assert_eq!(next(0, last.clone()).value, Value::EndOfMibView);
    assert_eq!(next(0, mib::IF_DESCR).oid, cell(&mib::IF_DESCR, 1));
    assert_eq!(next(1, last.clone()).oid, cell(&mib::IF_HC_IN_OCTETS, 49));
    assert_eq!(
        next(1, cell(&mib::IF_HC_IN_OCTETS, 4_000_000)).oid,
        cell(&mib::IF_HC_IN_OCTETS, 4_000_001)
    );
    assert_eq!(next(2, last.clone()).oid, cell(&mib::IF_HC_IN_OCTETS, 1));
    assert_eq!(next(3, last).oid, cell(&"1.3.6.1.2.1.31.1.1.1.7".parse().unwrap(), 1));
}

#[test]
fn what_devices_have_is_told_as_rules_that_can_be_given_again() {
    let words = "dead loss=7% loss=0.01% latency=5 latency=800+200 too-big=484 bulk=silent \
                 bulk=error bulk=nonsense reboot reboot=30 renumber renumber=30 wrap=9 narrow \
                 source clock=-60 walk=short walk=endless walk=loop cut wrong-id repeat=2";
    for fault in words.split_whitespace() {
        for devices in ["all", "2.5%", "1,3-9,127.16.0.12"] {
            let rule = format!("{fault}:{devices}");
            assert_eq!(rule.parse::<Rule>().unwrap().to_string(), rule);
        }
    }
    let it = Disturbed::start(&["dead:all", "loss=7%:3-5,9", "reboot:1", "reboot=30:2", "cut:10%"]);
    it.disturb("loss=8%:4");
    it.mend("dead:1-2");
    let told = || it.network.faults().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let cut = "cut:8,18,28,38";
    let expected = format!("{cut} dead:3-40 loss=7%:3,5,9 loss=8%:4");
    assert_eq!(told(), format!("{expected} reboot=30:2"));
    it.seconds.store(30, Ordering::Relaxed);
    assert_eq!(told(), expected);
}
