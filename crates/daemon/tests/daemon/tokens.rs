//! Tokens: who may say what over TCP, and to whom a daemon listens at all.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;

use rustix::process::Signal;

use access::Token;

use crate::room::{Client, Daemon, OURS, Room, SOURCES, wait_until};

pub(crate) const READER: u8 = 1;
const WRITER: u8 = 2;
const ADMIN: u8 = 3;
const LIMITED: u8 = 4;
const UNKNOWN: u8 = 9;

pub(crate) fn token(seed: u8) -> Token {
    Token::of([seed; 32])
}

/// A daemon over files that asks for tokens, at a port of loopback.
struct Site {
    room: Room,
    daemon: Daemon,
    port: u16,
    tokens: PathBuf,
}

impl Site {
    fn start(words: &[&str]) -> Self {
        let room = Room::new();
        let tokens = room.path("tokens");
        write(&tokens, &["r read", "w write", "a admin", "l admin"]);
        let port = free_port();
        let (address, file) = (format!("127.0.0.1:{port}"), tokens.display().to_string());
        let all = [&["-l", &address, "--tokens", &file], words].concat();
        let daemon = room.start(OURS, &all);
        Self { room, daemon, port, tokens }
    }

    fn stranger(&self) -> Client<TcpStream> {
        Client::over(TcpStream::connect(("127.0.0.1", self.port)).unwrap())
    }

    fn known(&self, seed: u8) -> Client<TcpStream> {
        let mut client = self.stranger();
        assert_eq!(client.ask(&format!("AUTH {}", token(seed).reveal())), "0 Welcome\n");
        client
    }
}

