//! Keys of gyre's own, which MRTG leaves alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::{Bench, COMMUNITY, Gyre, Programs, text};

/// The ifAlias of the loopback interface, whose index is 1.
const ALIAS: &str = "to the moon: 1&2";

fn alias(_: u16) -> String {
    format!("override 1.3.6.1.2.1.31.1.1.1.18.1 octet_str \"{ALIAS}\"\n")
}

/// Writes a configuration; `AGENT` in it is the bench's.
fn configure(bench: &Bench, lines: &str) -> PathBuf {
    let path = bench.path("mrtg.cfg");
    let agent = format!("{COMMUNITY}@{}:{}::::2", bench.agent.ip(), bench.agent.port());
    let head = format!(
        "WorkDir: {}\nLogFormat: rrdtool\nInterval: 0:01\nTitle[_]: t\nMaxBytes[_]: 1250000000\n",
        bench.path("databases").display()
    );
    std::fs::write(&path, head + &lines.replace("AGENT", &agent)).unwrap();
    path
}

/// The last readings of a target's database.
fn last(bench: &Bench, target: &str) -> String {
    let said = bench.rrdtool(&["lastupdate", &format!("databases/{target}.rrd")]);
    said.lines().last().unwrap().split_once(": ").unwrap().1.to_owned()
}

fn mrtg(bench: &Bench, configuration: &Path) -> String {
    let output = Command::new("timeout")
        .arg("20")
        .arg(&bench.programs.mrtg)
        .arg(configuration)
        .env("LANG", "C")
        .env("LC_ALL", "C")
        .output();
    text(&output.unwrap())
}

#[test]
fn an_interface_is_measured_by_its_alias() {
    let Some(programs) = Programs::find() else { return };
    let bench = Bench::with(programs, "alias", alias);
    let lines = format!(
        "Target[moon]: 4711:AGENT\ngyre*Alias[moon]: {ALIAS}\n\
         Target[number]: ifIndex#nothing&ifMtu#nothing:AGENT\ngyre*Alias[number]: {ALIAS}\n\
         Options[number]: gauge\n\
         gyre*Alias[_]: there is none\nTarget[mars]: 1:AGENT\n"
    );
    let path = configure(&bench, &lines);
    let before = bench.octets_in();
    let mut gyre = Gyre::start(&path, &["--once", "--rrd-files"]);
    gyre.said.wait_for("cycle 0: 2 targets polled, 1 missed");
    gyre.wait();
    let after = bench.octets_in();
    let moon = last(&bench, "moon");
    let octets: u64 = moon.split(' ').next().unwrap().parse().unwrap();
    assert!((before..=after).contains(&octets), "{before} {moon} {after}");
    assert!(last(&bench, "number").starts_with("1 "), "the index is that of the alias");
    assert_eq!(last(&bench, "mars"), "U U", "not interface 1, as Target has it");
    // MRTG leaves the keys alone: it measures what Target names.
    std::fs::remove_dir_all(bench.path("databases")).unwrap();
    std::fs::create_dir(bench.path("databases")).unwrap();
    let said = mrtg(&bench, &path);
    let mars = last(&bench, "mars");
    let octets: u64 = mars.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{said}"));
    assert!(octets >= after, "{mars} {said}");
    assert!(!said.contains("gyre*"), "{said}");
}

#[test]
fn a_database_has_the_interval_of_its_target_as_mrtg_makes_it() {
    let Some(programs) = Programs::find() else { return };
    let bench = Bench::with(programs, "interval", |_| String::new());
    for (key, interval) in
        [("7s", "0:07"), ("10s", "0:10"), ("5m", "5"), ("45m", "45"), ("1h", "60")]
    {
        let target = format!("Target[a]: 1:AGENT\ngyre*Interval[a]: {key}\n");
        let mut gyre = Gyre::start(&configure(&bench, &target), &["--once", "--rrd-files"]);
        gyre.wait();
        let ours = bench.definition("databases/a.rrd");
        std::fs::remove_file(bench.path("databases/a.rrd")).unwrap();
        // The last Interval counts.
        mrtg(&bench, &configure(&bench, &format!("Interval: {interval}\nTarget[a]: 1:AGENT\n")));
        assert_eq!(ours, bench.definition("databases/a.rrd"), "{key}");
        std::fs::remove_file(bench.path("databases/a.rrd")).unwrap();
    }
}

