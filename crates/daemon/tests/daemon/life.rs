//! Start and end of the process.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::room::{Daemon, OURS, Room, wait_until};

fn pid(room: &Room) -> Pid {
    let text = std::fs::read_to_string(room.path("pid")).unwrap();
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

/// Ends a daemon in the background.
pub(crate) fn end_by_pid_file(room: &Room) {
    let process = pid(room);
    kill_process(process, Signal::TERM).unwrap();
    wait_until("the daemon ends", || test_kill_process(process).is_err());
}

#[test]
fn the_background_is_reached_once_the_sockets_are_there() {
    let room = Room::new();
    let mut command = room.command(OURS, &["-l"]);
    let output = command.arg(room.socket()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_eq!(room.client().ask("PING"), "0 PONG\n");
    let process = pid(&room);
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap();
    let session = stat.rsplit(')').next().unwrap().split_whitespace().nth(3).unwrap().to_owned();
    assert_eq!(session, process.as_raw_nonzero().to_string(), "it leads a session of its own");
    end_by_pid_file(&room);
    assert!(!room.path("pid").exists() && !room.socket().exists());
}

#[test]
fn a_start_that_fails_says_so_from_the_background() {
    let room = Room::new();
    let output = room.command(OURS, &["-l", "/proc/none/sock"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("/proc/none/sock"), "{output:?}");
    let link = room.path("link");
    std::os::unix::fs::symlink(room.base(), &link).unwrap();
    for words in [&["-g"][..], &[]] {
        let mut command = room.command(OURS, words);
        let output = command.arg("-b").arg(&link).arg("-l").arg(room.socket()).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("symbolic link"), "{output:?}");
    }
}

#[test]
fn a_second_daemon_by_the_same_pid_file_is_refused() {
    let room = Room::new();
    let daemon = room.start(OURS, &[]);
    let mut second = room.command(OURS, &["-g", "-l"]);
    let second = second.arg(room.path("other")).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    let words = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(words.contains("Another rrdcached daemon is running"), "{words}");
    assert_eq!(room.client().ask("PING"), "0 PONG\n");
    assert!(daemon.end().success());
    assert!(!room.path("pid").exists() && !room.socket().exists());
}

/// A daemon that answers has its pid file: it takes the file before it makes its sockets.
#[test]
fn a_daemon_without_its_pid_file_makes_no_socket() {
    let room = Room::new();
    let holder = std::fs::File::create(room.path("pid")).unwrap();
    rustix::fs::flock(&holder, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    let mut command = room.command(OURS, &["-g", "-l"]);
    let command = command.arg(room.path("missing/sock")).stderr(Stdio::piped());
    let mut daemon = Daemon { child: command.spawn().unwrap() };
    wait_until("it ends", || daemon.child.try_wait().unwrap().is_some());
    assert_eq!(daemon.child.wait().unwrap().code(), Some(1));
    let words = std::io::read_to_string(daemon.child.stderr.take().unwrap()).unwrap();
    assert!(words.contains("Another rrdcached daemon is running"), "{words}");
    assert!(!room.path("missing").exists());
}

/// A connection to a file that is no socket is refused as one to a socket that a daemon left is.
#[test]
fn a_file_that_is_no_socket_does_not_give_way_to_one() {
    let room = Room::new();
    let file = room.path("file");
    std::fs::write(&file, "somebody's").unwrap();
    let mut command = room.command(OURS, &["-g", "-l"]);
    let command = command.arg(&file).stderr(Stdio::piped());
    let mut daemon = Daemon { child: command.spawn().unwrap() };
    wait_until("it ends", || daemon.child.try_wait().unwrap().is_some());
    assert_eq!(daemon.child.wait().unwrap().code(), Some(1));
    let words = std::io::read_to_string(daemon.child.stderr.take().unwrap()).unwrap();
    assert!(words.contains("file: Address already in use"), "{words}");
    assert_eq!(std::fs::read(&file).unwrap(), b"somebody's");
}

/// When the file's last update was, without the daemon.
fn last(room: &Room) -> String {
    let file = std::fs::read(room.base().join("a.rrd")).unwrap();
    let (header, _) = rrdfile::decode(&file).unwrap();
    header.live.last_update.seconds.to_string()
}

#[test]
fn signals_say_whether_files_are_written() {
    let (old, new) = ("1000000000", "1000000060");
    for (signal, words, written) in [
        (Signal::TERM, &[][..], new),
        (Signal::INT, &[], new),
        (Signal::USR1, &[], new),
        (Signal::USR2, &[], old),
    ] {
        let room = Room::new();
        let mut daemon = room.start(OURS, words);
        room.create("a.rrd");
        let mut client = room.client();
        assert_eq!(client.ask("UPDATE a.rrd 1000000060:1:2"), "0 errors, enqueued 1 value(s).\n");
        assert_eq!(last(&room), old);
        daemon.signal(signal);
        assert!(daemon.child.wait().unwrap().success(), "{signal:?}");
        assert_eq!(last(&room), written, "{signal:?}");
        assert!(!room.path("pid").exists() && !room.socket().exists());
    }
}

#[test]
fn privileges_are_dropped() {
    if !rustix::process::geteuid().is_root() {
        return; // there are none to drop
    }
    let room = Room::new();
    std::fs::set_permissions(
        room.directory.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let daemon = room.start(OURS, &["-U", "nobody", "-G", "nogroup"]);
    // It listens before it drops them, and answers after that.
    assert_eq!(room.client().ask("PING"), "0 PONG\n");
    let path = format!("/proc/{}/status", daemon.child.id());
    let status = std::fs::read_to_string(path).unwrap();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(field("Uid:"), ["65534"; 4]);
    assert_eq!(field("Gid:"), ["65534"; 4]);
    assert_eq!(field("Groups:"), ["65534"]);
    let unknown = room.command(OURS, &["-g", "-U", "no-such-user"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(5));
}

#[test]
fn help_tells_of_every_option() {
    let output =
        std::process::Command::new(OURS).arg("--help").stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for letter in "lLsmPbBROwzftjFagpUGoVh".chars() {
        assert!(text.contains(&format!("  -{letter}, --")), "-{letter}");
    }
}

/// Files without a name that a process has open, in bytes.
fn nameless_bytes(process: u32) -> Option<u64> {
    let entries = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?;
    let nameless = entries.flatten().filter(|entry| {
        let link = std::fs::read_link(entry.path());
        link.is_ok_and(|link| link.to_string_lossy().ends_with(" (deleted)"))
    });
    nameless.filter_map(|entry| Some(std::fs::metadata(entry.path()).ok()?.len())).max()
}

/// A CREATE of two gigabytes is given up when its client hangs up or the daemon ends, and leaves
/// nothing.
#[test]
fn a_large_file_is_given_up_when_its_client_or_the_daemon_ends() {
    let room = Room::new();
    let daemon = room.start(OURS, &[]);
    let process = daemon.child.id();
    let line = b"CREATE large.rrd -s 1 DS:x:GAUGE:9:U:U RRA:LAST:0:1:250000000\n";
    let begin = || {
        let mut client = std::os::unix::net::UnixStream::connect(room.socket()).unwrap();
        std::io::Write::write_all(&mut client, line).unwrap();
        wait_until("it is being written", || nameless_bytes(process) > Some(0));
        client
    };
    let files = || std::fs::read_dir(room.base()).unwrap().count();
    drop(begin());
    wait_until("it is given up", || nameless_bytes(process).is_none());
    assert_eq!((room.client().ask("PING").as_str(), files()), ("0 PONG\n", 0));
    let _client = begin();
    assert!(daemon.end().success());
    assert_eq!(files(), 0);
}
