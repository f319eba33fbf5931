//! The protocol over TLS: tokens, clients' certificates, new certificates, and clients who say
//! nothing.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;

use rustix::process::Signal;

use crate::authority::{Authority, Encrypted};
use crate::room::{Client, Daemon, OURS, Room, SOURCES, wait_until};
use crate::tokens::{DENIED, READER, free_port, log, token, write};

struct Site {
    room: Room,
    daemon: Daemon,
    port: u16,
    authority: Authority,
    certificate: PathBuf,
    key: PathBuf,
}

impl Site {
    fn start(words: &[&str]) -> Self {
        let (room, authority, port) = (Room::new(), Authority::new(), free_port());
        let (certificate, key) = (room.path("cert.pem"), room.path("key.pem"));
        authority.identity("localhost").write(&certificate, &key);
        fs::write(room.path("ca.pem"), authority.pem()).unwrap();
        let path = |path: &PathBuf| path.display().to_string();
        let (address, files) = (format!("tls:127.0.0.1:{port}"), [path(&certificate), path(&key)]);
        let tls = ["-l", &address, "--tls-cert", &files[0], "--tls-key", &files[1]];
        let words: Vec<String> =
            words.iter().map(|word| word.replace("ROOM", &path(&room.path("")))).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let daemon = room.start(OURS, &[&tls[..], &words].concat());
        Self { room, daemon, port, authority, certificate, key }
    }

    fn client(&self) -> Client<Encrypted> {
        Client::over(self.authority.connect(self.port, None))
    }
}

#[test]
fn commands_and_batches_are_taken_over_tls() {
    let site = Site::start(&[]);
    let mut client = site.client();
    assert_eq!(client.ask("PING"), "0 PONG\n");
    let create = format!("CREATE a.rrd -s 60 -b 1000000000 {SOURCES}");
    assert_eq!(client.ask(&create), "0 RRD created OK\n");
    let mut batch = "BATCH\n".to_owned();
    for nth in 1..=20_000 {
        batch += &format!("UPDATE a.rrd {}:1:2\n", 1_000_000_000 + nth);
    }
    batch += ".";
    let told = client.ask(&batch);
    assert_eq!(told, "0 Go ahead.  End with dot '.' on its own line.\n0 errors\n");
    assert!(client.ask("LAST a.rrd").starts_with("0 "));
    // What is not TLS is not taken, and QUIT hangs up.
    let mut plain = TcpStream::connect(("127.0.0.1", site.port)).unwrap();
    plain.write_all(b"PING\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer); // a reset is an end too
    assert!(!answer.windows(4).any(|part| part == b"PONG"), "{answer:?}");
    assert!(client.ask("QUIT").ends_with("<closed>"));
    assert!(site.daemon.end().success());
}

#[test]
fn tokens_are_taken_over_tls() {
    let room = Room::new();
    let tokens = room.path("tokens");
    write(&tokens, &["r read"]);
    let site = Site::start(&["--tokens", tokens.to_str().unwrap()]);
    let mut client = site.client();
    assert_eq!(client.ask("PING"), DENIED);
    assert_eq!(client.ask(&format!("AUTH {}", token(READER).reveal())), "0 Welcome\n");
    assert_eq!(client.ask("PING"), "0 PONG\n");
    assert_eq!(client.ask("FLUSHALL"), DENIED);
}

#[test]
fn a_new_certificate_is_taken_and_a_broken_one_is_not() {
    let site = Site::start(&[]);
    let mut before = site.client();
    assert_eq!(before.ask("PING"), "0 PONG\n");
    fs::write(&site.certificate, "nonsense").unwrap();
    site.daemon.signal(Signal::HUP);
    wait_until("it says so", || log(&site.room).contains("the certificate stays as it was"));
    assert_eq!(site.client().ask("PING"), "0 PONG\n");
    // Another authority's: from then on its clients are served, and those from before still are.
    let other = Authority::new();
    other.identity("localhost").write(&site.certificate, &site.key);
    site.daemon.signal(Signal::HUP);
    let is_new = || {
        let mut stream = other.connect(site.port, None);
        stream.write_all(b"PING\nQUIT\n").is_ok() && stream.read(&mut [0]).is_ok()
    };
    wait_until("the new certificate is there", is_new);
    assert_eq!(before.ask("PING"), "0 PONG\n");
}

#[test]
fn certificates_of_clients_say_who_they_are() {
    let room = Room::new();
    let tokens = room.path("tokens");
    write(&tokens, &["r read"]);
    let lines = fs::read_to_string(&tokens).unwrap() + "host.example write cert\n";
    fs::write(&tokens, lines).unwrap();
    let words = ["--tokens", tokens.to_str().unwrap(), "--tls-client-ca", "ROOM/ca.pem"];
    let site = Site::start(&words);
    let known = site.authority.identity("host.example");
    let mut known = Client::over(site.authority.connect(site.port, Some(&known)));
    assert_eq!(known.ask("FLUSHALL"), "0 Started flush.\n");
    assert_eq!(known.ask("SUSPENDALL"), DENIED);
    // One of the same authority that is not named needs a token as well.
    let other = site.authority.identity("other.example");
    let mut other = Client::over(site.authority.connect(site.port, Some(&other)));
    assert_eq!(other.ask("PING"), DENIED);
    assert_eq!(other.ask(&format!("AUTH {}", token(READER).reveal())), "0 Welcome\n");
    assert_eq!(other.ask("PING"), "0 PONG\n");
    // Without one of this authority nothing is said at all.
    let stranger = Authority::new().identity("host.example");
    for identity in [None, Some(&stranger)] {
        let mut stream = site.authority.connect(site.port, identity);
        let _ = stream.write_all(b"PING\n"); // the refusal may come before it
        assert!(!matches!(stream.read(&mut [0; 64]), Ok(1..)), "it was answered");
    }
    // A name that is taken from the file counts no more, on this connection either.
    write(&tokens, &["r read"]);
    site.daemon.signal(Signal::HUP);
    wait_until("the tokens are read again", || known.ask("FLUSHALL") == DENIED);
}

#[test]
fn clients_that_never_agree_on_keys_give_way() {
    let site = Site::start(&["--clients", "20"]);
    let silent = || TcpStream::connect(("127.0.0.1", site.port)).unwrap();
    let silent: Vec<TcpStream> = (0..60).map(|_| silent()).collect();
    assert_eq!(site.client().ask("PING"), "0 PONG\n");
    drop(silent);
    assert!(site.daemon.end().success());
}
