//! A store that takes nothing for a while: this process has no descriptor left for new databases. A
//! program of its own, since that holds for all tests of a process.
#![allow(clippy::disallowed_methods)] // senders have sockets

use std::io::Write as _;
use std::net::{TcpStream, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use agents::{Listeners, Listening, Options};
use intake::{Intake, Limits, Outcomes, Protocol, Rules, Tallies};
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use store::Rooted;

/// How many descriptors there may be. Those that are open stay so.
fn set_descriptors(current: Option<u64>) {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current, maximum }).unwrap();
}

/// Has no number left for another descriptor: those that are open have all below the limit.
fn use_up_descriptors() {
    let next = std::fs::File::open("/dev/null").unwrap().as_raw_fd();
    set_descriptors(Some(next as u64));
}

/// Waits until what is counted is as it should be.
fn wait(what: &str, tallies: &Tallies, is_so: impl Fn(&Outcomes) -> bool) {
    let begin = Instant::now();
    while !is_so(&tallies.of(Protocol::Graphite).outcomes()) {
        let outcomes = tallies.of(Protocol::Graphite).outcomes();
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}: {outcomes:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn wait_told(told: &dyn Fn() -> Vec<String>, words: &str) {
    let begin = Instant::now();
    while !told().iter().any(|told| told.contains(words)) {
        assert!(begin.elapsed() < Duration::from_secs(60), "{words}: {:?}", told());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn samples_over_tcp_wait_for_the_store_and_datagrams_are_lost() {
    let directory = tempfile::tempdir().unwrap();
    // It keeps one file open, so that each update needs a descriptor.
    let store = Arc::new(files::RrdFiles::keeping_open(directory.path(), 1));
    let intake = Intake::new(Rooted::new(store), Rules::default(), Limits::default(), [1, 2]);
    let tallies = Arc::new(Tallies::default());
    let told_list = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&told_list);
    let mut options =
        Options::new(Arc::new(move |notice| list.lock().unwrap().push(notice.to_string())));
    options.patience = Duration::from_secs(5);
    let at = Listening { protocol: Protocol::Graphite, address: "127.0.0.1:0".parse().unwrap() };
    let listeners =
        Listeners::open(&[at], Arc::new(intake), Arc::clone(&tallies), options).unwrap();
    let address = listeners.address(Protocol::Graphite).unwrap();
    let mut connection = TcpStream::connect(address).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(address).unwrap();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let lines =
        |name: &str| -> String { (0..10).map(|nth| format!("{name}.{nth} 1 {now}\n")).collect() };
    let told = || told_list.lock().unwrap().clone();
    connection.write_all(lines("before").as_bytes()).unwrap();
    wait("those before", &tallies, |it| it.taken == 10);

    // A connection for which there is no descriptor waits until there is one.
    let usual = getrlimit(Resource::Nofile).current;
    let client = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    use_up_descriptors();
    rustix::net::connect(&client, &address).unwrap();
    rustix::io::write(&client, lines("early").as_bytes()).unwrap();
    wait_told(&told, "graphite: accepting a connection: Too many open files");
    set_descriptors(usual);
    wait("those of the late connection", &tallies, |it| it.taken == 20);
    drop(client);
    told_list.lock().unwrap().clear();

    use_up_descriptors();
    connection.write_all(lines("waiting").as_bytes()).unwrap();
    wait_told(&told, "Too many open files");
    socket.send(lines("lost").as_bytes()).unwrap();
    wait("the datagram's", &tallies, |it| it.failed == 10);
    // The thread of connections does not read meanwhile.
    connection.write_all(lines("behind").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(tallies.of(Protocol::Graphite).outcomes().taken, 20);
    set_descriptors(usual);
    wait("those that waited", &tallies, |it| it.taken == 40);
    let outcomes = tallies.of(Protocol::Graphite).outcomes();
    assert_eq!(outcomes, Outcomes { taken: 40, failed: 10, made: 40, ..Outcomes::default() });
    assert_eq!(told()[1..], ["the store takes samples again; 10 were lost"]);

    // The patience ends.
    use_up_descriptors();
    let begin = Instant::now();
    connection.write_all(lines("too.long").as_bytes()).unwrap();
    wait("the end of patience", &tallies, |it| it.failed == 20);
    let took = begin.elapsed();
    assert!((4..15).contains(&took.as_secs()), "{took:?}");

    // The end waits for no store.
    connection.write_all(lines("at.the.end").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    listeners.stop();
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    // A thread that ended may have left a descriptor for them.
    let Outcomes { taken, failed, .. } = tallies.of(Protocol::Graphite).outcomes();
    assert!(taken + failed == 70 && taken >= 40, "{taken} {failed}");
    set_descriptors(usual);
}
