//! A server in the process of its caller, which has the store: it ends without its clients.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use daemon::{
    Access, Kept, Level, Limits, Listener, Log, Paths, Permissions, Server, Sockets, Terms,
};
use ring::{RingOptions, RingStore};
use store::Store as _;

use crate::room::{Client, SOURCES};

/// A ring store that is served, and what the server said.
pub(crate) struct Served {
    pub(crate) store: Arc<RingStore>,
    pub(crate) server: Server,
    said: Arc<Mutex<Vec<String>>>,
}

pub(crate) fn serve(root: &Path, listeners: Vec<Listener>) -> Served {
    let store = Arc::new(RingStore::open_or_create(root, RingOptions::default()).unwrap());
    let said = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&said);
    let log = Log::to(Level::Info, move |words| noted.lock().unwrap().push(words.to_owned()));
    let terms = Terms {
        paths: Paths::of_names(root, true),
        log: Arc::new(log),
        limits: Limits::default(),
        keeps_existing: false,
        makes_directories: false,
        access: Access::default(),
        syncs: false,
    };
    let kept = Kept::Ring(Arc::clone(&store));
    Served { store, server: Server::start(kept, terms, listeners).unwrap(), said }
}

pub(crate) fn listen(path: &Path) -> Vec<Listener> {
    let mut sockets = Sockets::default();
    sockets.listen(&format!("unix:{}", path.display())).unwrap();
    Listener::open(&sockets.named[0]).unwrap()
}

#[test]
fn it_ends_without_its_clients_and_leaves_the_store_to_its_caller() {
    let room = tempfile::tempdir().unwrap();
    let (root, socket) = (room.path().join("store"), room.path().join("socket"));
    let Served { store, server, said } = serve(&root, listen(&socket));
    let mut client = Client::connect(&socket);
    assert_eq!(client.ask(&format!("CREATE a.rrd -s 60 {SOURCES}")), "0 RRD created OK\n");
    // One that asks without end and reads nothing is hung up on, others wait for nothing.
    let mut greedy = UnixStream::connect(&socket).unwrap();
    greedy.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let help = b"HELP\n".repeat(1000);
    while greedy.write_all(&help).is_ok() {}
    let _idle = UnixStream::connect(&socket).unwrap();

    let start = Instant::now();
    server.end(Duration::from_millis(100));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_eq!(client.stream.read(&mut [0]).unwrap(), 0, "the client is told of the end");
    assert!(!socket.exists() && UnixStream::connect(&socket).is_err());
    // Nothing of the server holds the store any more, and it is open.
    let store = Arc::into_inner(store).expect("the store is its caller's alone");
    assert_eq!(store.names("").unwrap(), ["a.rrd"]);
    store.close().unwrap();
    assert!(!said.lock().unwrap().iter().any(|words| words.contains("still being worked on")));
}

#[test]
fn a_server_that_is_dropped_ends() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let Served { store, server, .. } = serve(&room.path().join("store"), listen(&socket));
    let mut client = Client::connect(&socket);
    assert_eq!(client.ask("PING"), "0 PONG\n");
    drop(server);
    assert!(UnixStream::connect(&socket).is_err());
    assert!(Arc::into_inner(store).is_some());
}

#[test]
fn a_socket_that_its_caller_bound_is_served_and_stays() {
    let room = tempfile::tempdir().unwrap();
    let socket = room.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let permissions = Permissions::parse("PING").unwrap();
    let listeners = vec![Listener::of_unix(listener, permissions)];
    let Served { server, .. } = serve(&room.path().join("store"), listeners);
    assert_eq!(Client::connect(&socket).ask("PING"), "0 PONG\n");
    assert_eq!(Client::connect(&socket).ask("STATS"), "-1 Permission denied.\n");
    server.end(Duration::ZERO);
    assert!(socket.exists() && UnixStream::connect(&socket).is_err());
}
