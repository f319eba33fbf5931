//! `gyre demo` as a visitor sees it: pages, graphs with a past, and a network that other programs
//! can poll; and it leaves nothing behind.
#![allow(clippy::disallowed_methods)] // It starts processes and reads pages over a socket.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const COMMUNITY: &str = "kept4quiet";
/// Pages appear much earlier; but other tests may keep the processors busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running demo.
struct Demo {
    process: Child,
    said: Arc<Mutex<String>>,
    listeners: Vec<JoinHandle<()>>,
}

impl Demo {
    fn start(arguments: &[&str], temporary: &Path) -> Self {
        // Names say how many devices there are.
        let has_names = arguments.iter().any(|word| word.starts_with("--names"));
        let devices: &[&str] = if has_names { &[] } else { &["--devices=6"] };
        let mut process = Command::new("timeout")
            .args(["120", env!("CARGO_BIN_EXE_gyre"), "demo", "--ports=8"])
            .args(devices)
            .args(["--interval=3", "--listen=127.0.0.1:0", "--community", COMMUNITY])
            .args(arguments)
            .env("TMPDIR", temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let streams: [Box<dyn Read + Send>; 2] =
            [Box::new(process.stdout.take().unwrap()), Box::new(process.stderr.take().unwrap())];
        let listeners = streams.map(|stream| listen(stream, said.clone()));
        Self { process, said, listeners: listeners.into() }
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Waits for these words on standard error; returns the rest of their line.
    fn wait_for(&self, words: &str) -> String {
        let begun = Instant::now();
        loop {
            let said = self.said();
            if let Some((_, after)) = said.split_once(words) {
                return after.lines().next().unwrap_or_default().to_owned();
            }
            assert!(begun.elapsed() < PATIENCE, "no {words:?} in:\n{said}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn wait(mut self) -> (ExitStatus, String) {
        let status = self.process.wait().unwrap();
        for listener in self.listeners.drain(..) {
            listener.join().unwrap();
        }
        (status, self.said())
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // `timeout` passes the signal on. A demo that has ended is not signalled.
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = Command::new("kill").arg(self.process.id().to_string()).status();
            let _ = self.process.wait();
        }
    }
}

fn listen(stream: impl Read + Send + 'static, said: Arc<Mutex<String>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            *said.lock().unwrap() += &(line + "\n");
        }
    })
}

/// The body of a page, which must exist.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.lines().next().unwrap().contains(" 200 "), "{path}: {head}");
    body.to_owned()
}

/// The first value in the output of `gyre fetch`: times and known rates.
fn rates(file: &Path, arguments: &[&str]) -> Vec<(i64, Option<f64>)> {
    let output = Command::new(env!("CARGO_BIN_EXE_gyre"))
        .arg("fetch")
        .arg(file)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let rows = text.lines().filter_map(|line| line.split_once(": "));
    let row = |(time, values): (&str, &str)| {
        let rate: f64 = values.split(' ').next().unwrap().parse().unwrap();
        (time.parse().unwrap(), Some(rate).filter(|rate| !rate.is_nan()))
    };
    rows.map(row).collect()
}

