//! Databases with a past, before the first poll.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use mrtg::{Configuration, Host, InterfaceReference, Poll, Target};
use rrd::Archive;
use simnet::{Device, Direction, Health, SimulatedNetwork, Traffic};

use super::history::{Calendar, snapshot};
use super::progress::Progress;

/// How long ago the device that is dead died.
const DEAD_SECONDS: i64 = 5 * 3600;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) databases: usize,
    pub(super) bytes: u64,
}

/// Makes the databases of every target that asks the simulated network, up to the present; ends
/// early if told to `stop`.
pub(super) fn fill(
    configuration: &Configuration,
    network: &SimulatedNetwork,
    now_seconds: i64,
    stop: &AtomicBool,
) -> Result<Filled, store::Error> {
    let past = Past::new(configuration, network, now_seconds);
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let bytes = AtomicU64::new(0);
    let failure = Mutex::new(None);
    let work = || {
        while let Some(entry) = past.targets.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            match past.write(entry) {
                Ok(written) => bytes.fetch_add(written, Ordering::Relaxed),
                Err(error) => {
                    next.store(past.targets.len(), Ordering::Relaxed);
                    *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                        Some(error);
                    break;
                }
            };
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut progress = Progress::new("history");
        while !threads.iter().all(|thread| thread.is_finished()) {
            progress.show(done.load(Ordering::Relaxed), past.targets.len());
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(Filled { databases: done.into_inner(), bytes: bytes.into_inner() }),
    }
}

/// What all databases have in common.
struct Past<'a> {
    configuration: &'a Configuration,
    traffic: &'a Traffic,
    targets: Vec<Entry<'a>>,
    /// By the archives of a definition; there are few different ones.
    calendars: Vec<(Vec<Archive>, Calendar)>,
}

/// A target and the port that it measures.
struct Entry<'a> {
    target: &'a Target,
    device: &'a Device,
    port: u32,
}

impl<'a> Past<'a> {
    fn new(
        configuration: &'a Configuration,
        network: &'a SimulatedNetwork,
        now_seconds: i64,
    ) -> Self {
        let devices: HashMap<Ipv4Addr, &Device> =
            network.devices().iter().map(|device| (*device.address.ip(), device)).collect();
        let targets = configuration.targets.iter();
        let targets = targets.filter_map(|target| entry(configuration, &devices, target));
        let targets: Vec<_> = targets.collect();
        let mut calendars: Vec<(Vec<Archive>, Calendar)> = Vec::new();
        for entry in &targets {
            let definition = entry.target.definition(configuration.globals.interval);
            if calendars.iter().all(|(archives, _)| *archives != definition.archives) {
                let calendar = Calendar::new(&definition, now_seconds);
                calendars.push((definition.archives, calendar));
            }
        }
        Self { configuration, traffic: network.traffic(), targets, calendars }
    }

    /// Writes one database; returns its size.
    fn write(&self, entry: &Entry<'_>) -> Result<u64, store::Error> {
        let Entry { target, device, port } = entry;
        let definition = target.definition(self.configuration.globals.interval);
        let known = self.calendars.iter().find(|(archives, _)| *archives == definition.archives);
        let (_, calendar) = known.expect("every target's archives have a calendar");
        let end_seconds = calendar.end_seconds();
        let died_seconds = match device.health {
            Health::Dead => end_seconds - DEAD_SECONDS,
            _ => i64::MAX,
        };
        let octets = |time| {
            let ways = [Direction::In, Direction::Out];
            ways.map(|way| self.traffic.octets(device.number, *port, way, time))
        };
        let flowed = |moment: i64| (moment <= died_seconds).then(|| octets(since_1970(moment)));
        // A device counts from its start.
        let before_start = octets(device.started_at(since_1970(end_seconds)));
        let shown = flowed(end_seconds)
            .map(|flowed| [0, 1].map(|way| flowed[way].wrapping_sub(before_start[way])));
        let made = snapshot(&definition, calendar, flowed, shown);
        let path = &target.rrd_path;
        let failed = |source| store::Error::Io { action: "creating", path: path.clone(), source };
        disk::create_parents(path).map_err(failed)?;
        store::restore_cached(path, &made)?;
        Ok(std::fs::metadata(path).map_err(failed)?.len())
    }
}

/// The simulated port that a target asks for; none if it asks somebody else.
fn entry<'a>(
    configuration: &Configuration,
    devices: &HashMap<Ipv4Addr, &'a Device>,
    target: &'a Target,
) -> Option<Entry<'a>> {
    let Poll::Snmp(poll) = configuration.poll(target.expression.polls().next()?) else {
        return None;
    };
    let Host::V4(address) = configuration.agent(poll.agent).host else { return None };
    let Some(InterfaceReference::Index(port)) = poll.objects[0].interface else { return None };
    Some(Entry { target, device: devices.get(&address)?, port })
}

fn since_1970(moment_seconds: i64) -> Duration {
    Duration::from_secs(moment_seconds.max(0) as u64)
}
