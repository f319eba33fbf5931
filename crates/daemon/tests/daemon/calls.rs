//! CALL: a store's own calls over the daemon's socket.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use daemon::{Listener, Sockets};
use remote::Remote;
use remote::{Answer, Call};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Timestamp};
use store::{Edit, Error, Existing, Making, NamePattern, NamesPage, NewDatabase, Store, Update};

use crate::embedded::{Served, listen, serve};
use crate::room::{Client, Room};

const START_SECONDS: i64 = 1_600_000_000;

fn definition(rows: u64) -> Definition {
    let words = ["DS:x:GAUGE:600:U:U".to_owned(), format!("RRA:AVERAGE:0.5:1:{rows}")];
    rrd::spec::definition(10, words.iter().map(String::as_str)).unwrap()
}

fn remote(socket: &Path) -> Remote<UnixStream> {
    Remote::over(UnixStream::connect(socket).unwrap(), socket)
}

fn new<'a>(name: &'a str, definition: &'a Definition) -> NewDatabase<'a> {
    let start = Timestamp::from_seconds(START_SECONDS);
    NewDatabase { name: Path::new(name), definition, start }
}

fn update(remote: &impl Store, seconds: i64) {
    let text = format!("{}:{seconds}", START_SECONDS + seconds);
    let refused = remote.update(&[Update::numbered("a", &[&text])]);
    assert!(refused.is_empty(), "{refused:?}");
}

#[test]
fn a_client_works_on_a_store_that_a_server_has() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let Served { store, server, .. } = serve(&room.path().join("store"), listen(&socket));
    let remote = remote(&socket);
    let (small, name) = (definition(20), Path::new("a"));
    assert!(remote.make(&[Making::new(new("a", &small))], &|| true).is_empty());
    (1..9).for_each(|nth| update(&remote, nth * 10));
    let cf = ConsolidationFunction::Average;
    let (start_seconds, end_seconds) = (START_SECONDS, START_SECONDS + 100);
    let query = Query { tick: rrd::Tick::SECOND, cf, start_seconds, end_seconds, step_seconds: 1 };
    let rows = |store: &dyn Store| format!("{:?}", store.fetch(name, &query).unwrap());
    assert_eq!(rows(&remote), rows(&*store));
    assert_eq!(remote.image(name).unwrap(), store.image(name).unwrap());
    remote.edit(name, &Edit::Rename(Path::new("b")), &|| true).unwrap();
    assert_eq!(store.names("").unwrap(), ["b"]);
    assert!(remote.outline(name).unwrap_err().is_missing());
    let damage = remote.inspect().unwrap().verify(&mut |_, _| {}).unwrap().damage;
    assert!(damage.is_empty());
    // One larger than what is read at once, and of more bytes than a line may have.
    let large = definition(300_000);
    assert!(remote.make(&[Making::new(new("large", &large))], &|| true).is_empty());
    let whole = remote.snapshot(Path::new("large")).unwrap();
    let restore = Edit::Restore { whole: &whole, existing: Existing::Keep };
    remote.edit(Path::new("copy"), &restore, &|| true).unwrap();
    let image = |name: &str| store.image(Path::new(name)).unwrap();
    assert_eq!(image("copy"), image("large"));
    server.end(Duration::from_millis(100));
    let error = remote.outline(name).unwrap_err();
    let words = "the server of this store: it went away before it answered";
    assert_eq!(error.to_string(), format!("{}: {words}", socket.display()));
}

/// A call as it is sent.
fn sent(call: &Call<'_>) -> Vec<u8> {
    let bytes = call.encode();
    let line = format!("CALL {} {}\n", call.kind().name(), bytes.len());
    [line.as_bytes(), &bytes].concat()
}

fn beginning(text: &str) -> Call<'_> {
    Call::Names { pattern: NamePattern::beginning(text), from: "", limit: 9 }
}

#[test]
fn calls_and_lines_follow_each_other_in_any_pieces() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let _served = serve(&room.path().join("store"), listen(&socket));
    let mut client = Client::connect(&socket);
    let create = "CREATE a -s 10 -b 1600000000 DS:x:GAUGE:600:U:U RRA:LAST:0.5:1:9\n";
    let names = beginning("\n\nPING\n"); // what follows the line is no line
    let parts: [&[u8]; 7] = [
        create.as_bytes(),
        b"UPDATE a 1600000010:1\n",
        &sent(&beginning("")),
        b"UPDATE a 1600000020:1\n",
        &sent(&names),
        &sent(&Call::Report),
        b"PING\n",
    ];
    let told = |answer: Answer<'_>| {
        let bytes = answer.encode();
        [format!("0 {} answer\n", bytes.len()).as_bytes(), &bytes].concat()
    };
    let updated = b"0 errors, enqueued 1 value(s).\n".to_vec();
    let page = |names| Answer::Names(NamesPage { names, next: None });
    let (one, none) = (page(vec!["a".into()]), page(Vec::new()));
    let expected =
        [b"0 RRD created OK\n".to_vec(), updated.clone(), told(one), updated, told(none)].concat();
    let all = parts.concat();
    let mut answer = vec![0; expected.len()];
    // In one piece, byte by byte, and cut in the middle of a call.
    // The same again and again: the database starts anew, and takes the same samples.
    for piece in [all.len(), 1, 150] {
        for piece in all.chunks(piece) {
            client.stream.write_all(piece).unwrap();
        }
        client.stream.read_exact(&mut answer).unwrap();
        assert_eq!(String::from_utf8_lossy(&answer), String::from_utf8_lossy(&expected));
        let mut rest = Vec::new();
        let mut byte = [0];
        while !rest.ends_with(b"0 PONG\n") {
            client.stream.read_exact(&mut byte).unwrap();
            rest.push(byte[0]);
        }
        assert!(rest.starts_with(b"0 "), "{rest:?}");
    }
}

