//! `gyre run` from end to end: it polls Debian's snmpd with a configuration that Debian's cfgmaker
//! wrote, and the results are compared with Debian's rrdtool and mrtg.
#![allow(clippy::disallowed_methods)] // The oracles are processes.

mod alarms;
mod said;
mod snmpd_cases;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use said::Said;

const WHAT: &str = "gyre run against a real agent, judged by rrdtool and mrtg";
const COMMUNITY: &str = "kept-quiet-7f3a";
/// ifHCInOctets of the loopback interface.
const OCTETS_IN: &str = "1.3.6.1.2.1.31.1.1.1.6.1";

/// The paths of the programs; none if one is missing.
struct Programs {
    snmpd: PathBuf,
    snmpget: PathBuf,
    cfgmaker: PathBuf,
    rrdtool: PathBuf,
    mrtg: PathBuf,
}

impl Programs {
    fn find() -> Option<Self> {
        Some(Self {
            snmpd: oracle::program("snmpd", WHAT)?,
            snmpget: oracle::program("snmpget", WHAT)?,
            cfgmaker: oracle::program("cfgmaker", WHAT)?,
            rrdtool: oracle::program("rrdtool", WHAT)?,
            mrtg: oracle::program("mrtg", WHAT)?,
        })
    }
}

/// A process that ends with the test, or in any case by `timeout`.
struct Process(Child);

impl Process {
    fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.0.id().to_string()]).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let _ = Command::new("kill").arg(self.0.id().to_string()).status();
            let _ = self.0.wait();
        }
    }
}

/// A directory with a running snmpd.
struct Bench {
    programs: Programs,
    directory: PathBuf,
    agent: SocketAddr,
    _snmpd: Process,
}

impl Bench {
    fn new(programs: Programs) -> Self {
        Self::with(programs, "run", |_| String::new())
    }

