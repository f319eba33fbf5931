//! Updates as a collector sends them: spread over the cycle, each batch at its due time.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::figures::percentile;
use crate::served::Connection;
use crate::workload::Workload;

/// Concurrent connections, each with its share of the databases.
const CONNECTIONS: u64 = 2;

/// The updates to send.
#[derive(Clone, Debug)]
pub(super) struct Paced {
    pub(super) socket: PathBuf,
    pub(super) rrds: u64,
    /// The first cycle that the server has not had.
    pub(super) first_cycle: u64,
    pub(super) cycles: u64,
    pub(super) cycle_seconds: f64,
    /// Lines of a BATCH.
    pub(super) lines: usize,
}

/// The result.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Kept {
    /// The time from the start of each cycle to the acknowledgement of its last update.
    pub(super) cycle_seconds: Vec<f64>,
    /// The time from a batch's due time to its acknowledgement: median, 99%, the longest.
    pub(super) batch_ms: [f64; 3],
}

impl Kept {
    /// The longest cycle in seconds.
    pub(super) fn longest_seconds(&self) -> f64 {
        self.cycle_seconds.iter().copied().fold(0.0, f64::max)
    }
}

/// The result of one connection.
#[derive(Default)]
struct Share {
    ended_seconds: Vec<f64>,
    batch_ms: Vec<f64>,
}

impl Paced {
    /// Sends the cycles at their due times.
    ///
    /// # Errors
    ///
    /// An update is refused, or the server fails.
    pub(super) fn send(&self) -> Result<Kept, String> {
        let begun = Instant::now();
        let shares = std::thread::scope(|scope| {
            let sending: Vec<_> = (0..CONNECTIONS)
                .map(|nth| scope.spawn(move || self.send_share(nth, begun)))
                .collect();
            let joined = sending.into_iter().map(|it| it.join().expect("sending does not panic"));
            joined.collect::<Result<Vec<Share>, String>>()
        })?;
        let cycle_seconds = (0..self.cycles as usize)
            .map(|nth| shares.iter().map(|share| share.ended_seconds[nth]).fold(0.0, f64::max));
        let batch_ms: Vec<f64> = shares.iter().flat_map(|share| share.batch_ms.clone()).collect();
        Ok(Kept {
            cycle_seconds: cycle_seconds.collect(),
            batch_ms: [50, 99, 100].map(|percent| percentile(&batch_ms, percent)),
        })
    }

    fn send_share(&self, nth: u64, begun: Instant) -> Result<Share, String> {
        let workload = Workload::mrtg(self.rrds);
        let rrds = workload.share_of(nth, CONNECTIONS);
        let batches = rrds.len().div_ceil(self.lines);
        let mut connection = Connection::to(&self.socket)?;
        let mut share = Share::default();
        for cycle in 0..self.cycles {
            let begins_seconds = cycle as f64 * self.cycle_seconds;
            for (nth, rrds) in rrds.chunks(self.lines).enumerate() {
                let text = workload.updates(rrds, self.first_cycle + cycle);
                let due_seconds = begins_seconds + nth as f64 / batches as f64 * self.cycle_seconds;
                sleep_until(begun + Duration::from_secs_f64(due_seconds));
                connection.batch(text.as_bytes())?;
                share.batch_ms.push((begun.elapsed().as_secs_f64() - due_seconds) * 1e3);
            }
            share.ended_seconds.push(begun.elapsed().as_secs_f64() - begins_seconds);
        }
        Ok(share)
    }
}

pub(super) fn sleep_until(due: Instant) {
    std::thread::sleep(due.saturating_duration_since(Instant::now()));
}
