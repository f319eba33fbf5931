//! The network as other programs see it: our own session, net-snmp's tools, cfgmaker and mrtg.
#![allow(clippy::disallowed_methods)] // Oracles are processes and sockets.

mod faults;
mod tables;

use simnet::{Config, Direction, Health, MrtgSettings, SimulatedNetwork, system_clock};
use snmp::{
    Answer, Community, Oid, Request, RequestError, RequestIdKey, Session, User, Value, Version, mib,
};
use std::io::Write;
use std::net::UdpSocket;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Monday, 16 November 2026, 09:00 UTC.
const MORNING: Duration = Duration::from_secs(1_794_787_200 + 9 * 3600);

fn config() -> Config {
    // A free port and few devices, because tests run in parallel.
    Config {
        udp_port: 0,
        devices: 12,
        slow_devices: 1,
        slow_by: Duration::from_millis(150),
        ..Config::default()
    }
}

fn ask(
    network: &SimulatedNetwork,
    device: usize,
    version: Version,
    request: Request,
) -> Result<Answer, RequestError> {
    let config = snmp::Config {
        timeout: Duration::from_millis(700),
        retries: 1,
        ..snmp::Config::new(version, Community::new("public"))
    };
    let mut session = Session::new(config, RequestIdKey::new(11).ids(device as u32));
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(network.devices()[device].address).unwrap();
    let start = Instant::now();
    session.submit(request);
    loop {
        while let Some(datagram) = session.transmit(start.elapsed()) {
            socket.send(&datagram).unwrap();
        }
        if let Some(event) = session.next_event() {
            return event.result;
        }
        let wait = session.deadline().unwrap().saturating_sub(start.elapsed());
        socket.set_read_timeout(Some(wait.max(Duration::from_millis(1)))).unwrap();
        let mut buffer = [0; 4096];
        if let Ok(length) = socket.recv(&mut buffer) {
            session.handle(start.elapsed(), &buffer[..length]);
        }
    }
}

fn get(network: &SimulatedNetwork, device: usize, oids: &[Oid]) -> Vec<Value> {
    let answer = ask(network, device, Version::V2c, Request::Get(oids.to_vec())).unwrap();
    answer.bindings.into_iter().map(|binding| binding.value).collect()
}

fn cell(column: &Oid, row: u32) -> Oid {
    column.extended(&[row]).unwrap()
}

/// Runs another program; `None` if it is not installed, which is a failure in CI.
fn oracle(program: &str, arguments: &[&str]) -> Option<Output> {
    let run = Command::new("timeout")
        .args(["60", program])
        .args(arguments)
        .env("MIBS", "")
        .env("LANG", "C")
        .output()
        .unwrap();
    if run.status.code() == Some(127) {
        assert!(std::env::var("CI").is_err(), "{program} must be installed in CI");
        // Not by `eprintln!`, which the test harness swallows.
        let notice = format!("NOT TESTED: {program} is missing: it did not read the network");
        let _ = writeln!(std::io::stderr(), "{notice}");
        return None;
    }
    Some(run)
}

#[test]
fn counters_are_the_traffic_function_at_the_clocks_time() {
    let network = SimulatedNetwork::start(&config(), || MORNING).unwrap();
    let started = network.devices()[3].started_at(MORNING);
    assert!(started < MORNING);
    for port in network.devices()[3].ports() {
        let oids = [
            cell(&mib::IF_HC_IN_OCTETS, port.index),
            cell(&mib::IF_OUT_OCTETS, port.index),
            cell(&mib::IF_HIGH_SPEED, port.index),
            cell(&mib::IF_NAME, port.index),
        ];
        let count = |way| {
            let octets = |time| network.traffic().octets(3, port.index, way, time);
            octets(MORNING) - octets(started)
        };
        let expected = [
            Value::Counter64(count(Direction::In)),
            Value::Counter32(count(Direction::Out) as u32),
            Value::Gauge32((port.speed_bits_per_second / 1_000_000) as u32),
            Value::OctetString(port.name.clone().into_bytes()),
        ];
        assert_eq!(get(&network, 3, &oids), expected);
    }
}

#[test]
fn get_and_walk_agree_and_v1_sees_all_but_64_bits() {
    let network = SimulatedNetwork::start(&config(), || MORNING).unwrap();
    let all = Request::Walk("1.3.6.1".parse().unwrap());
    let walked = ask(&network, 0, Version::V2c, all.clone()).unwrap().bindings;
    let names: Vec<Oid> = walked.iter().map(|binding| binding.oid.clone()).collect();
    let got = ask(&network, 0, Version::V2c, Request::Get(names)).unwrap();
    assert_eq!((&got.bindings, got.failed.len()), (&walked, 0));
    let narrow = ask(&network, 0, Version::V1, all).unwrap().bindings;
    let visible = walked.iter().filter(|binding| !matches!(binding.value, Value::Counter64(_)));
    assert!(narrow.iter().eq(visible));
    assert_eq!(walked.len() - narrow.len(), 8 * 48);
    // Names next to the instances do not exist.
    for wrong in [
        "1.3.6.1.2.1.1.3.1",
        "1.3.6.1.2.1.2.2.1.10.49",
        "1.3.6.1.2.1.2.2.1.10.0",
        "1.3.6.1.2.1.2.2.1.10.1.1",
    ] {
        assert_eq!(get(&network, 0, &[wrong.parse().unwrap()]), [Value::NoSuchInstance]);
    }
    assert_eq!(get(&network, 0, &["1.3.6.1.9".parse().unwrap()]), [Value::NoSuchObject]);
}