    /// A bench of this name, whose agent has more lines in its configuration. They are made from
    /// its port.
    fn with(programs: Programs, name: &str, more: impl Fn(u16) -> String) -> Self {
        let agent = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let directory = std::env::temp_dir().join(format!("gyre-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(directory.join("databases")).unwrap();
        let config = directory.join("snmpd.conf");
        let text = format!(
            "rocommunity {COMMUNITY} 127.0.0.1\nagentAddress udp:{agent}\n{}",
            more(agent.port())
        );
        std::fs::write(&config, text).unwrap();
        let snmpd = Command::new("timeout")
            .arg("60")
            .arg(&programs.snmpd)
            .args(["-f", "-C", "-c"])
            .arg(&config)
            .arg("-Lf")
            .arg(directory.join("snmpd.log"))
            .env("SNMP_PERSISTENT_DIR", &directory)
            .env("MIBS", "")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let bench = Self { programs, directory, agent, _snmpd: Process(snmpd) };
        let deadline = Instant::now() + Duration::from_secs(10);
        while bench.try_octets_in().is_none() {
            assert!(Instant::now() < deadline, "snmpd does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn try_octets_in(&self) -> Option<u64> {
        let output = Command::new(&self.programs.snmpget)
            .args(["-v2c", "-Oqvn", "-t1", "-r0", "-c", COMMUNITY])
            .args([&self.agent.to_string(), OCTETS_IN])
            .env("MIBS", "")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    }

    /// The answer of snmpget.
    fn octets_in(&self) -> u64 {
        self.try_octets_in().expect("snmpd answers")
    }

    /// The configuration that cfgmaker writes for the agent, with an interval of a second.
    fn cfgmaker(&self, work_directory: &Path) -> String {
        let output = Command::new("timeout")
            .arg("20")
            .arg(&self.programs.cfgmaker)
            .args(["--global", &format!("WorkDir: {}", work_directory.display())])
            .args(["--global", "LogFormat: rrdtool", "--global", "Interval: 0:01"])
            .args(["--ifref=name", "--if-filter=1", "--no-down"])
            .arg(format!("--snmp-options=:{}::::2", self.agent.port()))
            .arg(format!("{COMMUNITY}@{}", self.agent.ip()))
            .env("LANG", "C")
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn rrdtool(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.programs.rrdtool)
            .args(arguments)
            .current_dir(&self.directory)
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output));
        text(&output)
    }

    /// The output of `rrdtool info`, without the file's name and what an update changes.
    fn definition(&self, file: &str) -> String {
        definition_in(&self.rrdtool(&["info", file]))
    }
}

/// What an update does not change of the output of `rrdtool info`.
fn definition_in(info: &str) -> String {
    let changing =
        ["filename", "last_update", "cur_row", "last_ds", "value", "unknown_", "cdp_prep"];
    let stays = |line: &&str| !changing.iter().any(|word| line.contains(word));
    info.lines().filter(stays).collect::<Vec<_>>().join("\n")
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// A running `gyre run`, and its output.
struct Gyre {
    process: Process,
    said: Said,
}

impl Gyre {
    fn start(configuration: &Path, more: &[&str]) -> Self {
        let mut process = Command::new("timeout")
            .args(["--foreground", "60", env!("CARGO_BIN_EXE_gyre"), "run"])
            .arg(configuration)
            .args(["--listen", "127.0.0.1:0"])
            .args(more)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Said::by(process.stderr.take().unwrap());
        Self { process: Process(process), said }
    }

    /// Waits for the end, which must be a success.
    fn wait(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        let status = loop {
            if let Some(status) = self.process.0.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(0), "{}", self.said.read_rest());
    }

    /// The numbers of the cycles reported so far.
    fn cycles(&self) -> Vec<u64> {
        let lines = self.said.text.lines().filter_map(|line| line.strip_prefix("cycle "));
        lines.map(|line| line.split(':').next().unwrap().parse().unwrap()).collect()
    }
}

/// The headers and body of a page.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    answer
}

#[test]
fn an_agent_is_polled_kept_and_shown() {
    let Some(programs) = Programs::find() else { return };
    let bench = Bench::new(programs);
    let configuration = bench.path("mrtg.cfg");
    let written = bench.cfgmaker(&bench.path("databases"));
    std::fs::write(&configuration, &written).unwrap();
    assert!(written.contains("Target[127.0.0.1_lo]"), "{written}");

    let before = bench.octets_in();
    let mut gyre = Gyre::start(&configuration, &["--rrd-files"]);
    let line = gyre.said.wait_for("web pages at http://");
    let address = line.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned();
    for _ in 0..4 {
        gyre.said.wait_for("1 targets polled, 0 missed; 1 of 1 devices answered");
    }

    let pages: Vec<String> =
        ["/", "/status", "/api/status.json", "/t/127.0.0.1_lo", "/graph/127.0.0.1_lo/day.svg"]
            .iter()
            .map(|path| get(&address, path))
            .collect();
    assert!(pages[0].contains("Traffic Analysis for lo"));
    assert!(pages[2].contains(&bench.agent.to_string()));
    assert!(pages[4].contains("<svg"));

    // An included file appears, then has an error, then is repaired.
    let included = bench.path("more.cfg");
    let target = written.replace("127.0.0.1_lo", "again");
    let target: String = target
        .lines()
        .filter(|line| line.contains("[again]"))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(
        &included,
        target.lines().filter(|line| !line.contains("PageTop")).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    let with_include = format!("{written}\nInclude: {}/mo*.cfg\n", bench.directory.display());
    std::fs::write(&configuration, with_include).unwrap();
    gyre.process.signal("-HUP");
    gyre.said.wait_for("2 targets polled, 0 missed");
    std::fs::write(&included, "Nonsense: 1\n").unwrap();
    gyre.process.signal("-HUP");
    let refusal = gyre.said.wait_for("the configuration stays as it was");
    assert!(refusal.contains("more.cfg:1"), "{refusal}");
    gyre.said.wait_for("2 targets polled, 0 missed");
    std::fs::write(&included, "").unwrap();
    gyre.process.signal("-HUP");
    gyre.said.wait_for(": 1 targets polled, 0 missed");

    let late = bench.octets_in();
    gyre.said.wait_for("1 targets polled");
    gyre.said.wait_for("1 targets polled");
    gyre.process.signal("-TERM");
    gyre.wait();
    let after = bench.octets_in();

    let cycles = gyre.cycles();
    assert!(cycles.iter().copied().eq(0..cycles.len() as u64), "no cycle is lost: {cycles:?}");
    let file = "databases/127.0.0.1_lo.rrd";
    let last = bench.rrdtool(&["lastupdate", file]);
    let counts = last.lines().last().unwrap().split_once(": ").unwrap().1;
    let count: u64 = counts.split(' ').next().unwrap().parse().unwrap();
    assert!(before <= late && (late..=after).contains(&count), "{late} {count} {after}");
    let rows = bench.rrdtool(&["fetch", file, "AVERAGE", "--start", "-30"]);
    let known = rows.lines().skip(2).filter(|row| !row.contains("nan")).count();
    assert!(known >= 5, "rows are there:\n{rows}");
    let draw = [
        "graph",
        "graph.png",
        "--start",
        "-60",
        &format!("DEF:in={file}:ds0:AVERAGE"),
        "AREA:in#00cc00:In",
    ];
    bench.rrdtool(&draw);
    assert!(bench.path("databases/again.rrd").exists());

    // mrtg makes the same file from the same configuration.
    std::fs::create_dir(bench.path("by-mrtg")).unwrap();
    let for_mrtg = bench.path("for-mrtg.cfg");
    let same = bench.path("databases").display().to_string();
    let other = bench.path("by-mrtg").display().to_string();
    std::fs::write(&for_mrtg, written.replace(&same, &other)).unwrap();
    let mrtg = Command::new("timeout")
        .arg("20")
        .arg(&bench.programs.mrtg)
        .arg(&for_mrtg)
        .env("LANG", "C")
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    assert!(mrtg.status.success(), "{}", text(&mrtg));
    let ours = bench.definition(file);
    assert_eq!(ours, bench.definition("by-mrtg/127.0.0.1_lo.rrd"));
    assert!(ours.contains("step = 1"), "{ours}");

    for shown in pages.iter().chain([&gyre.said.text]) {
        assert!(!shown.contains(COMMUNITY), "a community is shown");
    }
}

#[test]
fn once_polls_once_and_says_who_is_silent() {
    let Some(programs) = Programs::find() else { return };
    let _ = programs;
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let directory = std::env::temp_dir().join(format!("gyre-once-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let configuration = directory.join("mrtg.cfg");
    let port = nobody.local_addr().unwrap().port();
    let text = format!(
        "WorkDir: {}\nTarget[dead]: 1:{COMMUNITY}@127.0.0.1:{port}:0.2:2::2\n\
         Title[dead]: t\nMaxBytes[dead]: 1000\n",
        directory.display()
    );
    std::fs::write(&configuration, text).unwrap();
    let mut gyre = Gyre::start(&configuration, &["--once", "--rrd-files"]);
    let line = gyre.said.wait_for("cycle 0: 0 targets polled, 1 missed; 0 of 1 devices answered");
    assert!(line.contains(&format!("silent: 127.0.0.1:{port}")), "{line}");
    gyre.wait();
    assert!(directory.join("dead.rrd").exists());
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_wrong_configuration_is_one_clear_error() {
    let directory = std::env::temp_dir().join(format!("gyre-wrong-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let configuration = directory.join("mrtg.cfg");
    std::fs::write(&configuration, "WorkDir: /nowhere\nNonsense: 1\n").unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_gyre")).arg("run").arg(&configuration).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(said.contains("mrtg.cfg:2") && said.lines().count() == 1, "{said}");
    std::fs::remove_dir_all(&directory).unwrap();
}