#[test]
fn a_visitor_sees_graphs_with_a_past_and_a_network_that_answers() {
    let temporary = tempfile::tempdir().unwrap();
    let place = temporary.path().join("place");
    let directory = place.to_str().unwrap();
    let demo = Demo::start(&["--for=20", "--udp-port=0", "--dir", directory], temporary.path());
    let agent = demo.wait_for("answer SNMP from ").split(' ').next().unwrap().to_owned();
    let web = demo.wait_for("web pages at http://").trim_end_matches('/').to_owned();
    read_with_snmpbulkwalk(&agent);
    demo.wait_for("cycle 3: ");

    let index = get(&web, "/");
    assert!(index.contains("ams-core1_1") && index.contains("simulated"), "{index}");
    let page = get(&web, "/t/ams-core1_1");
    let mut shown = index
        + &page
        + &get(&web, "/status")
        + &get(&web, "/api/targets.json")
        + &get(&web, "/api/status.json");
    for period in ["day", "week", "month", "year"] {
        let path = format!("/graph/ams-core1_1/{period}.svg");
        assert!(page.contains(&path), "{path}: {page}");
        let graph = get(&web, &path);
        assert_drawn(&graph, &path);
        shown += &graph;
    }
    assert!(!shown.contains(COMMUNITY));

    let (status, said) = demo.wait();
    assert!(status.success(), "{said}");
    assert!(!said.contains(COMMUNITY), "{said}");
    assert_past_and_present_are_one(&place.join("store/ams-core1/ams-core1_1.rrd"));
    assert_machine_shown_and_gone(&place, &said);
}

#[test]
fn many_names_have_a_quick_part_and_an_hour_of_the_others() {
    let temporary = tempfile::tempdir().unwrap();
    let place = temporary.path().join("place");
    let directory = place.to_str().unwrap();
    let demo = Demo::start(
        &["--names=440", "--ports=4", "--interval=60", "--udp-port=0", "--dir", directory],
        temporary.path(),
    );
    let web = demo.wait_for("web pages at http://").trim_end_matches('/').to_owned();
    let configuration = std::fs::read_to_string(place.join("demo.cfg")).unwrap();
    let names: Vec<&str> = configuration
        .lines()
        .filter_map(|line| line.strip_prefix("Target[")?.split(']').next())
        .filter(|name| {
            !demo.said().contains(&format!("shown as {}", name.split('_').next().unwrap()))
        })
        .collect();
    assert!((440..444).contains(&names.len()), "{}", names.len());
    // The 105th device is behind the first hundred, and before those that are ill.
    let [quick, slow] = ["ams-core1_", "edi-edge05_"]
        .map(|device| *names.iter().find(|name| name.starts_with(device)).unwrap());
    let known = |name: &str, arguments: &[&str]| {
        let (device, _) = name.split_once('_').unwrap();
        let file = place.join(format!("store/{device}/{name}.rrd"));
        let rows = rates(&file, &[&["AVERAGE"], arguments, &["--end=now"]].concat());
        rows.iter().filter(|(_, rate)| rate.is_some()).count()
    };
    let of_a_year = ["--start=end-400d", "--resolution=86400"];
    assert!(known(quick, &of_a_year) > 395, "{}", known(quick, &of_a_year));
    let of_an_hour = ["--start=end-2h", "--resolution=300"];
    assert!((11..=13).contains(&known(slow, &of_an_hour)), "{}", known(slow, &of_an_hour));
    for name in [quick, slow] {
        let page = get(&web, &format!("/t/{name}"));
        let notice = "The first 100 devices have a past of 14 months and are polled every 60 s; all \
                      others have a past of one hour and are polled every 5 min.";
        assert!(page.contains(notice), "{page}");
    }
}

/// The area of the incoming value reaches over nearly all of the 400 pixels, and has a step for most
/// of them: neighbours of one height are one step.
fn assert_drawn(graph: &str, about: &str) {
    assert!(graph.ends_with("</svg>\n") || graph.ends_with("</svg>"), "{about}: {graph}");
    let area = graph.split("<path ").find(|path| path.contains("fill=\"#00cc00\""));
    let area = area.expect("an area");
    let steps = area.matches('H').count();
    assert!(steps > 200, "{about}: {steps} steps in {graph}");
    let pixel = |text: &str| {
        let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.parse::<f64>().expect("a horizontal line has its end")
    };
    let ends: Vec<f64> = area.split('H').skip(1).map(pixel).collect();
    let reach = ends.iter().copied().fold(0.0, f64::max) - ends.iter().copied().fold(1e9, f64::min);
    assert!(reach > 350.0, "{about}: {reach} pixels in {graph}");
    assert!(!graph.contains("nan "), "{about}: {graph}");
}

