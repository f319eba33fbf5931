//! `gyre rrdcached --web`: pages over the databases that a daemon serves.
#![allow(clippy::disallowed_methods)] // it starts daemons and is their client

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");
const PATIENCE: Duration = Duration::from_secs(30);

/// A daemon with web pages; it is killed when dropped.
pub(crate) struct Daemon {
    process: Child,
    socket: PathBuf,
    pub(crate) port: u16,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended
        let _ = self.process.wait();
    }
}

impl Daemon {
    pub(crate) fn start(room: &Path, more: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (base, socket) = (room.join("base"), room.join("sock"));
        let web = format!("127.0.0.1:{port}");
        let mut command = Command::new(GYRE);
        command.args(["rrdcached", "-g", "--web", &web, "-l"]).arg(&socket);
        command.arg("-b").arg(&base).arg("-p").arg(room.join("pid")).args(more);
        let process = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let daemon = Self { process, socket, port };
        let start = Instant::now();
        let is_ready = || {
            let web = TcpStream::connect(("127.0.0.1", port)).is_ok();
            web && UnixStream::connect(&daemon.socket).is_ok()
        };
        while !is_ready() {
            assert!(start.elapsed() < PATIENCE, "the daemon shows no pages");
            std::thread::sleep(Duration::from_millis(5));
        }
        daemon
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(process, signal).unwrap();
    }

    pub(crate) fn tell(&self, line: &str) {
        let mut stream = UnixStream::connect(&self.socket).unwrap();
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut reply = [0; 200];
        let count = stream.read(&mut reply).unwrap();
        let reply = String::from_utf8_lossy(&reply[..count]).into_owned();
        assert!(reply.starts_with('0') || reply.starts_with('1'), "{line}: {reply}");
    }

