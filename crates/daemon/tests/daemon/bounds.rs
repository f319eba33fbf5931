//! What is bounded: descriptors, memory for replies, work for one line.

use std::process::{Command, Stdio};

use crate::room::{Client, Daemon, OURS, Room, wait_until};

/// The daemon with a hard limit of open descriptors.
fn start_with_descriptors(room: &Room, limit: usize) -> Daemon {
    let daemon = room.command(OURS, &["-g", "-l"]);
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("ulimit -n {limit}; exec \"$0\" \"$@\""));
    command.arg(daemon.get_program()).args(daemon.get_args()).arg(room.socket());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let daemon = Daemon { child: command.spawn().unwrap() };
    let listens = || std::os::unix::net::UnixStream::connect(room.socket()).is_ok();
    wait_until("the daemon listens", listens);
    daemon
}

#[test]
fn clients_leave_descriptors_for_files() {
    let room = Room::new();
    let _daemon = start_with_descriptors(&room, 64);
    let mut client = room.client();
    assert_eq!(client.ask("PING"), "0 PONG\n");
    let silent: Vec<Client> = (0..100).map(|_| room.client()).collect();
    for nth in 0..100 {
        let create = format!("CREATE {nth}.rrd -b 1000000000 -s 60 {}", crate::room::SOURCES);
        assert_eq!(client.ask(&create), "0 RRD created OK\n");
        let update = client.ask(&format!("UPDATE {nth}.rrd 1000000060:1:2"));
        assert_eq!(update, "0 errors, enqueued 1 value(s).\n");
        let flush = client.ask(&format!("FLUSH {nth}.rrd"));
        assert!(flush.starts_with("0 "), "{flush}");
    }
    drop(silent);
}

#[test]
fn clients_that_say_nothing_give_way() {
    let room = Room::new();
    let _daemon = room.start(OURS, &["--clients", "3"]);
    let mut first = room.client();
    assert_eq!(first.ask("PING"), "0 PONG\n");
    let _silent: Vec<Client> = (0..10).map(|_| room.client()).collect();
    for _ in 0..10 {
        assert_eq!(room.client().ask("PING"), "0 PONG\n");
    }
    assert_eq!(first.ask("PING"), "0 PONG\n");
}