#[test]
fn snmpbulkwalk_reads_every_row_in_rising_order_with_all_versions() {
    let reader = User::new(b"reader", None, None).unwrap();
    let config = Config { users: vec![reader], ..config() };
    // While the clock stands, all versions see the same values.
    let network = SimulatedNetwork::start(&config, || MORNING).unwrap();
    for (device, addresses) in [(0, 2), (1, 1)] {
        let address = network.devices()[device].address.to_string();
        let mut all_rows: Vec<Vec<String>> = Vec::new();
        for tool in [
            &["snmpbulkwalk", "-v2c", "-cpublic"][..],
            &["snmpwalk", "-v3", "-ureader", "-lnoAuthNoPriv"],
            &["snmpwalk", "-v1", "-cpublic"],
        ] {
            let arguments = [&tool[1..], &["-On", "-Ox", &address, "1.3.6.1"]].concat();
            let Some(output) = oracle(tool[0], &arguments) else { return };
            let (text, errors) = (
                String::from_utf8(output.stdout).unwrap(),
                String::from_utf8(output.stderr).unwrap(),
            );
            assert!(output.status.success() && errors.is_empty(), "{errors}");
            let rows = text.lines().filter_map(|line| line.strip_prefix('.')?.split_once(" = "));
            // At the end of the whole tree, snmpwalk prints this after the last name.
            let rows = rows.filter(|(_, value)| !value.starts_with("No more variables left"));
            let rows: Vec<(&str, &str)> = rows.collect();
            let names: Vec<Oid> = rows.iter().map(|(name, _)| name.parse().unwrap()).collect();
            all_rows.push(rows.iter().map(|(name, value)| format!("{name} {value}")).collect());
            assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "not rising");
            // ifTable's 22 columns and ifXTable's 19; 8 of them are not visible with v1.
            let columns = if tool[1] == "-v1" { 22 + 11 } else { 22 + 19 };
            // system, interfaces, ip, hrSystem, hrStorage, ifMIBObjects, memory, systemStats,
            // snmpEngine, snmpMPDStats.
            let scalars = 7 + 1 + 2 + 7 + 1 + 1 + 13 + 15 + 4 + 3;
            // hrStorageTable, hrDeviceTable, hrProcessorTable, laTable.
            let rows = 4 * 7 + 2 * 6 + 2 * 2 + 3 * 8;
            let expected = scalars + rows + columns * 48 + 5 * addresses;
            assert_eq!(names.len(), expected, "{tool:?}");
        }
        assert_eq!(all_rows[0], all_rows[1]);
        all_rows[0].retain(|row| !row.contains(" Counter64: "));
        assert_eq!(all_rows[0], all_rows[2]);
    }
}

#[test]
fn cfgmaker_makes_a_configuration_of_a_device() {
    let network = SimulatedNetwork::start(&config(), system_clock).unwrap();
    let device = &network.devices()[1];
    let router = format!("public@{}:::::2", device.address);
    let Some(output) = oracle("cfgmaker", &["--global", "WorkDir: /tmp", &router]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(&device.name), "{text}");
    for port in device.ports() {
        let said = text.contains(&format!(" >> Descr: '{}' |", port.description));
        assert!(said, "{} is missing", port.description);
    }
    let targets = text.lines().filter(|line| line.starts_with("Target[")).count();
    let up = device.ports().filter(|port| port.role != simnet::Role::Down).count();
    assert_eq!(targets, up);
}

#[test]
fn mrtg_accepts_the_configuration_and_polls_by_it() {
    let network = SimulatedNetwork::start(
        &Config { devices: 2, slow_devices: 0, dead_devices: 0, rebooting_devices: 0, ..config() },
        system_clock,
    )
    .unwrap();
    let directory = std::env::temp_dir().join(format!("gyre-simnet-mrtg-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let settings = MrtgSettings {
        work_directory: directory.to_str().unwrap().to_owned(),
        interval: Duration::from_secs(10),
        more: String::new(),
        with_sites: false,
    };
    let path = directory.join("mrtg.cfg");
    std::fs::write(&path, network.mrtg_config(&settings)).unwrap();
    let path = path.to_str().unwrap();
    let checked = oracle("mrtg", &["--check", path]);
    let polled = checked.as_ref().and_then(|_| oracle("mrtg", &[path]));
    let count = |device: &simnet::Device| {
        std::fs::read_dir(directory.join(&device.name)).map_or(0, |files| {
            files
                .filter(|file| file.as_ref().unwrap().path().extension() == Some("rrd".as_ref()))
                .count()
        })
    };
    let files: Vec<usize> = network.devices().iter().map(count).collect();
    let _ = std::fs::remove_dir_all(&directory);
    for output in [checked, polled].into_iter().flatten() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let made = |line: &&str| line.is_empty() || line.contains("I will create it now");
        assert!(output.status.success() && said.lines().all(|line| made(&line)), "{said}");
        let up = |device: &simnet::Device| {
            device.ports().filter(|port| port.role != simnet::Role::Down).count()
        };
        assert_eq!(files, network.devices().iter().map(up).collect::<Vec<_>>());
    }
}