/// The highest rates that a database believes.
fn maxima(bench: &Bench, target: &str) -> Vec<f64> {
    let info = bench.rrdtool(&["info", &format!("databases/{target}.rrd")]);
    let lines = info.lines().filter(|line| line.contains("].max = "));
    lines.map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn maxima_follow_the_speed_of_an_interface_while_it_is_measured() {
    let Some(programs) = Programs::find() else { return };
    let Some(snmpset) = oracle::program("snmpset", super::super::WHAT) else { return };
    // The loopback interface, whose speed may be set.
    let bench = Bench::with(programs, "speed", |_| {
        "rwcommunity writer 127.0.0.1\n\
         override -rw 1.3.6.1.2.1.31.1.1.1.15.1 uinteger 1000\n\
         override 1.3.6.1.2.1.2.2.1.5.1 uinteger 1000000000\n"
            .to_owned()
    });
    let lines = "gyre*MaxBytes[_]: speed\n\
        Target[a]: 1:AGENT\nUnscaled[a]: d\n\
        Target[b]: #lo:AGENT\nAbsMax[b]: 2000000000\n\
        Target[c]: 1:AGENT\nMaxBytes1[c]: 77\nSnmpOptions[c]: timeout=>1\n";
    let path = configure(&bench, lines);
    let mut gyre = Gyre::start(&path, &["--cycles=30", "--rrd-files"]);
    let page = gyre.said.wait_for("web pages at http://");
    let address = page.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned();
    gyre.said.wait_for("the maxima of ");
    gyre.said.wait_for("cycle 1: 3 targets polled, 0 missed");
    assert_eq!(maxima(&bench, "a"), [125e6, 125e6]);
    assert_eq!(maxima(&bench, "b"), [2e9, 2e9], "AbsMax is more");
    assert_eq!(maxima(&bench, "c"), [77.0, 125e6], "one has its own");
    // The page shows a cycle a moment after the line about it.
    let shows = |_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        super::super::get(&address, "/t/a").contains(" % of 125 M")
    };
    assert!((0..100).any(shows), "{}", super::super::get(&address, "/t/a"));
    // The interface becomes a hundred times faster.
    let set = Command::new("timeout")
        .arg("20")
        .arg(snmpset)
        .args(["-v2c", "-c", "writer", &bench.agent.to_string()])
        .args(["1.3.6.1.2.1.31.1.1.1.15.1", "u", "100000"])
        .env("MIBS", "")
        .output()
        .unwrap();
    assert!(set.status.success(), "{}", text(&set));
    gyre.said.wait_for("the speed of their interfaces");
    gyre.said.wait_for("0 missed");
    assert_eq!(maxima(&bench, "a"), [125e8, 125e8]);
    assert_eq!(maxima(&bench, "b"), [125e8, 125e8], "AbsMax is less now");
    assert!(super::super::get(&address, "/t/a").contains(" % of 12.5 G"));
    gyre.process.signal("-TERM");
    gyre.wait();
    // A run that begins has nothing to change, nor to remark on.
    let mut gyre = Gyre::start(&path, &["--once", "--rrd-files"]);
    gyre.wait();
    let said = gyre.said.read_rest();
    assert!(said.contains("cycle 0: 3 targets polled") && !said.contains("maxim"), "{said}");
}

/// snmpd over TCP, too, with a user of SNMPv3.
fn over_tcp(port: u16) -> String {
    format!(
        "agentAddress tcp:127.0.0.1:{port}\ncreateUser far SHA-256 \"a quiet secret\" AES\n\
         rouser far priv\n"
    )
}

#[test]
fn an_agent_is_asked_over_tcp() {
    let Some(programs) = Programs::find() else { return };
    let bench = Bench::with(programs, "tcp", over_tcp);
    let (host, port) = (bench.agent.ip(), bench.agent.port());
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let lines = format!(
        "Target[near]: 1:AGENT\ngyre*Transport[_]: tcp\nTarget[far]: 1:AGENT\n\
         Target[user]: 1:x@{host}:{port}:::::3\nEnableSnmpV3: yes\n\
         SnmpOptions[user]: username=>'far',authprotocol=>'sha256',authpassword=>'a quiet secret',\
         privprotocol=>'aes',privpassword=>'a quiet secret'\n\
         Target[nobody]: 1:p@{host}:{nobody}\n"
    );
    let lines = lines.replace(":::::3", "::::3");
    let path = configure(&bench, &lines);
    let before = bench.octets_in();
    let mut gyre = Gyre::start(&path, &["--once", "--rrd-files"]);
    let line = gyre.said.wait_for("cycle 0: 3 targets polled, 1 missed; 3 of 4 devices answered");
    gyre.wait();
    let after = bench.octets_in();
    let expected = format!("tcp:{host}:{nobody}: tcp: cannot connect: Connection refused");
    assert!(line.contains(&expected), "{line}");
    for target in ["near", "far", "user"] {
        let read = last(&bench, target);
        let octets: u64 = read.split(' ').next().unwrap().parse().expect(&read);
        assert!((before..=after).contains(&octets), "{target}: {before} {read} {after}");
    }
}