#[test]
fn each_kind_of_call_needs_the_permission_of_its_name() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let mut sockets = Sockets::default();
    sockets.permit("UPDATE,INFO,RENAME").unwrap();
    sockets.listen(&format!("unix:{}", socket.display())).unwrap();
    let listeners = Listener::open(&sockets.named[0]).unwrap();
    let Served { store, server: _server, .. } = serve(&room.path().join("store"), listeners);
    store.create(Path::new("a"), &definition(9), Timestamp::from_seconds(START_SECONDS)).unwrap();
    let remote = remote(&socket);
    let name = Path::new("a");
    update(&remote, 10);
    remote.header(name).unwrap();
    let denied = |error: Error| assert_eq!(error.to_string(), "Permission denied.");
    denied(remote.image(name).unwrap_err());
    denied(remote.edit(name, &Edit::Delete, &|| true).unwrap_err());
    denied(remote.names("").unwrap_err());
    denied(remote.inspect().unwrap().verify(&mut |_, _| {}).unwrap_err());
    let whole = store.snapshot(name).unwrap();
    let restore = Edit::Restore { whole: &whole, existing: Existing::Replace };
    denied(remote.edit(name, &restore, &|| true).unwrap_err());
    remote.edit(name, &Edit::Rename(Path::new("b")), &|| true).unwrap();
    assert_eq!(store.names("").unwrap(), ["b"]);
}

#[test]
fn what_is_no_call_is_refused() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let _served = serve(&room.path().join("store"), listen(&socket));
    // Behind such a line nothing is read: nobody knows how much belongs to it.
    for (said, words) in [
        ("CALL\n", "-1 Usage: CALL <kind> <bytes>\n"),
        ("CALL INFO x\n", "-1 Usage: CALL <kind> <bytes>\n"),
        ("CALL NONE 5\n", "-1 Unknown kind of call: NONE\n"),
        ("CALL INFO 8388609\nPING\n", "-1 The call has more than 8388608 bytes.\n"),
        ("CALL INFO 99999999999999999999\n", "-1 Usage: CALL <kind> <bytes>\n"),
        ("BATCH\nCALL INFO 5\nPING\n", "-1 Can't use 'CALL' here.\n"),
    ] {
        let mut client = Client::connect(&socket);
        client.stream.write_all(said.as_bytes()).unwrap();
        let answer = client.read_to_end();
        assert!(answer.ends_with(words), "{said}: {answer}");
    }
    // What is read and is no call is told as an answer, and the next one is served.
    let mut client = Client::connect(&socket);
    let odd = Call::Sync.encode();
    for (kind, bytes, words) in [
        ("INFO", &b"\xff\xff"[..], "expected a call: "),
        ("INFO", b"", "expected a call: "),
        ("info", &odd, "expected a call of INFO, found FLUSH"),
    ] {
        let line = format!("CALL {kind} {}\n", bytes.len());
        client.stream.write_all(&[line.as_bytes(), bytes, b"PING\n"].concat()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"0 PONG\n") {
            let mut byte = [0];
            client.stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.starts_with("0 ") && answer.contains(words), "{answer:?}");
    }
}

#[test]
fn a_call_that_does_not_end_is_given_up_and_costs_what_came() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let Served { server, .. } = serve(&room.path().join("store"), listen(&socket));
    let waiting: Vec<_> = (0..20)
        .map(|_| {
            let mut client = Client::connect(&socket);
            client.stream.write_all(b"CALL RESTORE 1000000000\nabc").unwrap();
            client
        })
        .collect();
    // Twenty promised gigabytes take none from others.
    let large = definition(2_000_000);
    let remote = remote(&socket);
    assert!(remote.make(&[Making::new(new("large", &large))], &|| true).is_empty());
    let whole = remote.snapshot(Path::new("large")).unwrap();
    let restore = Edit::Restore { whole: &whole, existing: Existing::Replace };
    remote.edit(Path::new("large"), &restore, &|| true).unwrap();
    drop(waiting);
    server.end(Duration::from_millis(100));
}

#[test]
fn files_have_no_calls() {
    let room = Room::new();
    let daemon = room.start(crate::room::OURS, &[]);
    let error = remote(&room.socket()).names("").unwrap_err();
    let words = "CALL is for ring stores: files are read where they lie";
    assert_eq!(error.to_string(), words);
    daemon.end();
}