#[test]
fn the_slow_answer_late_and_the_dead_never() {
    let network = SimulatedNetwork::start(&config(), system_clock).unwrap();
    let find = |wanted: fn(&Health) -> bool| {
        network.devices().iter().position(|device| wanted(&device.health)).unwrap()
    };
    let slow = find(|health| matches!(health, Health::Slow(_)));
    let dead = find(|health| *health == Health::Dead);
    let request = || Request::Get(vec![mib::SYS_NAME]);
    let answer = ask(&network, slow, Version::V2c, request()).unwrap();
    let took = answer.finished_at - answer.started_at;
    assert!(took >= Duration::from_millis(150), "{took:?}");
    assert_eq!(answer.transmissions, 1);
    let error = ask(&network, dead, Version::V2c, request()).unwrap_err();
    assert_eq!(error, RequestError::TimedOut { transmissions: 2, malformed: None });
}

#[test]
fn a_restart_starts_the_counters_again() {
    let seconds = Arc::new(AtomicU64::new(0));
    let clock = seconds.clone();
    let network = SimulatedNetwork::start(&config(), move || {
        MORNING + Duration::from_secs(clock.load(Ordering::Relaxed))
    })
    .unwrap();
    let rebooting = network
        .devices()
        .iter()
        .position(|device| matches!(device.health, Health::Rebooting(_)))
        .unwrap();
    let uplink = network.devices()[rebooting].ports().count() as u32;
    let (mut restarts, mut before) = (0, (0, 0));
    // Three quarters of an hour in steps of half a minute.
    for step in 0..90 {
        seconds.store(step * 30, Ordering::Relaxed);
        let oids = [mib::SYS_UP_TIME, cell(&mib::IF_HC_IN_OCTETS, uplink)];
        let values = get(&network, rebooting, &oids);
        let [Value::TimeTicks(ticks), Value::Counter64(octets)] = values[..] else {
            panic!("{values:?}");
        };
        assert!(ticks < 15 * 60 * 100);
        if step > 0 && ticks < before.0 {
            assert!(octets < before.1, "the counter went on: {octets} after {}", before.1);
            restarts += 1;
        } else {
            assert!(octets >= before.1);
        }
        before = (ticks, octets);
    }
    assert_eq!(restarts, 3);
}

#[test]
fn strangers_get_nothing_and_a_stopped_network_is_gone() {
    let network = SimulatedNetwork::start(&config(), system_clock).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    socket.send_to(b"hello", network.devices()[0].address).unwrap();
    assert!(socket.recv(&mut [0; 100]).is_err());
    assert_eq!(network.answered(), 0);
    let address = network.devices()[0].address;
    drop(network);
    // Its address is free again.
    UdpSocket::bind(address).unwrap();
}

#[test]
fn thousands_of_devices_answer() {
    let config = Config { devices: 3000, ports: 4, ..config() };
    let network = SimulatedNetwork::start(&config, system_clock).unwrap();
    for device in [0, 249, 250, 1500, 2900] {
        let name = network.devices()[device].name.clone().into_bytes();
        assert_eq!(get(&network, device, &[mib::SYS_NAME]), [Value::OctetString(name)]);
    }
    let mut names: Vec<&str> = network.devices().iter().map(|device| &*device.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 3000, "each has a name of its own");
}

#[test]
fn impossible_networks_are_refused() {
    let outside = Config { address_base: [10, 0, 0, 0].into(), ..config() };
    let error = SimulatedNetwork::start(&outside, system_clock).unwrap_err().to_string();
    assert!(error.contains("is not a loopback address"), "{error}");
    let unhealthy = Config { dead_devices: 20, ..config() };
    assert!(SimulatedNetwork::start(&unhealthy, system_clock).is_err());
    let first = SimulatedNetwork::start(&config(), system_clock).unwrap();
    let udp_port = first.devices()[0].address.port();
    let error = SimulatedNetwork::start(&Config { udp_port, ..config() }, system_clock);
    let text = error.unwrap_err().to_string();
    assert!(text.starts_with(&format!("cannot listen on port {udp_port} of loopback")), "{text}");
}