fn assert_past_and_present_are_one(file: &Path) {
    for (seconds, row_seconds, fewest) in
        [(8 * 86_400, 1800, 380), (34 * 86_400, 7200, 400), (400 * 86_400, 86_400, 395)]
    {
        let start = format!("--start=end-{seconds}s");
        let resolution = row_seconds.to_string();
        let rows = rates(file, &["AVERAGE", &start, "--end=now", "--resolution", &resolution]);
        let known = rows.iter().filter(|(_, rate)| rate.is_some_and(|rate| rate > 0.0)).count();
        assert!(known >= fewest, "{known} of {} rows of {row_seconds} s", rows.len());
    }
    // The simulated past and the polls meet in the last minutes: there must be no gap and no spike.
    let rows = rates(file, &["MAX", "--start=end-200s", "--end=now", "--resolution=3"]);
    let last_known = rows.iter().rposition(|(_, rate)| rate.is_some()).unwrap();
    let rows = &rows[..=last_known];
    assert!(rows.len() > 50, "{rows:?}");
    for [before, after] in rows.array_windows() {
        let ratio = after.1.expect("no gap") / before.1.expect("no gap");
        assert!((0.7..1.4).contains(&ratio), "at {}: {ratio}: {rows:?}", after.0);
    }
}

fn read_with_snmpbulkwalk(agent: &str) {
    let Some(program) = oracle::program("snmpbulkwalk", "that it reads the demo's network") else {
        return;
    };
    let output = Command::new("timeout")
        .arg("30")
        .arg(program)
        .args(["-v2c", "-c", COMMUNITY, "-On", agent, "1.3.6.1.2.1"])
        .env("MIBS", "")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let counters = text.lines().filter(|line| line.contains(".31.1.1.1.6."));
    assert_eq!(counters.count(), 8, "{text}");
}

/// If snmpd is installed, the demo started it, polled it and ended it.
fn assert_machine_shown_and_gone(place: &Path, said: &str) {
    if oracle::program("snmpd", "that this machine is shown in the demo").is_none() {
        assert!(said.contains("snmpd is not installed"), "{said}");
        return;
    }
    let (_, name) = said.split_once("its interfaces are shown as ").expect(said);
    let name = name.lines().next().unwrap();
    let rows = rates(
        &place.join(format!("store/{name}/{name}_lo.rrd")),
        &["AVERAGE", "--start=end-20s", "--end=now", "--resolution=3"],
    );
    assert!(rows.iter().any(|(_, rate)| rate.is_some_and(|rate| rate > 0.0)), "{rows:?}");
    let configuration = std::fs::read_to_string(place.join("snmpd.conf")).unwrap();
    let (_, address) = configuration.split_once("udp:").unwrap();
    UdpSocket::bind(address.trim()).expect("snmpd has given its port back");
}

#[test]
fn a_signal_ends_it_and_nothing_stays() {
    let temporary = tempfile::tempdir().unwrap();
    let demo = Demo::start(&["--udp-port=0"], temporary.path());
    demo.wait_for("web pages at ");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 1);
    Command::new("kill").arg(demo.process.id().to_string()).status().unwrap();
    let (status, said) = demo.wait();
    // `timeout` has an exit code of its own for a signal only when its time is over.
    assert!(status.success(), "{status}: {said}");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

#[test]
fn a_port_that_is_taken_is_told() {
    let temporary = tempfile::tempdir().unwrap();
    let taken = UdpSocket::bind("127.16.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let port = format!("--udp-port={}", address.port());
    let (status, said) = Demo::start(&[&port], temporary.path()).wait();
    assert_eq!(status.code(), Some(1), "{said}");
    let port = address.port();
    assert!(said.contains(&format!("cannot listen on port {port} of loopback")), "{said}");
    assert!(said.contains("--udp-port"), "{said}");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}
