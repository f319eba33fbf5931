//! A running network that is told by clients of its socket what to do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A network with a socket.
struct Network {
    process: Child,
    socket: PathBuf,
    /// The first device's address.
    first: SocketAddr,
}

fn gyre() -> Command {
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_gyre"), "network"]);
    command
}

impl Network {
    fn start(directory: &Path) -> Self {
        let socket = directory.join("net.sock");
        let mut process = gyre()
            .args(["--devices=40", "--ports=2", "--udp-port=0", "--fault=cut:7", "--control"])
            .arg(&socket)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let (_, addresses) = line.split_once(" from ").unwrap();
        let first = addresses.split(' ').next().unwrap().parse().unwrap();
        Self { process, socket, first }
    }

    fn tell(&self, words: &[&str], input: &str) -> Output {
        let mut client = gyre()
            .arg("control")
            .arg(&self.socket)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A client that was given a command does not read this.
        let _ = client.stdin.take().unwrap().write_all(input.as_bytes());
        client.wait_with_output().unwrap()
    }

    /// The answer to a command that is understood.
    fn answer(&self, command: &str) -> String {
        let words: Vec<&str> = command.split(' ').collect();
        let output = self.tell(&words, "");
        assert!(output.status.success(), "{command}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn clients_disturb_and_mend_and_end_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut network = Network::start(directory.path());
    let mode = std::fs::metadata(&network.socket).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(network.answer("fault dead:1-3"), "ok: 3 devices\n");
    assert_eq!(network.answer("list"), "cut:7\ndead:1-3\nok: 2 faults\n");
    assert!(network.answer("help").contains("\n  loss=PERCENT% "));
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.send_to(b"no SNMP", network.first).unwrap();
    assert!((0..600).any(|_| network.answer("status").contains("silenced 1")));

    let refused = network.tell(&["fault", "ill:1"], "");
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stdout).unwrap();
    assert!(said.starts_with("error: expected one of dead, loss,"), "{said}");
    let several = network.tell(&[], "mend all:1-2\nend the world\nlist\n");
    assert_eq!(several.status.code(), Some(1));
    let said = String::from_utf8(several.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    let ["ok: 2 devices", error, "cut:7", "dead:3", "ok: 2 faults"] = lines[..] else {
        panic!("{said}");
    };
    assert!(error.ends_with("help or end, found end the world"), "{said}");

    let ended = network.answer("end");
    assert!(ended.starts_with("ended after "), "{ended}");
    assert!(network.process.wait().unwrap().success());
    assert!(!network.socket.exists());
    let gone = network.tell(&["list"], "");
    let said = String::from_utf8(gone.stderr).unwrap();
    assert_eq!(gone.status.code(), Some(1));
    assert!(said.contains("net.sock: no network answers there: No such file"), "{said}");
}

/// Clients are bounded, each socket has one network, and what is no socket stays.
#[test]
fn its_socket_is_its_own_and_has_an_end() {
    let directory = tempfile::tempdir().unwrap();
    let mut network = Network::start(directory.path());
    let file = directory.path().join("a file");
    std::fs::write(&file, "precious").unwrap();
    for taken in [&network.socket, &file] {
        let mut second = gyre();
        second.args(["--for=1", "--udp-port=0", "--control"]).arg(taken);
        let second = second.output().unwrap();
        assert_eq!(second.status.code(), Some(1));
        let said = String::from_utf8(second.stderr).unwrap();
        assert!(said.contains("Address already in use"), "{said}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"precious");

    let connect = || {
        let stream = UnixStream::connect(&network.socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    };
    let answer = |mut stream: &UnixStream, words: &str| {
        let mut answer = [0; 12];
        let sent = stream.write_all(words.as_bytes());
        sent.and_then(|()| stream.read_exact(&mut answer)).map(|()| answer)
    };
    let mut clients: Vec<UnixStream> = (0..16).map(|_| connect()).collect();
    assert!(clients.iter().all(|it| answer(it, "mend cut:7\n").unwrap() == *b"ok: 1 device"));
    let mut said = String::new();
    let _ = connect().read_to_string(&mut said);
    assert_eq!(said, "error: 16 clients are connected already\n");
    clients.pop();
    // Its thread may take a moment to end.
    let is_free = |_| {
        std::thread::sleep(Duration::from_millis(20));
        answer(&connect(), "mend cut:7\n").is_ok_and(|answer| answer == *b"ok: 1 device")
    };
    assert!((0..600).any(is_free));
    let pid = rustix::process::Pid::from_child(&network.process);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(network.process.wait().unwrap().success());
    assert!(!network.socket.exists());
}
