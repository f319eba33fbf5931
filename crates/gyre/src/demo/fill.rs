//! Makes databases with a past before the first poll.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mrtg::{Configuration, Host, InterfaceReference, Poll, Target};
use rrd::{Archive, Snapshot};
use simnet::{Device, Direction, Health, SimulatedNetwork, Traffic};

use super::destination::Destination;
use super::history::{Calendar, snapshot};
use crate::on_every_core::on_every_core;

/// How long ago the demo's dead device stopped answering.
const DEAD_SECONDS: i64 = 5 * 3600;

/// Databases that are made before any of them is written: enough to fill the pages of a ring store,
/// few enough for memory.
const BATCH: usize = 252;

/// What was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) databases: usize,
    pub(super) bytes: u64,
}

/// Makes the databases of every target that polls the simulated network, filled up to the present.
/// Ends early if told to `stop`.
pub(super) fn fill(
    configuration: &Configuration,
    network: &SimulatedNetwork,
    now_seconds: i64,
    stop: &AtomicBool,
    destination: &Destination,
) -> Result<Filled, store::Error> {
    let past = Past::new(configuration, network, now_seconds);
    let bytes = AtomicU64::new(0);
    let failure = Mutex::new(None);
    let all = past.batches.iter().map(Vec::len).sum();
    let queue = on_every_core("history", all, |queue| {
        while let Some(batch) = queue.next().and_then(|nth| past.batches.get(nth)) {
            let mut made = Vec::with_capacity(batch.len());
            for entry in batch {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                made.push((entry.target, past.database_of(entry)));
                queue.did(1);
            }
            match destination.take(made) {
                Ok(written) => bytes.fetch_add(written, Ordering::Relaxed),
                Err(error) => {
                    queue.give_up();
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return;
                }
            };
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(Filled { databases: queue.done(), bytes: bytes.into_inner() }),
    }
}

/// The inputs that all databases share.
struct Past<'a> {
    traffic: &'a Traffic,
    /// Batches of targets whose databases have the same layout.
    batches: Vec<Vec<Entry<'a>>>,
    /// Calendars by the archives of a definition; there are few different ones.
    calendars: Vec<(Vec<Archive>, Calendar)>,
}

/// A target and the simulated port that it measures.
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
        let mut batches: Vec<Vec<Entry<'_>>> = Vec::new();
        // For each calendar, the batch that is not full yet.
        let mut open_batches = Vec::new();
        for entry in targets {
            let definition = entry.target.settings.definition();
            let known = calendars.iter().position(|(archives, _)| *archives == definition.archives);
            let nth = known.unwrap_or_else(|| {
                let calendar = Calendar::new(&definition, now_seconds);
                calendars.push((definition.archives, calendar));
                batches.push(Vec::new());
                open_batches.push(batches.len() - 1);
                calendars.len() - 1
            });
            if batches[open_batches[nth]].len() == BATCH {
                batches.push(Vec::new());
                open_batches[nth] = batches.len() - 1;
            }
            batches[open_batches[nth]].push(entry);
        }
        Self { traffic: network.traffic(), batches, calendars }
    }

    /// The database of a target, with its past.
    fn database_of(&self, entry: &Entry<'_>) -> Snapshot {
        let Entry { target, device, port } = entry;
        let definition = target.settings.definition();
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
        snapshot(&definition, calendar, flowed, shown)
    }
}

/// The simulated port that a target polls; `None` if it polls another address.
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
