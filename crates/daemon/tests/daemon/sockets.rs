//! Sockets: of either kind, with modes, groups and commands of their own, made here or by systemd.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};

use crate::room::{Client, Daemon, OURS, Room, wait_until};

#[test]
fn each_socket_is_as_the_options_before_it_say() {
    let room = Room::new();
    let (open, closed) = (room.path("run/open"), room.path("closed"));
    let group = rustix::process::getgid().as_raw().to_string();
    let words = [
        "-l",
        open.to_str().unwrap(),
        "-m",
        "0600",
        "-P",
        "PING,STATS",
        "-l",
        closed.to_str().unwrap(),
        "-m",
        "666",
        "-s",
        &group,
    ];
    let _daemon = room.start(OURS, &words);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&room.socket()), 0o666);
    assert_eq!(mode(&closed), 0o600);
    assert_eq!(std::fs::metadata(room.socket()).unwrap().gid().to_string(), group);
    let denied = "-1 Permission denied.\n";
    assert_eq!(Client::connect(&open).ask("FLUSHALL"), "0 Started flush.\n");
    assert_eq!(Client::connect(&closed).ask("FLUSHALL"), denied);
    assert_eq!(room.client().ask("FLUSHALL"), denied);
}

#[test]
fn a_group_alone_gives_it_the_socket() {
    let room = Room::new();
    let group = rustix::process::getgid().as_raw().to_string();
    let _daemon = room.start(OURS, &["-s", &group]);
    assert_eq!(std::fs::metadata(room.socket()).unwrap().mode() & 0o777, 0o760);
}

/// The kernel takes paths of 107 bytes.
#[test]
fn a_socket_in_a_directory_of_200_bytes_is_listened_on() {
    let room = Room::new();
    let directory = room.path(&"d".repeat(200));
    let socket = directory.join("socket");
    let address = format!("unix:{}", socket.display());
    let short = |file: &std::path::Path| rrdcached::SocketName::of(file).unwrap();
    let ask = || Client::connect(short(&socket).path()).ask("PING");
    let group = rustix::process::getgid().as_raw().to_string();
    let words = ["-m", "600", "-s", &group, "-l", &address];
    let daemon = room.start(OURS, &words);
    assert_eq!(ask(), "0 PONG\n");
    assert_eq!(std::fs::metadata(&socket).unwrap().mode() & 0o777, 0o600);
    // One that was left by a daemon that was killed is replaced, and an end removes it.
    drop(daemon);
    assert!(socket.exists() && UnixStream::connect(short(&socket).path()).is_err());
    let daemon = room.start(OURS, &words);
    assert_eq!(ask(), "0 PONG\n");
    assert!(daemon.end().success() && !socket.exists());
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn ask(address: &str, line: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    writeln!(stream, "{line}").ok()?;
    let mut reply = String::new();
    BufReader::new(stream).read_line(&mut reply).ok()?;
    Some(reply)
}

#[test]
fn networks_are_listened_on() {
    let room = Room::new();
    let (four, six, all) = (free_port(), free_port(), free_port());
    let has_six = TcpListener::bind("[::1]:0").is_ok();
    let mut words =
        vec!["-l".to_owned(), format!("127.0.0.1:{four}"), "-l".into(), format!(":{all}")];
    if has_six {
        words.extend(["-l".into(), format!("[::1]:{six}")]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let _daemon = room.start(OURS, &words);
    for port in [four, all] {
        assert_eq!(ask(&format!("127.0.0.1:{port}"), "PING").as_deref(), Some("0 PONG\n"));
    }
    if has_six {
        for port in [six, all] {
            assert_eq!(ask(&format!("[::1]:{port}"), "PING").as_deref(), Some("0 PONG\n"));
        }
    }
}

/// The daemon by sockets that are handed over as systemd does: from descriptor 3 on.
fn activated(room: &Room, listener: OwnedFd, words: &[&str]) -> Daemon {
    let program = "exec 3<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"";
    let daemon = room.command(OURS, words);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", program]).arg(daemon.get_program()).args(daemon.get_args());
    command.stdin(Stdio::from(listener)).stdout(Stdio::null()).stderr(Stdio::null());
    Daemon { child: command.spawn().unwrap() }
}

#[test]
fn systemd_may_hand_over_a_socket() {
    let room = Room::new();
    let path = room.path("activated");
    let listener = UnixListener::bind(&path).unwrap();
    let daemon =
        activated(&room, OwnedFd::from(listener.try_clone().unwrap()), &["-g", "-P", "PING"]);
    let mut client = Client::connect(&path); // it waits for the daemon
    assert_eq!(client.ask("PING"), "0 PONG\n");
    assert_eq!(client.ask("STATS"), "-1 Permission denied.\n");
    // Nothing else is listened on, and what is not ours stays.
    assert!(daemon.end().success() && path.exists());
    let port = free_port();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let _daemon = activated(&room, OwnedFd::from(listener), &["-g"]);
    assert_eq!(ask(&format!("127.0.0.1:{port}"), "PING").as_deref(), Some("0 PONG\n"));
}

#[test]
fn a_socket_handed_over_is_served_in_the_background_too() {
    let room = Room::new();
    let path = room.path("activated");
    let listener = UnixListener::bind(&path).unwrap();
    let mut called = activated(&room, OwnedFd::from(listener), &[]);
    assert!(called.child.wait().unwrap().success());
    let mut client = Client::connect(&path);
    assert_eq!(client.ask("PING"), "0 PONG\n");
    crate::life::end_by_pid_file(&room);
}

#[test]
fn a_socket_that_a_daemon_left_gives_way_and_one_in_use_does_not() {
    let room = Room::new();
    drop(UnixListener::bind(room.socket()).unwrap());
    assert!(UnixStream::connect(room.socket()).is_err());
    let _daemon = room.start(OURS, &[]);
    let mut second = room.command(OURS, &["-g", "-l"]);
    let second = second.arg(room.socket()).arg("-p").arg(room.path("pid2")).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&second.stderr).contains("Address already in use"));
    wait_until("the first serves on", || room.client().ask("PING") == "0 PONG\n");
}