/// The last of the names is for some databases only.
pub(crate) fn write(path: &std::path::Path, heads: &[&str]) {
    let seed = |head: &str| match head.as_bytes()[0] {
        b'r' => READER,
        b'w' => WRITER,
        b'a' => ADMIN,
        _ => LIMITED,
    };
    let line = |head: &&str| {
        let prefixes = if seed(head) == LIMITED { "router/ core-" } else { "" };
        format!("{head} {} {prefixes}\n", token(seed(head)).hash())
    };
    fs::write(path, heads.iter().map(line).collect::<String>()).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

pub(crate) fn log(room: &Room) -> String {
    fs::read_to_string(room.path("log")).unwrap_or_default()
}

pub(crate) const DENIED: &str = "-1 Permission denied.\n";

#[test]
fn commands_need_a_token_and_its_role() {
    let site = Site::start(&[]);
    let create = format!("CREATE a.rrd -s 60 -b 1000000000 {SOURCES}");
    let asks = |client: &mut Client<TcpStream>, lines: &[&str], is_taken: bool| {
        for line in lines {
            let reply = client.ask(line);
            assert_eq!(reply != DENIED, is_taken, "{line}: {reply}");
        }
    };
    let read = ["PING", "LAST a.rrd", "FIRST a.rrd 0"];
    let write = ["UPDATE a.rrd 1000000060:1:2", "FLUSH a.rrd", "FLUSHALL"];
    let admin = [&*create, "FORGET a.rrd", "SUSPEND a.rrd", "RESUME a.rrd", "SUSPENDALL"];
    let mut stranger = site.stranger();
    asks(&mut stranger, &[&read[..], &write, &admin, &["BATCH", "STATS", "QUEUE"]].concat(), false);
    assert!(stranger.ask("CALL LIST 5").starts_with("-1 "));
    let mut admin_client = site.known(ADMIN);
    asks(&mut admin_client, &[&admin[..1], &read, &write, &admin].concat(), true);
    let mut writer = site.known(WRITER);
    asks(&mut writer, &[&read[..], &write].concat(), true);
    asks(&mut writer, &admin, false);
    let mut reader = site.known(READER);
    asks(&mut reader, &read, true);
    asks(&mut reader, &[&write[..], &admin, &["BATCH"]].concat(), false);
    // What is no token here gives nothing, and takes what another gave.
    for wrong in [token(UNKNOWN).reveal(), "secret", "gyre_"] {
        let mut client = site.known(WRITER);
        let refused = "-1 This token is not known here.\n";
        assert_eq!(client.ask(&format!("AUTH {wrong}")), refused);
        assert_eq!(client.ask("PING"), DENIED);
    }
    // A socket of the file system asks for none.
    assert_eq!(site.room.client().ask("PING"), "0 PONG\n");
}

#[test]
fn prefixes_limit_the_databases_of_a_client() {
    let site = Site::start(&["-R", "-B"]);
    let mut all = site.known(ADMIN);
    let create = |name: &str| format!("CREATE {name} -s 60 -b 1000000000 {SOURCES}");
    for name in ["router/a.rrd", "switch/b.rrd", "core-1.rrd"] {
        assert_eq!(all.ask(&create(name)), "0 RRD created OK\n");
    }
    std::os::unix::fs::symlink(site.room.base().join("switch"), site.room.base().join("router/s"))
        .unwrap();
    let mut some = site.known(LIMITED);
    for name in ["router/a.rrd", "core-1.rrd"] {
        let updated = some.ask(&format!("UPDATE {name} 1000000060:1:2"));
        assert_eq!(updated, "0 errors, enqueued 1 value(s).\n", "{name}");
    }
    let base = site.room.base().display().to_string();
    for name in [
        "switch/b.rrd",
        "switch/none.rrd",
        "router/../switch/b.rrd",
        "router/s/b.rrd",
        "/etc/passwd",
        &format!("{base}/switch/b.rrd"),
        "core",
    ] {
        for line in [
            format!("UPDATE {name} 1000000060:1:2"),
            format!("FLUSH {name}"),
            format!("PENDING {name}"),
            format!("LAST {name}"),
            format!("INFO {name}"),
            format!("FETCH {name} AVERAGE"),
            format!("DUMP {name}"),
            format!("TUNE {name} --heartbeat a:5"),
            create(name),
            format!("{} -r {name}", create("router/new.rrd")),
            format!("{} -t {name}", create("router/new.rrd")),
        ] {
            let reply = some.ask(&line);
            assert!(
                reply.starts_with("-1 ") && reply.ends_with("Permission denied\n"),
                "{line}: {reply}"
            );
        }
    }
    assert_eq!(some.ask(&create("router/new.rrd")), "0 RRD created OK\n");
    for line in ["FLUSHALL", "STATS", "QUEUE", "SUSPENDALL", "RESUMEALL"] {
        assert_eq!(some.ask(line), DENIED, "{line}");
    }
    let listed = |client: &mut Client<TcpStream>, line: &str| {
        let reply = client.ask(line);
        let mut names: Vec<String> = reply.lines().skip(1).map(str::to_owned).collect();
        names.sort();
        names
    };
    assert_eq!(listed(&mut all, "LIST /"), ["core-1.rrd", "router", "switch"]);
    assert_eq!(listed(&mut some, "LIST /"), ["core-1.rrd", "router"]);
    let found = listed(&mut some, "LIST RECURSIVE /");
    assert_eq!(found, ["core-1.rrd", "router/a.rrd", "router/new.rrd"]);
    assert_eq!(some.ask("LIST /switch"), "-1 /switch: Permission denied\n");
}

#[test]
fn a_token_that_is_gone_counts_no_more_on_connections_either() {
    let site = Site::start(&[]);
    let (mut reader, mut writer) = (site.known(READER), site.known(WRITER));
    write(&site.tokens, &["w read", "a admin"]);
    site.daemon.signal(Signal::HUP);
    wait_until("the tokens are read again", || reader.ask("PING") == DENIED);
    assert_eq!(writer.ask("PING"), "0 PONG\n");
    assert_eq!(writer.ask("FLUSHALL"), DENIED);
    // A broken file changes nothing, and the daemon lives.
    fs::write(&site.tokens, "nonsense\n").unwrap();
    site.daemon.signal(Signal::HUP);
    wait_until("it says so", || log(&site.room).contains("the tokens stay as they were"));
    assert_eq!(writer.ask("PING"), "0 PONG\n");
    let log = log(&site.room);
    assert!(!log.contains(token(WRITER).reveal()), "{log}");
    assert!(site.daemon.end().success());
}

#[test]
fn rrdcached_itself_starts_where_others_reach_it_and_says_so() {
    let room = Room::new();
    let everywhere = format!("0.0.0.0:{}", free_port());
    // `rrdcached` itself is called by scripts that know no other way: it says so and starts.
    let mut command = room.command(OURS, &["-g", "-V", "LOG_WARNING", "-l", &everywhere]);
    let started = Daemon { child: command.stderr(Stdio::null()).spawn().unwrap() };
    wait_until("it listens", || {
        TcpStream::connect(everywhere.replace("0.0.0.0", "127.0.0.1")).is_ok()
    });
    let mut client =
        Client::over(TcpStream::connect(everywhere.replace("0.0.0.0", "127.0.0.1")).unwrap());
    assert_eq!(client.ask("PING"), "0 PONG\n");
    let log = log(&room);
    assert!(log.contains(&everywhere) && log.contains("nothing says who may ask"), "{log}");
    assert!(started.end().success());
}
