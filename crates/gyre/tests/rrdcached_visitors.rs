//! Who sees the pages of `gyre rrdcached --web`, and what is kept of their requests, as of
//! `gyre run`.
#![allow(clippy::disallowed_methods)] // it starts daemons and is their client

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::rrdcached_web::Daemon;

const PATIENCE: Duration = Duration::from_secs(30);

/// A room, its file of tokens and its log of requests.
struct Room {
    directory: tempfile::TempDir,
    token: String,
}

impl Room {
    /// A token `all`, and users of a proxy.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("base")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(["token", "new", "--name", "all"]).arg(directory.path().join("tokens"));
        let token = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let room = Self { directory, token: token.trim_end().to_owned() };
        room.let_in("anna read proxy\ncarl read proxy router/\n");
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn let_in(&self, line: &str) {
        let lines = fs::read_to_string(self.path("tokens")).unwrap() + line;
        fs::write(self.path("tokens"), lines).unwrap();
    }

    /// A daemon that the kernel holds to its own directories, and that believes this proxy.
    fn start(&self, proxy: &str) -> Daemon {
        let [tokens, requests, log] = ["tokens", "requests", "log"].map(|name| self.path(name));
        let files = [&tokens, &requests, &log].map(|path| path.to_str().unwrap());
        let users = ["--proxy-users", "X-Remote-User", "--proxy-from", proxy];
        let words = ["-B", "-V", "LOG_INFO", "--tokens", files[0], "--request-log", files[1]];
        Daemon::start(&self.path(""), &[&words[..], &["-o", files[2]], &users].concat())
    }

    fn lines(&self, name: &str, count: usize) -> Vec<Value> {
        let lines = self.wait(name, |text| text.lines().count() >= count);
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The text of a file, once it is so.
    fn wait(&self, name: &str, is_so: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let text = fs::read_to_string(self.path(name)).unwrap_or_default();
            if is_so(&text) {
                return text;
            }
            assert!(began.elapsed() < PATIENCE, "{name}: {text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The status of an answer to a request with this header.
fn status(daemon: &Daemon, path: &str, header: &str) -> u16 {
    let mut stream = TcpStream::connect(("127.0.0.1", daemon.port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let end = format!("{header}Host: localhost\r\nConnection: close\r\n\r\n");
    write!(stream, "GET {path} HTTP/1.1\r\n{end}").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text[9..12].parse().unwrap()
}

fn user(name: &str) -> String {
    format!("X-Remote-User: {name}\r\n")
}

#[test]
fn a_proxy_says_who_sees_the_pages_of_a_daemon() {
    let room = Room::new();
    let bearer = format!("Authorization: Bearer {}\r\n", room.token);
    let daemon = room.start("127.0.0.1,::1");
    for (header, expected) in
        [(&user("anna"), 200), (&user("bob"), 403), (&bearer, 200), (&String::new(), 401)]
    {
        assert_eq!(status(&daemon, "/", header), expected, "{header}");
    }
    // What is of all databases is not for those who see some.
    let metrics = [user("anna"), user("carl")].map(|user| status(&daemon, "/metrics", &user));
    assert_eq!(metrics, [200, 403]);
    // The file is read again although it lies outside the directories of the daemon.
    room.let_in("bob read proxy\n");
    daemon.signal(Signal::HUP);
    room.wait("log", |text| text.contains("the tokens are read anew: 4"));
    assert_eq!(status(&daemon, "/", &user("bob")), 200);
    drop(daemon);
    // What any other says in that header is passed over, and the log says so once.
    let daemon = room.start("192.0.2.1");
    for _ in 0..2 {
        assert_eq!(status(&daemon, "/", &user("anna")), 401);
    }
    let log = room.wait("log", |text| text.contains("is none of --proxy-from"));
    assert_eq!(log.matches("127.0.0.1 sends the header X-Remote-User").count(), 1, "{log}");
}

#[test]
fn requests_for_the_pages_of_a_daemon_are_logged_without_secrets() {
    let room = Room::new();
    let daemon = room.start("127.0.0.1");
    assert_eq!(status(&daemon, "/api/v1/query?query=secret", &user("anna")), 200);
    assert_eq!(status(&daemon, "/db/a.rrd", "Authorization: Bearer gyre_unknown\r\n"), 401);
    let lines = room.lines("requests", 2);
    let seen = |line: &Value| {
        ["path", "user", "client", "status"].map(|name| line[name].to_string()).join(" ")
    };
    assert_eq!(seen(&lines[0]), r#""/api/v1/query" "anna" "127.0.0.1" 200"#);
    assert_eq!(seen(&lines[1]), r#""/db/a.rrd" null "127.0.0.1" 401"#);
    let all = fs::read_to_string(room.path("requests")).unwrap();
    assert!(!all.contains("secret") && !all.contains("gyre_unknown"), "{all}");
    // What logrotate does.
    fs::rename(room.path("requests"), room.path("requests.1")).unwrap();
    daemon.signal(Signal::HUP);
    let began = Instant::now();
    while !room.path("requests").exists() {
        assert!(began.elapsed() < PATIENCE, "the log is not opened anew");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(status(&daemon, "/", &user("anna")), 200);
    assert_eq!(room.lines("requests", 1).len(), 1);
    assert_eq!(room.lines("requests.1", 2).len(), 2);
}

#[test]
fn a_log_that_cannot_be_written_and_a_header_that_cannot_be_are_refused() {
    let room = Room::new();
    let path = |name: &str| room.path(name).display().to_string();
    let refused = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(["rrdcached", "-g", "--web", "127.0.0.1:0", "-l", &path("sock")]);
        command.args(["-b", &path("base"), "-p", &path("pid")]).args(words);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(!Path::new(&path("sock")).exists());
        String::from_utf8(output.stderr).unwrap()
    };
    let told = refused(&["--request-log", "/none/requests"]);
    assert!(told.contains("--request-log /none/requests: No such file or directory"), "{told}");
    let proxy = ["--tokens", &path("tokens"), "--proxy-from", "::1", "--proxy-users", "a b"];
    let told = refused(&proxy);
    assert!(told.contains("--proxy-users: expected the name of a header, found 'a b'"), "{told}");
    let told = refused(&["--series", "/none/rules"]);
    assert!(told.contains("--series: /none/rules: cannot be read: No such file"), "{told}");
}

#[test]
fn rules_for_agents_are_read_again_where_the_kernel_holds_the_daemon() {
    let room = Room::new();
    let [intake, log] = ["intake.toml", "log"].map(|name| room.path(name));
    fs::write(&intake, "http = true\ncollectd = \"127.0.0.1:0\"\n").unwrap();
    let files = [&intake, &log].map(|path| path.to_str().unwrap());
    let words = ["-B", "-V", "LOG_INFO", "--intake", files[0], "-o", files[1]];
    let daemon = Daemon::start(&room.path(""), &words);
    // A name below a directory that is not there yet.
    let post = |line: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", daemon.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = line.len();
        write!(
            stream,
            "POST /write HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Length: {length}\r\n\r\n{line}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(post("new,host=a value=1"), "204");
    assert!(room.path("base/new/host=a.rrd").exists());
    // It lies outside the directories of the daemon, and so do collectd's types.
    let dropped =
        "http = true\ncollectd = \"127.0.0.1:0\"\n[[layout]]\nseries = \"b\"\ndrop = true\n";
    fs::write(&intake, dropped).unwrap();
    daemon.signal(Signal::HUP);
    room.wait("log", |text| text.contains("the rules for agents are read anew: 1"));
    assert_eq!(post("b value=1"), "204");
    assert!(!room.path("base/b").exists());
}
