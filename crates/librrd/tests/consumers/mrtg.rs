//! Debian's mrtg in rrdtool mode, polling a real snmpd.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::library::{BOTH, Library, assert_same, place, text};

const WHAT: &str = "mrtg over RRDs with our library, polling snmpd";
/// Two counters that snmpd is told to answer with.
const IN: &str = ".1.3.6.1.4.1.8072.9999.9999.7.1";
const OUT: &str = ".1.3.6.1.4.1.8072.9999.9999.7.2";
const READINGS: [&str; 2] = ["123456789", "987654321"];

/// snmpd in a directory. It ends with the test, and by `timeout` in any case.
struct Agent {
    process: Child,
    address: SocketAddr,
}

impl Agent {
    fn start(place: &Path) -> Option<Self> {
        let (snmpd, snmpget) = (oracle::program("snmpd", WHAT)?, oracle::program("snmpget", WHAT)?);
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let [incoming, outgoing] = READINGS;
        let configuration = format!(
            "rocommunity public 127.0.0.1\nagentAddress udp:{address}\n\
             override {IN} counter {incoming}\noverride {OUT} counter {outgoing}\n"
        );
        fs::write(place.join("snmpd.conf"), configuration).unwrap();
        let process = Command::new("timeout")
            .arg("--foreground")
            .arg("120")
            .arg(snmpd)
            .args(["-f", "-C", "-c"])
            .arg(place.join("snmpd.conf"))
            .arg("-Lf")
            .arg(place.join("snmpd.log"))
            .env("SNMP_PERSISTENT_DIR", place)
            .env("MIBS", "")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let agent = Self { process, address };
        let deadline = Instant::now() + Duration::from_secs(20);
        while !agent.answers(&snmpget) {
            let log = fs::read_to_string(place.join("snmpd.log")).unwrap_or_default();
            assert!(Instant::now() < deadline, "snmpd does not answer: {log}");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(agent)
    }

    fn answers(&self, snmpget: &Path) -> bool {
        let output = Command::new(snmpget)
            .args(["-v2c", "-Oqvn", "-t1", "-r0", "-c", "public", &self.address.to_string(), IN])
            .env("MIBS", "")
            .output()
            .unwrap();
        text(&output).trim() == READINGS[0]
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

#[test]
fn mrtg_keeps_the_same() {
    let (Some(mrtg), Some(rrdtool)) =
        (oracle::program("mrtg", WHAT), oracle::program("rrdtool", WHAT))
    else {
        return;
    };
    let place = place();
    let Some(agent) = Agent::start(place.path()) else { return };
    let described = BOTH.map(|library| {
        let work = place.path().join(format!("{library:?}"));
        fs::create_dir(&work).unwrap();
        let file = work.join("agent.rrd");
        // The limit grows: mrtg tunes its file.
        let described = ["1250000", "12500000"].map(|max_bytes| {
            let configuration = configuration(&work, agent.address, max_bytes);
            poll(library, &mrtg, &configuration);
            poll(library, &mrtg, &configuration);
            info(&rrdtool, &file)
        });
        let [before, after] = described;
        assert!(after.contains(&format!("last_ds = \"{}\"", READINGS[0])), "{after}");
        assert!(after.contains("ds[ds0].max = 1.2500000000e+07"), "{after}");
        [before, after].map(|info| definition(&info))
    });
    let [debian, ours] = &described;
    assert_same(&debian[0], &ours[0]);
    assert_same(&debian[1], &ours[1]);
    assert_ne!(debian[0], debian[1]);
}

fn configuration(work: &Path, agent: SocketAddr, max_bytes: &str) -> PathBuf {
    let path = work.join("mrtg.cfg");
    let (address, port) = (agent.ip(), agent.port());
    let text = format!(
        "WorkDir: {}\nLogFormat: rrdtool\nInterval: 0:01\n\
         Target[agent]: {IN}&{OUT}:public@{address}:{port}::::2\n\
         MaxBytes[agent]: {max_bytes}\nTitle[agent]: agent\nPageTop[agent]: agent\n",
        work.display()
    );
    fs::write(&path, text).unwrap();
    path
}

/// One poll, in a second of its own.
fn poll(library: Library, mrtg: &Path, configuration: &Path) {
    std::thread::sleep(Duration::from_millis(1100));
    let mut command = library.command(mrtg);
    command.arg(configuration).args(["--debug=log", "--lock-file"]);
    command.arg(configuration.with_extension("lock")).env("LANG", "C");
    let said = library.said(&mut command);
    assert!(said.contains("RRDs::update"), "{said}");
    assert!(!said.contains("ERROR"), "{library:?}: {said}");
}

fn info(rrdtool: &Path, file: &Path) -> String {
    let output = Command::new(rrdtool).arg("info").arg(file).env("LC_ALL", "C").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

/// What `info` tells but for what depends on the moment and the place.
fn definition(info: &str) -> String {
    let changing = ["filename", "last_update", "cur_row", ".value", "unknown_"];
    let stays = |line: &&str| !changing.iter().any(|word| line.contains(word));
    info.lines().filter(stays).map(|line| format!("{line}\n")).collect()
}
