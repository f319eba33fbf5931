//! Stores of both kinds, and the sockets before them.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use agents::{Listeners, Listening, Options};
use intake::{Counts, Intake, Limits, Outcomes, Protocol, Rules, Tallies};
use rrd::live::LastReading;
use store::{NamePattern, Rooted, Store};

/// How long a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store, and the sockets before it.
pub(crate) struct World {
    pub(crate) store: Arc<dyn Store>,
    listeners: Option<Listeners>,
    addresses: Vec<Listening>,
    tallies: Arc<Tallies>,
    told: Arc<Mutex<Vec<String>>>,
    directory: tempfile::TempDir,
}

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Ring,
    Files,
}

/// Both kinds of stores.
pub(crate) const BOTH: [Kept; 2] = [Kept::Ring, Kept::Files];

/// All protocols that have sockets.
pub(crate) const LISTENED: [Protocol; 5] =
    [Protocol::Graphite, Protocol::Pickle, Protocol::Influx, Protocol::Collectd, Protocol::Statsd];

pub(crate) fn loopback(protocol: Protocol) -> Listening {
    Listening { protocol, address: "127.0.0.1:0".parse().unwrap() }
}

impl World {
    pub(crate) fn new(kept: Kept) -> Self {
        Self::with(kept, |_| ())
    }

    /// With other options than the usual ones.
    pub(crate) fn with(kept: Kept, change: impl FnOnce(&mut Options)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = match kept {
            Kept::Ring => {
                let root = directory.path().join("ring");
                Arc::new(ring::RingStore::create(&root, ring::RingOptions::default()).unwrap())
            }
            Kept::Files => Arc::new(files::RrdFiles::below(directory.path())),
        };
        let rooted = Rooted::new(Arc::clone(&store));
        let intake = Arc::new(Intake::new(rooted, Rules::default(), Limits::default(), [1, 2]));
        let (tallies, told) = (Arc::new(Tallies::default()), Arc::new(Mutex::new(Vec::new())));
        let list = Arc::clone(&told);
        let mut options =
            Options::new(Arc::new(move |notice| list.lock().unwrap().push(notice.to_string())));
        change(&mut options);
        let all = LISTENED.map(loopback);
        let listeners = Listeners::open(&all, intake, Arc::clone(&tallies), options).unwrap();
        let addresses = listeners.addresses().to_vec();
        Self { store, listeners: Some(listeners), addresses, tallies, told, directory }
    }

    /// The sockets, before they were stopped.
    pub(crate) fn listeners(&self) -> &Listeners {
        self.listeners.as_ref().unwrap()
    }

    pub(crate) fn stop(&mut self) {
        self.listeners.take().unwrap().stop();
    }

    pub(crate) fn address(&self, protocol: Protocol) -> SocketAddr {
        let found = self.addresses.iter().find(|listening| listening.protocol == protocol);
        found.unwrap().address
    }

    /// Where a store of files has a database.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A connection to the socket of a protocol.
    pub(crate) fn connect(&self, protocol: Protocol) -> TcpStream {
        TcpStream::connect(self.address(protocol)).unwrap()
    }

    /// Sends bytes over a connection of their own.
    pub(crate) fn send(&self, protocol: Protocol, bytes: &[u8]) {
        self.connect(protocol).write_all(bytes).unwrap();
    }

    /// Sends a datagram.
    pub(crate) fn send_datagram(&self, protocol: Protocol, bytes: &[u8]) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(socket.send_to(bytes, self.address(protocol)).unwrap(), bytes.len());
    }

    pub(crate) fn counts(&self, protocol: Protocol) -> &Counts {
        self.tallies.of(protocol)
    }

    pub(crate) fn outcomes(&self, protocol: Protocol) -> Outcomes {
        self.counts(protocol).outcomes()
    }

    pub(crate) fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }

    /// Waits until so many samples of a protocol were stored.
    pub(crate) fn wait_taken(&self, protocol: Protocol, taken: u64) {
        self.wait_until(&format!("{taken} samples of {protocol}"), |world| {
            world.outcomes(protocol).taken >= taken
        });
        assert_eq!(self.outcomes(protocol).taken, taken, "{protocol}");
    }

    pub(crate) fn wait_wrong(&self, protocol: Protocol, wrong: u64) {
        self.wait_until(&format!("{wrong} wrong of {protocol}"), |world| {
            world.counts(protocol).wrong() >= wrong
        });
        assert_eq!(self.counts(protocol).wrong(), wrong, "{protocol}: {:?}", self.told());
    }

    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !is_so(self) {
            let shown = LISTENED.map(|protocol| self.outcomes(protocol));
            assert!(begin.elapsed() < PATIENCE, "{what}: {shown:?}, {:?}", self.told());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.store.names_like(&NamePattern::beginning("")).unwrap()
    }

    /// The time of the last sample of a database, and its readings.
    pub(crate) fn last(&self, name: &str) -> (i64, Vec<String>) {
        let header = self.store.header(Path::new(name)).unwrap();
        let readings = header.live.sources.iter().map(|source| shown(&source.last_reading));
        (header.live.last_update.seconds, readings.collect())
    }
}

fn shown(reading: &LastReading) -> String {
    String::from_utf8_lossy(&reading.to_bytes()).trim_end_matches('\0').to_owned()
}

pub(crate) fn now_seconds() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    since.as_secs() as i64
}