    /// The status line, headers and body.
    fn get(&self, path: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn page(&self, path: &str) -> String {
        let page = self.get(path, "localhost");
        assert!(page.starts_with("HTTP/1.1 200 "), "{path}: {page}");
        page
    }

    fn is_missing(&self, path: &str) -> bool {
        self.get(path, "localhost").starts_with("HTTP/1.1 404 ")
    }
}

/// Creates and updates databases while pages show them.
fn show(room: &Path, more: &[&str]) {
    std::fs::create_dir_all(room.join("base/dir")).unwrap();
    std::fs::write(room.join("outside.rrd"), "").unwrap();
    let daemon = Daemon::start(room, more);
    daemon.page("/");
    let now = Command::new("date").arg("+%s").output().unwrap();
    let now: i64 = String::from_utf8(now.stdout).unwrap().trim().parse().unwrap();
    for name in ["top.rrd", "dir/below.rrd", "dir/<odd>:1.rrd"] {
        let sources = "DS:in:GAUGE:600:U:U DS:out:GAUGE:600:U:U RRA:LAST:0.5:1:500";
        daemon.tell(&format!("CREATE {name} -b {} -s 60 {sources}", now - 3600));
        let samples: Vec<String> =
            (1..50).map(|nth| format!("{}:{nth}:-{nth}", now - 3600 + 60 * nth)).collect();
        daemon.tell(&format!("UPDATE {name} {}", samples.join(" ")));
    }
    let top = daemon.page("/");
    assert!(top.contains("href=\"/db/top.rrd\"") && top.contains("href=\"/dir/dir\""), "{top}");
    assert!(!top.contains("below.rrd"), "{top}");
    let below = daemon.page("/dir/dir");
    assert!(below.contains("href=\"/db/dir%2Fbelow.rrd\""), "{below}");
    let last = daemon.page("/api/databases/dir%2Fbelow.rrd/last");
    // The newest row, of pending or written samples.
    let is_newest = |text: &str, sign| {
        ["48", "49"].iter().any(|newest| text.contains(&format!("{sign}{newest}.")))
    };
    assert!(is_newest(&last, "\"in\":") && is_newest(&last, "\"out\":-"), "{last}");
    let names = daemon.page("/api/databases?q=dir/*");
    assert!(names.contains(r#"["dir/<odd>:1.rrd","dir/below.rrd"]"#), "{names}");
    let top = daemon.page("/api/top?series=in&by=max&n=1");
    assert!(is_newest(&top, "\"value\":"), "{top}");
    let page = daemon.page("/db/dir%2Fbelow.rrd?period=hour");
    for source in ["in", "out"] {
        let graph = format!("/graph/dir%2Fbelow.rrd/{source}/hour.svg");
        assert!(page.contains(&graph), "{page}");
        let image = daemon.page(&graph);
        // The newest row, of pending or written samples, in the legend.
        let sign = if source == "in" { "" } else { "-" };
        let newest = ["48", "49"].map(|value| format!("Current {sign}{value}."));
        let shows_it = newest.iter().any(|newest| image.contains(newest));
        assert!(image.contains("<svg") && shows_it, "{image}");
    }
    assert!(daemon.page("/db/dir%2F%3Codd%3E%3A1.rrd").contains("<h1>dir/&lt;odd&gt;:1.rrd</h1>"));
    assert!(daemon.page("/graph/dir%2F%3Codd%3E%3A1.rrd/in/hour.svg").contains("Current 4"));
    for missing in [
        "/db/none.rrd",
        "/dir/none",
        "/graph/top.rrd/none/day.svg",
        "/graph/top.rrd/in/day.gif",
        "/db/..%2Foutside.rrd",
        "/db/%2Fetc%2Fpasswd",
        "/dir/..",
        "/dir/%2E%2E",
        "/dir/dir%2F..%2F..",
        "/status",
    ] {
        assert!(daemon.is_missing(missing), "{missing}: {}", daemon.get(missing, "localhost"));
    }
    let behind = daemon.page("/?from=e");
    assert!(behind.contains("/db/top.rrd") && !behind.contains("\"/dir/dir\""), "{behind}");
    assert!(daemon.get("/", "stranger.example").starts_with("HTTP/1.1 421 "));
    // The daemon ends in good order although a page's connection is open.
    let _open = TcpStream::connect(("127.0.0.1", daemon.port)).unwrap();
    let mut daemon = daemon;
    daemon.signal(rustix::process::Signal::TERM);
    assert!(daemon.process.wait().unwrap().success());
    assert!(!daemon.socket.exists());
}

#[test]
fn files_are_shown() {
    let room = tempfile::tempdir().unwrap();
    show(&room.path().canonicalize().unwrap(), &[]);
}

#[test]
fn files_are_shown_where_nothing_else_may_be_reached() {
    let room = tempfile::tempdir().unwrap();
    let room = room.path().canonicalize().unwrap();
    show(&room, &["-B", "-R"]);
}

#[test]
fn a_ring_store_is_shown() {
    let room = tempfile::tempdir().unwrap();
    let room = room.path().canonicalize().unwrap();
    let store = room.join("store");
    show(&room, &["--store", store.to_str().unwrap()]);
}

#[test]
fn data_is_reached_where_the_protocol_reaches_it() {
    let room = tempfile::tempdir().unwrap();
    let room = room.path().canonicalize().unwrap();
    for directory in ["base", "elsewhere"] {
        std::fs::create_dir(room.join(directory)).unwrap();
    }
    let layout = "-b 1699999800 -s 60 DS:in:GAUGE:600:U:U RRA:LAST:0.5:1:500";
    let daemon = Daemon::start(&room, &["-B"]);
    for name in ["a.rrd", "own.rrd"] {
        daemon.tell(&format!("CREATE {name} {layout}"));
    }
    drop(daemon);
    std::fs::rename(room.join("base/a.rrd"), room.join("elsewhere/a.rrd")).unwrap();
    std::os::unix::fs::symlink("../elsewhere/a.rrd", room.join("base/link.rrd")).unwrap();
    for (words, is_open) in [(&["-B"][..], false), (&[], true)] {
        let daemon = Daemon::start(&room, words);
        for path in ["/api/databases/link.rrd", "/api/databases/link.rrd/last", "/db/link.rrd"] {
            assert_eq!(daemon.is_missing(path), !is_open, "{words:?} {path}");
        }
        assert_eq!(daemon.page("/api/databases").contains("link.rrd"), is_open, "{words:?}");
        let series = daemon.page("/api/v1/series?match[]=in");
        assert_eq!(series.matches("\"in\"").count(), 1 + usize::from(is_open), "{series}");
        let found = daemon.page("/metrics/find?query=*");
        assert_eq!(found.contains("link"), is_open, "{found}");
        if is_open {
            // What waits for the file is told by each of its names.
            let file = room.join("elsewhere/a.rrd");
            daemon.tell(&format!("UPDATE {} 1699999860:7 1699999920:8", file.display()));
            let last = daemon.page("/api/databases/link.rrd/last");
            assert!(last.contains("\"in\":8.0"), "{last}");
            let rows = daemon.page("/api/v1/query?query=in&time=1699999920");
            assert!(rows.contains("[1699999920,\"8\"]"), "{rows}");
        }
    }
}

#[test]
fn pages_have_a_place_or_there_is_no_daemon() {
    let room = tempfile::tempdir().unwrap();
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = busy.local_addr().unwrap().to_string();
    let socket = room.path().join("sock");
    let mut command = Command::new(GYRE);
    command.args(["rrdcached", "-g", "--web", &address, "-l"]).arg(&socket);
    command.arg("-p").arg(room.path().join("pid")).arg("-b").arg(room.path());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let told = format!("listening on {address} for web pages: Address already in use\n");
    assert!(output.status.code() == Some(1) && said.ends_with(&told), "{said}");
    assert!(!socket.exists());
}

#[test]
fn every_request_for_data_is_as_its_document_describes() {
    let Some(python) = oracle::python_of_tests("requests for data tried by schemathesis") else {
        return;
    };
    let room = tempfile::tempdir().unwrap();
    std::fs::create_dir(room.path().join("base")).unwrap();
    let daemon = Daemon::start(room.path(), &["-B"]);
    daemon.tell("CREATE a.rrd -b 1699999800 -s 60 DS:in:GAUGE:600:U:U RRA:LAST:0.5:1:500");
    let configuration = "[parameters]\n\"path.name\" = \"a.rrd\"\n\"query.series\" = \"in\"\n";
    std::fs::write(room.path().join("schemathesis.toml"), configuration).unwrap();
    let mut command = Command::new(python.with_file_name("schemathesis"));
    let document = format!("http://127.0.0.1:{}/api/openapi.json", daemon.port);
    // Events have no end, and times have a language that no pattern describes.
    command.args(["run", &document, "--exclude-path", "/api/events", "--max-examples", "10"]);
    command.args(["--exclude-checks", "positive_data_acceptance", "--no-color", "--seed", "1"]);
    let done = command.current_dir(room.path()).stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    assert!(told.contains("Tested: 5") && told.contains("No issues found"), "{told}");
}

#[test]
fn promtool_finds_nothing_wrong_with_the_metrics_of_a_daemon() {
    let room = tempfile::tempdir().unwrap();
    let store = room.path().join("store").display().to_string();
    for words in [&[][..], &["--store", &store]] {
        std::fs::create_dir_all(room.path().join("base")).unwrap();
        let daemon = Daemon::start(room.path(), words);
        daemon.tell("CREATE a.rrd -b 1699999800 -s 60 DS:in:GAUGE:600:U:U RRA:LAST:0.5:1:500");
        daemon.tell("UPDATE a.rrd 1699999860:7");
        let store = daemon.page("/store");
        assert!(store.contains("What this daemon counts"));
        let page = daemon.page("/metrics");
        let (head, metrics) = page.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("text/plain; version=0.0.4"), "{head}");
        for line in ["gyre_daemon_updates_total 1\n", "gyre_daemon_databases 1\n"] {
            assert!(metrics.contains(line), "{metrics}");
        }
        // As many as STATS has lines, and the program.
        let mut stream = UnixStream::connect(&daemon.socket).unwrap();
        stream.write_all(b"STATS\nQUIT\n").unwrap();
        let mut stats = String::new();
        stream.read_to_string(&mut stats).unwrap();
        let count = metrics.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(count, stats.lines().count(), "{metrics}{stats}");
        if let Some(promtool) = oracle::program("promtool", "the metrics of a daemon") {
            let said = checked(&promtool, metrics);
            assert_eq!(said, "", "{metrics}");
        }
    }
}

/// What promtool says about metrics: nothing if they are as they should be.
fn checked(promtool: &Path, metrics: &str) -> String {
    let mut command = Command::new(promtool);
    command.args(["check", "metrics"]).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("promtool starts");
    child.stdin.take().unwrap().write_all(metrics.as_bytes()).expect("promtool reads");
    let output = child.wait_with_output().expect("promtool ends");
    assert_eq!(output.status.success(), output.stderr.is_empty());
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}
